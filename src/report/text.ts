/** Words for people. Names from a cluster are data: whatever reaches a terminal passes `visible`. */

/** Control characters, and those that hide or reorder text: shown as escapes, so that no name can act on a terminal. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/** One word for a POSIX shell. A name with control characters gets none: `visible` first would name something else. */
export function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${visible(text).replaceAll("'", "'\\''")}'`;
}

/** `2 pods`, `1 pod`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Columns on a terminal: East Asian wide characters take two, combining ones none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x300) columns += 1;
    else if (/\p{M}/u.test(character)) columns += 0;
    else columns += isWide(code) ? 2 : 1;
  }
  return columns;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

/** Lines of at most `width` columns, broken at spaces; a longer word is cut, or has a line of its own. Null: one line. */
export function wrapped(text: string, width: number | null, cutsWords = true): string[] {
  if (width === null || columnsOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (columnsOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (cutsWords && columnsOf(line) > width) {
      const head = headOf(line, width);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

function headOf(text: string, width: number): string {
  let head = "";
  for (const character of text) {
    if (head !== "" && columnsOf(head + character) > width) break;
    head += character;
  }
  return head;
}
