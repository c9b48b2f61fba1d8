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
 * A snapshot of files and folders; `-` is standard input. Nothing is read before it is iterated, and it is iterated
 * once; `problems` is complete afterwards. Throws MissingInput when a path named by the user is not there.
 */
export function loadPaths(paths: readonly string[], options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const door = new Door(limits.problems);
  // Folders are walked at once, so that a wrong path is known before anything is read.
  const inputs = paths.map((path) => (path === "-" ? stdin : findFiles(path, door, limits)));
  const gaps = dumpGaps(inputs.flatMap((input) => (input === stdin ? [] : input)));
  return new SourceSnapshot(paths.join(", "), { door, gaps, items: () => itemsOf(inputs, door, limits) });
}

/** The objects of one text, as if it were a file. For tests, editors and browsers' pasted text. */
export function loadText(text: string, file: string, options: LoadOptions = { limits: defaultLimits }): Snapshot {
  const { limits } = options;
  const door = new Door(limits.problems);
  const items = (): Iterator<SnapshotItem> => parseInput(file, [new TextEncoder().encode(text)], door, limits);
  return new SourceSnapshot(file, { door, gaps: [], items });
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
  readonly door: Door;
  /** What this kind of input never has. */
  readonly gaps: Snapshot["notSeen"];
  readonly items: () => Iterator<SnapshotItem>;
}

class SourceSnapshot implements Snapshot {
  readonly source: string;
  readonly #gaps: Snapshot["notSeen"];
  readonly #door: Door;
  readonly #items: () => Iterator<SnapshotItem>;

  constructor(source: string, { door, gaps, items }: Reading) {
    this.source = source;
    this.#gaps = gaps;
    this.#door = door;
    this.#items = items;
  }

  get serverVersion(): string {
    return this.#door.serverVersion;
  }

  get notSeen(): Snapshot["notSeen"] {
    return [...this.#gaps, ...this.#door.notSeen];
  }

  get problems(): readonly Problem[] {
    return this.#door.problems;
  }

  get secretsDropped(): number {
    return this.#door.secretsDropped;
  }

  [Symbol.iterator](): Iterator<SnapshotItem> {
    return this.#items();
  }
}
