import type { InputLimits } from "./limits.ts";
import { UnreadableInput } from "./read-bytes.ts";

export interface YamlDocument {
  readonly text: string;
  readonly file: string;
  readonly lineOffset: number;
}

const newline = 0x0a;
const dash = 0x2d;

/** Cuts a YAML stream at its `---` lines, as bytes: one document is held at a time, and one in bad encoding hurts only itself. */
export function* splitDocuments(
  file: string,
  chunks: Iterable<Uint8Array>,
  limits: InputLimits,
): Generator<YamlDocument | { readonly problem: string; readonly line: number }> {
  let held: Uint8Array = new Uint8Array(0);
  let lineOffset = 0;
  for (const chunk of chunks) {
    // Searching starts a few bytes early: the separator may lie across two chunks.
    const searchFrom = Math.max(0, held.length - 4);
    held = appended(held, chunk);
    let from = 0;
    for (let cut = separator(held, searchFrom); cut >= 0; cut = separator(held, cut + 4)) {
      const bytes = held.subarray(from, cut);
      yield documentOf(bytes, file, lineOffset);
      lineOffset += countLines(bytes);
      from = cut;
    }
    held = held.slice(from);
    if (held.length > limits.yamlDocumentBytes) {
      throw new UnreadableInput(
        `a YAML document of more than ${limits.yamlDocumentBytes} bytes is not read, nor is what follows it; ` +
          "write it as JSON (kubectl get -o json), which may be larger",
      );
    }
  }
  yield documentOf(held, file, lineOffset);
}

/** Index of the next line that starts a document; -1: none. The line end before it belongs to the document before. */
function separator(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(dash, from); at >= 0; at = bytes.indexOf(dash, at + 1)) {
    const startsLine = at === 0 || bytes[at - 1] === newline;
    if (!startsLine || bytes[at + 1] !== dash || bytes[at + 2] !== dash) continue;
    const after = bytes[at + 3];
    if (at > 0 && (after === undefined || after <= 0x20)) return at;
  }
  return -1;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function documentOf(
  bytes: Uint8Array,
  file: string,
  lineOffset: number,
): YamlDocument | { readonly problem: string; readonly line: number } {
  try {
    return { text: utf8.decode(bytes), file, lineOffset };
  } catch {
    return { problem: "this YAML document is not valid UTF-8 and is not read", line: lineOffset + 1 };
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

function appended(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
