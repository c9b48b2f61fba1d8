/** JSON as the contract says, two blanks of indentation. What could act on a terminal is written as an escape. */
export function jsonText(value: unknown): string {
  return `${asciiControls(JSON.stringify(value, null, 2))}\n`;
}

/** Outside of strings there are none of these but line breaks, so an escape is always right. */
export function asciiControls(json: string): string {
  return json.replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--\n]/gv, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
