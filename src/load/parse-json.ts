import { isJsonObject } from "../wire/fields.ts";
import type { Json } from "../wire/snapshot.ts";
import { type Cut, JsonCutter } from "./cut-json.ts";
import { elementKind, type ReadValue } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import type { ReadAhead } from "./read-ahead.ts";

export type JsonResult = ReadValue | { readonly problem: string; readonly line: number | null };

/** Where a JSON stream ended: its last line, and what is left of the last chunk when it ended at a line that starts a document. */
export interface JsonEnd {
  readonly line: number;
  readonly rest: Uint8Array | null;
}

/** Reads the values of a JSON stream, chunk by chunk. */
export function* parseJsonStream(
  file: string,
  chunks: Iterable<Uint8Array>,
  limits: InputLimits,
  firstLine = 1,
): Generator<JsonResult, JsonEnd> {
  const cutter = new JsonCutter(limits.objectBytes, firstLine);
  const reader = new CutReader(file);
  for (const chunk of chunks) {
    for (const cut of cutter.push(chunk)) yield* reader.read(cut);
    if (cutter.rest !== null) break;
  }
  for (const cut of cutter.end()) yield* reader.read(cut);
  yield* reader.release("", "");
  return cutter;
}

/** The same, with what can be read ahead told to its listener, and `take` told of the rest in between, in order. */
export function tellJsonStream(
  file: string,
  chunks: Iterable<Uint8Array>,
  ahead: ReadAhead,
  take: (result: JsonResult) => void,
): JsonEnd {
  const cutter = new JsonCutter(ahead.options.limits.objectBytes);
  const reader = new CutReader(file);
  const settle = (cuts: readonly Cut[]): void => {
    for (const cut of cuts) for (const result of reader.read(cut)) take(result);
  };
  ahead.begin(file, settle);
  for (const chunk of chunks) {
    ahead.turnTo(chunk);
    settle(cutter.push(chunk, ahead));
    if (cutter.rest !== null) break;
  }
  settle(cutter.end());
  for (const result of reader.release("", "")) take(result);
  return cutter;
}

/** Parses cut pieces and gives the elements of typed lists the kind their list states, before or after them. */
class CutReader {
  readonly #file: string;
  #listKind = "";
  #listApiVersion = "";
  /** Elements without a kind of lists that have not stated theirs yet. */
  #waiting: ReadValue[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  *read(cut: Cut): Generator<JsonResult> {
    if (cut.part === "fault") {
      yield { problem: cut.fault, line: cut.line };
      return;
    }
    const parsed = parseBytes(cut.bytes);
    if (parsed.problem !== "") {
      if (cut.part !== "head") yield { problem: parsed.problem, line: cut.line };
      return;
    }
    yield* this.#take(cut, parsed.value);
  }

  *#take(cut: Exclude<Cut, { part: "fault" }>, value: Json): Generator<JsonResult> {
    switch (cut.part) {
      case "head":
        this.#rememberList(value);
        return;
      case "list":
        this.#rememberList(value);
        yield* this.release(this.#listKind, this.#listApiVersion);
        this.#listKind = "";
        this.#listApiVersion = "";
        return;
      case "item":
      case "value": {
        const read = this.#readValue(value, cut.line);
        const isSilent = isJsonObject(value) && typeof value["kind"] !== "string";
        if (cut.part === "item" && isSilent && this.#listKind === "") this.#waiting.push(read);
        else yield read;
      }
    }
  }

  /** Gives the waiting elements their list's kind; "" when it never said. */
  *release(kind: string, apiVersion: string): Generator<JsonResult> {
    for (const read of this.#waiting) yield { ...read, listKind: kind, listApiVersion: apiVersion };
    this.#waiting = [];
  }

  #rememberList(value: Json): void {
    if (!isJsonObject(value)) return;
    const { kind, apiVersion } = value;
    this.#listKind = typeof kind === "string" && kind.endsWith("List") ? elementKind(kind) : "";
    this.#listApiVersion = typeof apiVersion === "string" ? apiVersion : "";
  }

  #readValue(value: Json, line: number): ReadValue {
    return {
      value,
      source: { file: this.#file, line },
      listKind: this.#listKind,
      listApiVersion: this.#listApiVersion,
    };
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseBytes(bytes: Uint8Array): { readonly value: Json; readonly problem: string } {
  try {
    return { value: JSON.parse(utf8.decode(bytes)), problem: "" };
  } catch (error) {
    const isEncoding = error instanceof TypeError;
    const detail = error instanceof Error ? error.message.replace(/, .*$/s, "") : "";
    return { value: null, problem: isEncoding ? "this object is not valid UTF-8" : `broken JSON: ${detail}` };
  }
}
