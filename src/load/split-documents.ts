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
  linesBefore = 0,
): Generator<YamlDocument | { readonly problem: string; readonly line: number }> {
  const held = new HeldBytes();
  let lineOffset = linesBefore;
  for (const chunk of chunks) {
    // Searching starts a few bytes early: the separator may lie across two chunks.
    const searchFrom = Math.max(0, held.bytes.length - 4);
    held.append(chunk);
    const { bytes } = held;
    let from = 0;
    for (let cut = separator(bytes, searchFrom); cut >= 0; cut = separator(bytes, cut + 4)) {
      const document = bytes.subarray(from, cut);
      yield documentOf(document, file, lineOffset);
      lineOffset += countLines(document);
      from = cut;
    }
    held.drop(from);
    if (held.bytes.length > limits.yamlDocumentBytes) {
      throw new UnreadableInput(
        `a YAML document of more than ${limits.yamlDocumentBytes} bytes is not read, nor is what follows it; ` +
          "write it as JSON (kubectl get -o json), which may be larger",
      );
    }
  }
  yield documentOf(held.bytes, file, lineOffset);
}

/** Bytes of the document that is not at its end yet. The room doubles, so that adding stays cheap. */
class HeldBytes {
  #room = new Uint8Array(1 << 16);
  #length = 0;

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#room.length) {
      const larger = new Uint8Array(Math.max(needed, this.#room.length * 2));
      larger.set(this.bytes);
      this.#room = larger;
    }
    this.#room.set(chunk, this.#length);
    this.#length = needed;
  }

  /** Forgets the first bytes. */
  drop(count: number): void {
    this.#room.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}

/** Index of the next line that starts a document; -1: none. The line end before it belongs to the document before. */
function separator(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(dash, from); at >= 0; at = bytes.indexOf(dash, at + 1)) {
    if (at > 0 && bytes[at - 1] === newline && isSeparator(bytes, at)) return at;
  }
  return -1;
}

/** Whether a line that begins there starts a document. */
export function isSeparator(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== dash || bytes[at + 1] !== dash || bytes[at + 2] !== dash) return false;
  const after = bytes[at + 3];
  return after === undefined || after <= 0x20;
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
