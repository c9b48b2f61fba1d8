/** A number, or a percentage. */
export type NumberOrPercent = { readonly percent: boolean; readonly value: number };

/** Reads `2` or `75%`; null when it is neither. */
export function parsePercent(text: string): NumberOrPercent | null {
  const found = /^(\d+)(%?)$/.exec(text.trim());
  return found === null ? null : { percent: found[2] === "%", value: Number(found[1]) };
}
