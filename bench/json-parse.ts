import { closeSync, openSync, readSync } from "node:fs";

/** What everything is held against: `JSON.parse` of each line, dropped at once. */
export function parseLines(path: string): number {
  let objects = 0;
  for (const text of pieces(path, "\n")) {
    if (text.length === 0) continue;
    JSON.parse(text);
    objects += 1;
  }
  return objects;
}

/**
 * The same for kubectl's layout, which no string can hold whole: an item ends where eight spaces and a closing brace do.
 * The generator writes no other layout.
 */
export function parseItems(path: string): number {
  let objects = 0;
  for (const text of pieces(path, "\n        }")) {
    const start = text.indexOf("\n        {");
    if (start < 0) continue;
    JSON.parse(`${text.slice(start)}\n        }`);
    objects += 1;
  }
  return objects;
}

const blockBytes = 4 << 20;

function* pieces(path: string, separator: string): Generator<string> {
  const end = Buffer.from(separator);
  const descriptor = openSync(path, "r");
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const block = Buffer.allocUnsafe(blockBytes);
    const count = readSync(descriptor, block);
    if (count === 0) break;
    const bytes = Buffer.concat([rest, block.subarray(0, count)]);
    let from = 0;
    for (let at = bytes.indexOf(end); at >= 0; at = bytes.indexOf(end, from)) {
      yield bytes.toString("utf8", from, at);
      from = at + end.length;
    }
    rest = bytes.subarray(from);
  }
  closeSync(descriptor);
  if (rest.length > 0) yield rest.toString("utf8");
}
