import type { Problem } from "../base/problem.ts";
import type { Saved, Snapshot, SnapshotItem, SnapshotListener } from "../wire/snapshot.ts";
import { dumpGaps } from "./cluster-dump.ts";
import { Door } from "./door.ts";
import { findFiles } from "./find-files.ts";
import { KeptBytes } from "./kept-bytes.ts";
import { defaultLimits, type InputLimits } from "./limits.ts";
import { parseInput, tellInput } from "./parse-bytes.ts";
import { ReadAhead } from "./read-ahead.ts";
import {
  type ByteBudget,
  isPackedFile,
  isPipe,
  readFileChunks,
  readGzipChunks,
  readStdinChunks,
  UnreadableInput,
} from "./read-bytes.ts";
import { savedChunks, savedFileAt } from "./saved-file.ts";

export interface LoadOptions {
  readonly limits: InputLimits;
  /** What pipes give is not kept: the snapshot is read but once. */
  readonly once?: boolean;
}

/**
 * A snapshot of files and folders; `-` is standard input. Nothing is read before it is iterated, and `problems` is
 * complete afterwards; iterating again reads again, of pipes what was kept. Throws MissingInput when a path named by the user is not there.
 */
export function loadPaths(paths: readonly string[], options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const walked = new Door(limits.problems);
  // Folders are walked at once, so that a wrong path is known before anything is read.
  const inputs = paths.map((path) => (path === "-" ? stdin : findFiles(path, walked, limits)));
  const gaps = dumpGaps(inputs.flatMap((input) => (input === stdin ? [] : input)));
  const kept = options.once === true ? null : new Map<string, KeptBytes>();
  const items = (door: Door): Iterator<SnapshotItem> => itemsOf(inputs, door, limits, kept);
  const tell = (door: Door, listener: SnapshotListener): void => {
    const ahead = new ReadAhead({ door, limits, listener });
    for (const { file, chunks } of chunksOf(inputs, limits, kept)) tellInput(file, chunks, ahead);
  };
  const saved = (door: Door): Saved | null => savedOf(inputs, door, limits);
  return new SourceSnapshot(paths.join(", "), { walked, limits, gaps, items, tell, saved });
}

/** The objects of one text, as if it were a file. For tests, editors and browsers' pasted text. */
export function loadText(text: string, file: string, options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const chunks = [new TextEncoder().encode(text)];
  const items = (door: Door): Iterator<SnapshotItem> => parseInput(file, chunks, door, limits);
  const tell = (door: Door, listener: SnapshotListener): void =>
    tellInput(file, chunks, new ReadAhead({ door, limits, listener }));
  const saved = (): null => null;
  return new SourceSnapshot(file, { walked: new Door(limits.problems), limits, gaps: [], items, tell, saved });
}

const stdin = Symbol("standard input");

function* itemsOf(inputs: Inputs, door: Door, limits: InputLimits, kept: Kept): Generator<SnapshotItem> {
  for (const { file, chunks } of chunksOf(inputs, limits, kept)) yield* parseInput(file, chunks, door, limits);
}

type Inputs = readonly (readonly string[] | typeof stdin)[];

/** What pipes gave, by name; null: nothing is kept. */
type Kept = Map<string, KeptBytes> | null;

function keptOf(kept: Kept, file: string, read: () => Iterable<Uint8Array>): Iterable<Uint8Array> {
  if (kept === null) return read();
  const bytes = kept.get(file) ?? new KeptBytes(read);
  kept.set(file, bytes);
  return bytes.chunks();
}

/** Each input's name and bytes. */
function* chunksOf(
  inputs: Inputs,
  limits: InputLimits,
  kept: Kept,
): Generator<{ readonly file: string; readonly chunks: Iterable<Uint8Array> }> {
  const budget: ByteBudget = { usedBytes: 0 };
  for (const input of inputs) {
    if (input === stdin) {
      yield { file: "-", chunks: keptOf(kept, "-", () => readStdinChunks(limits, budget)) };
      continue;
    }
    // A single file may have any name.
    const isPacked = (file: string): boolean => file.endsWith(".gz") || (input.length === 1 && isPackedFile(file));
    for (const file of input) {
      const read = (): Iterable<Uint8Array> =>
        isPacked(file) ? packedChunks(file, limits, budget) : readFileChunks(file, limits, budget);
      yield { file, chunks: isPipe(file) ? keptOf(kept, file, read) : read() };
    }
  }
}

/** A file that `holdfast snapshot` wrote is read block by block, any other one is unpacked whole. */
function* packedChunks(file: string, limits: InputLimits, budget: ByteBudget): Generator<Uint8Array> {
  const saved = savedFileAt(file, limits);
  if (saved === null) yield* readGzipChunks(file, limits, budget);
  else yield* savedChunks(file, saved.blocks, limits, budget);
}

/** The model of the only input. With other inputs beside it, it is not the whole cluster. */
function savedOf(inputs: Inputs, door: Door, limits: InputLimits): Saved | null {
  const [files, ...more] = inputs;
  if (files === undefined || files === stdin || more.length > 0 || files.length !== 1) return null;
  const [file] = files;
  if (file === undefined || !isPackedFile(file)) return null;
  try {
    return savedFileAt(file, limits)?.saved ?? null;
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    door.problem({ file, line: null }, error.message);
    return null;
  }
}

interface Reading {
  /** What finding the files found wrong. */
  readonly walked: Door;
  readonly limits: InputLimits;
  /** What this kind of input never has. */
  readonly gaps: Snapshot["notSeen"];
  readonly items: (door: Door) => Iterator<SnapshotItem>;
  readonly tell: (door: Door, listener: SnapshotListener) => void;
  readonly saved: (door: Door) => Saved | null;
}

class SourceSnapshot implements Snapshot {
  readonly source: string;
  readonly #reading: Reading;
  /** The door of the latest iteration. */
  #door: Door;

  constructor(source: string, reading: Reading) {
    this.source = source;
    this.#reading = reading;
    this.#door = new Door(reading.limits.problems);
  }

  get serverVersion(): string {
    return this.#door.serverVersion;
  }

  get notSeen(): Snapshot["notSeen"] {
    return [...this.#reading.gaps, ...this.#door.notSeen];
  }

  get problems(): readonly Problem[] {
    return [...this.#reading.walked.problems, ...this.#door.problems];
  }

  get secretsDropped(): number {
    return this.#door.secretsDropped;
  }

  tell(listener: SnapshotListener): void {
    this.#door = new Door(this.#reading.limits.problems);
    this.#reading.tell(this.#door, listener);
  }

  saved(): Saved | null {
    this.#door = new Door(this.#reading.limits.problems);
    return this.#reading.saved(this.#door);
  }

  [Symbol.iterator](): Iterator<SnapshotItem> {
    this.#door = new Door(this.#reading.limits.problems);
    return this.#reading.items(this.#door);
  }
}
