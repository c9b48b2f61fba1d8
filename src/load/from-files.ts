import type { Problem } from "../base/problem.ts";
import type { Snapshot, SnapshotItem } from "../wire/snapshot.ts";
import { dumpGaps } from "./cluster-dump.ts";
import { Door } from "./door.ts";
import { findFiles } from "./find-files.ts";
import { defaultLimits, type InputLimits } from "./limits.ts";
import { parseInput } from "./parse-bytes.ts";
import { type ByteBudget, readFileChunks, readGzipChunks, readStdinChunks } from "./read-bytes.ts";

export interface LoadOptions {
  readonly limits: InputLimits;
}

/**
 * A snapshot of files and folders; `-` is standard input. Nothing is read before it is iterated, and `problems` is
 * complete afterwards; iterating again reads again. Throws MissingInput when a path named by the user is not there.
 */
export function loadPaths(paths: readonly string[], options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const walked = new Door(limits.problems);
  // Folders are walked at once, so that a wrong path is known before anything is read.
  const inputs = paths.map((path) => (path === "-" ? stdin : findFiles(path, walked, limits)));
  const gaps = dumpGaps(inputs.flatMap((input) => (input === stdin ? [] : input)));
  const items = (door: Door): Iterator<SnapshotItem> => itemsOf(inputs, door, limits);
  return new SourceSnapshot(paths.join(", "), { walked, limits, gaps, items });
}

/** The objects of one text, as if it were a file. For tests, editors and browsers' pasted text. */
export function loadText(text: string, file: string, options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const items = (door: Door): Iterator<SnapshotItem> =>
    parseInput(file, [new TextEncoder().encode(text)], door, limits);
  return new SourceSnapshot(file, { walked: new Door(limits.problems), limits, gaps: [], items });
}

const stdin = Symbol("standard input");

function* itemsOf(
  inputs: readonly (readonly string[] | typeof stdin)[],
  door: Door,
  limits: InputLimits,
): Generator<SnapshotItem> {
  const budget: ByteBudget = { usedBytes: 0 };
  for (const input of inputs) {
    if (input === stdin) {
      yield* parseInput("-", readStdinChunks(limits, budget), door, limits);
      continue;
    }
    for (const file of input) {
      const read = file.endsWith(".gz") ? readGzipChunks : readFileChunks;
      yield* parseInput(file, read(file, limits, budget), door, limits);
    }
  }
}

interface Reading {
  /** What finding the files found wrong. */
  readonly walked: Door;
  readonly limits: InputLimits;
  /** What this kind of input never has. */
  readonly gaps: Snapshot["notSeen"];
  readonly items: (door: Door) => Iterator<SnapshotItem>;
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

  [Symbol.iterator](): Iterator<SnapshotItem> {
    this.#door = new Door(this.#reading.limits.problems);
    return this.#reading.items(this.#door);
  }
}
