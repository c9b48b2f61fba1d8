import { deepEqual, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { Move, NMinusOne } from "../src/search/n-minus-one/n-minus-one.ts";
import type { Ledger } from "../src/sim/ledger.ts";
import { buildOracle, hasGo } from "../test/oracle/oracle.ts";
import { saidOf } from "../test/support/n-minus-one.ts";

/**
 * The scheduler's own code asked what `NMinusOne` answers, of the same files: a node closed, its pods taken off and placed one after the
 * other, the search beginning with the first node. Its own CPU is what counts: reading the files and listing the equals do not.
 */
export interface Asked {
  readonly nodes: number;
  readonly pods: number;
  readonly nowhere: number;
  /** Pods with more than one best node. */
  readonly drawn: number;
  readonly cpuMs: number;
  readonly loadCpuMs: number;
  readonly peakBytes: number;
  readonly evaluated: number;
  readonly feasible: number;
  readonly version: string;
}

/** What `rig/oracle/drain.go` says. */
interface Loaded {
  readonly version: string;
  readonly nodes: number;
  readonly cpuMillis: number;
}

interface Drained {
  readonly node: string;
  readonly equals: readonly (readonly string[])[];
  readonly evaluated: number;
  readonly feasible: number;
  readonly cpuMillis: number;
  readonly peakKilobytes: number;
}

const version = "1.36";

/** Why the scheduler's own code cannot be asked; null when it can. */
export function oracleMissing(): string | null {
  try {
    buildOracle(version, (text) => process.stderr.write(`${text}\n`));
    return null;
  } catch (error) {
    if (!hasGo()) return "there is no Go to build the scheduler with";
    return error instanceof Error ? error.message : String(error);
  }
}

/** A model, and what is kept for N-1 of it. */
interface Standing {
  readonly ledger: Ledger;
  readonly columns: NMinusOne;
}

/** Stops with the difference when an answer is not ours. */
export function askOracle(folder: string, { ledger, columns }: Standing, sampled: readonly number[]): Asked {
  const ours = sampled.map((at) => ({ node: columns.nodes[at] ?? "", moves: columns.without(at) }));
  const path = buildOracle(version, () => {});
  const run = spawnSync(path, ["-drain", folder], {
    input: ours.map(({ node, moves }) => `${JSON.stringify(questionOf(ledger, node, moves))}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (run.status !== 0) throw new Error(`the scheduler's own code stopped with ${run.status ?? run.signal}`);
  const [first, ...rest] = run.stdout.trim().split("\n");
  const loaded: Loaded = JSON.parse(first ?? "");
  equal(loaded.nodes, columns.nodes.length, "nodes of the cluster");
  const drained = rest.map((line): Drained => JSON.parse(line));
  equal(drained.length, ours.length, "nodes answered");
  for (const [at, { node, moves }] of ours.entries()) {
    deepEqual(saidOf(ledger, told(moves)), saidThere(ledger, told(moves), drained[at]), node);
  }
  const sum = (of: (one: Drained) => number): number => drained.reduce((total, one) => total + of(one), 0);
  return {
    nodes: drained.length,
    pods: sum(({ equals }) => equals.length),
    nowhere: sum(({ equals }) => equals.filter(({ length }) => length === 0).length),
    drawn: sum(({ equals }) => equals.filter(({ length }) => length > 1).length),
    cpuMs: sum(({ cpuMillis }) => cpuMillis),
    loadCpuMs: loaded.cpuMillis,
    peakBytes: Math.max(...drained.map(({ peakKilobytes }) => peakKilobytes)) * 1024,
    evaluated: sum(({ evaluated }) => evaluated),
    feasible: sum(({ feasible }) => feasible),
    version: loaded.version,
  };
}

function questionOf(ledger: Ledger, node: string, moves: readonly Move[]): object {
  return { node, leaving: keysOf(ledger, moves), placed: keysOf(ledger, told(moves)) };
}

function keysOf(ledger: Ledger, moves: readonly Move[]): readonly string[] {
  return moves.map(({ uid }) => ledger.podByUid(uid)?.key ?? "");
}

function told(moves: readonly Move[]): readonly Move[] {
  return moves.filter(({ outcome }) => outcome !== "not-told");
}

function saidThere(ledger: Ledger, moves: readonly Move[], drained: Drained | undefined): readonly string[] {
  return keysOf(ledger, moves).map((key, at) => {
    const equals = drained?.equals[at] ?? [];
    return `${key}: ${equals.length === 0 ? "nowhere" : equals.join(" ")}`;
  });
}
