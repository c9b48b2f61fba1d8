import { isUtf8 } from "node:buffer";
import type { Source } from "../base/problem.ts";
import { deepestNesting } from "../wire/scrub.ts";
import type { SnapshotListener } from "../wire/snapshot.ts";
import { kindOf, Tape } from "../wire/tape.ts";
import { tapeJson } from "../wire/tape-json.ts";
import type { Ahead, Cut } from "./cut-json.ts";
import type { Door } from "./door.ts";
import type { InputLimits } from "./limits.ts";
import { GapValues } from "./mould.ts";
import { MouldShelf } from "./mould-shelf.ts";
import { endedBytes } from "./plain-bytes.ts";
import { Texts } from "./texts.ts";

export interface AheadOptions {
  readonly door: Door;
  readonly limits: InputLimits;
  readonly listener: SnapshotListener;
}

/** Room for moulds. Of a list in the order of names far less is in use at a time. */
const mouldBytes = 4 * 2 ** 20;

/**
 * Reads objects that lie whole in the present bytes: pods that are like an earlier one by its mould, others on a tape.
 * Whatever is not plainly an object that can be used is left to be cut out byte by byte, so that there is one place that
 * says what is wrong. One for all files: what is known of earlier pods helps with those of the next one.
 */
export class ReadAhead implements Ahead {
  settle: (cuts: readonly Cut[]) => void = () => {};
  linesTaken = 0;
  readonly options: AheadOptions;
  #file = "";
  readonly #shelf = new MouldShelf(mouldBytes);
  readonly #nodeNames = new Texts(1 << 15);
  readonly #values = new GapValues();
  readonly #tape = new Tape(new Texts(1 << 13), deepestNesting);
  /** The present bytes, and one more. */
  #chunk = endedBytes(new Uint8Array(0));
  #end = 0;

  constructor(options: AheadOptions) {
    this.options = options;
  }

  /** The file that is read from here on, and who is told of what is cut out of it. */
  begin(file: string, settle: (cuts: readonly Cut[]) => void): void {
    this.#file = file;
    this.settle = settle;
  }

  /** The bytes that are read from here on. */
  turnTo(chunk: Uint8Array): void {
    this.#end = chunk.length;
    this.#chunk = endedBytes(chunk);
    this.#shelf.turnTo(this.#chunk);
  }

  take(at: number, line: number): number {
    const end = this.#shelf.find(at, this.#values, this.#nodeNames);
    const mould = this.#shelf.hit;
    if (end > 0 && end <= this.#end && mould !== null) {
      this.options.listener.alike(mould.pattern, this.#values, { file: this.#file, line });
      this.linesTaken = mould.lines;
      return end;
    }
    return this.#read(at, line);
  }

  #read(start: number, line: number): number {
    const tape = this.#tape;
    const end = tape.read(this.#chunk, start);
    if (end < 0 || end > this.#end || end - start > this.options.limits.objectBytes) return -1;
    if (tape.isBeyondAscii && !isUtf8(this.#chunk.bytes.subarray(start, end))) return -1;
    if (!isPlainObject(tape)) return -1;
    this.linesTaken = tape.lines;
    const pattern = this.#tell({ file: this.#file, line });
    if (pattern >= 0 && this.#shelf.isWorthwhile(start)) {
      this.#shelf.add({ number: pattern, namespace: namespaceOf(tape) }, tape, this.#values, this.#nodeNames);
    }
    return end;
  }

  #tell(source: Source): number {
    const { door, listener } = this.options;
    if (listener.onTape !== undefined && isOfServer(this.#tape)) return listener.onTape(this.#tape, source);
    const item = door.admit({ value: tapeJson(this.#tape, Tape.root), source, listKind: "", listApiVersion: "" });
    return item === null ? -1 : listener.item(item);
  }
}

/** Says itself what it is, and is neither a list nor anything that stands for others. */
function isPlainObject(tape: Tape): boolean {
  return (
    tape.isText(tape.find(Tape.root, "apiVersion")) &&
    tape.isText(tape.find(Tape.root, "kind")) &&
    tape.kind(tape.find(Tape.root, "metadata")) === kindOf.object &&
    tape.find(Tape.root, "items") < 0 &&
    tape.find(Tape.root, "count") < 0
  );
}

/** Of a pod: one without is in `default`. */
function namespaceOf(tape: Tape): string {
  const stated = tape.text(tape.find(tape.find(Tape.root, "metadata"), "namespace"));
  return stated === "" ? "default" : stated;
}

/** Of a kind there are many of, and a server's, which numbers what it keeps: nothing that the door would hold back. */
function isOfServer(tape: Tape): boolean {
  if (!numerous.has(tape.text(tape.find(Tape.root, "kind"))) || tape.find(Tape.root, "NAME") >= 0) return false;
  const metadata = tape.find(Tape.root, "metadata");
  return isStated(tape, tape.find(metadata, "uid")) && isStated(tape, tape.find(metadata, "resourceVersion"));
}

/** A text that is not empty. */
function isStated(tape: Tape, cell: number): boolean {
  return tape.isText(cell) && tape.end(cell) - tape.start(cell) > 2;
}

const numerous: ReadonlySet<string> = new Set([
  "Pod",
  "ReplicaSet",
  "Node",
  "Deployment",
  "Service",
  "PodDisruptionBudget",
]);
