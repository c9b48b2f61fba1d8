import { isJudged, shortfalls } from "./requirements.ts";
import type { RunResult } from "./run.ts";

/** What a run showed, as data: the reference page on fidelity is made from it. */
export interface Figures {
  readonly version: string;
  readonly seedFirst: number;
  readonly seedLast: number;
  readonly clusters: number;
  readonly nodesMin: number;
  readonly nodesMax: number;
  readonly pods: number;
  readonly decisions: number;
  readonly sampled: number;
  readonly preemptions: number;
  readonly clustersDiffering: number;
  /** Ours differs there only about pods of which the real scheduler contradicts itself. */
  readonly clustersUndecided: number;
  readonly filters: readonly {
    readonly name: string;
    readonly passed: number;
    readonly rejected: number;
    readonly differences: number;
  }[];
  readonly scores: readonly {
    readonly name: string;
    readonly values: number;
    readonly rawValues: number;
    readonly differences: number;
  }[];
  readonly reasons: readonly { readonly text: string; readonly times: number }[];
  /** What the run did not touch often enough; null: too small a run to be judged. */
  readonly lacking: readonly string[] | null;
  /** Kind of difference → clusters in which it was seen. */
  readonly differences: { readonly [kind: string]: number };
}

export function figuresOf(version: string, seedFirst: number, result: RunResult): Figures {
  const { coverage, differing } = result;
  const kinds: { [kind: string]: number } = {};
  for (const { differences } of differing) {
    for (const kind of new Set(differences.map((difference) => difference.kind))) kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  const about = (name: string): number =>
    differing.filter(({ differences }) => differences.some(({ kind }) => kind.endsWith(` ${name}`))).length;
  const messages = new Map([
    ...coverage.messages,
    ...[...coverage.endings].map(([text, times]) => [`afterwards: ${text}`, times] as const),
  ]);
  return {
    version,
    seedFirst,
    seedLast: result.lastSeed,
    clusters: coverage.clusters,
    nodesMin: coverage.nodesMin,
    nodesMax: coverage.nodesMax,
    pods: coverage.pods,
    decisions: coverage.decisions,
    sampled: coverage.sampled,
    preemptions: coverage.preemptions,
    clustersDiffering: differing.length,
    clustersUndecided: result.undecided,
    filters: [...coverage.filters].map(([name, counts]) => ({ name, ...counts, differences: about(name) })),
    scores: [...coverage.scores].map(([name, seen]) => ({
      name,
      values: seen.values.size,
      rawValues: seen.raw.size,
      differences: about(name),
    })),
    reasons: [...messages]
      .map(([text, times]) => ({ text, times }))
      .sort((a, b) => b.times - a.times || (a.text < b.text ? -1 : 1)),
    lacking: isJudged(coverage) ? shortfalls(coverage, Number(version.slice(2))) : null,
    differences: kinds,
  };
}
