import type { NodeView } from "../model/view.ts";
import type { Cycle } from "./framework.ts";
import type { Profile } from "./registry.ts";

export interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  /** Before normalizing and after it, without the weight; one a node. */
  readonly raw: readonly number[];
  readonly score: readonly number[];
}

/**
 * Scores of all plugins that give one in this cycle.
 * Mirrors: framework/runtime RunPreScorePlugins and RunScorePlugins, Kubernetes 1.34 to 1.37.
 */
export function scoreNodes(cycle: Cycle, profile: Profile, nodes: readonly NodeView[]): readonly PluginScores[] {
  return profile.scores.flatMap(({ score, weight }) => {
    const prepared = score.prepare(cycle, nodes);
    if (prepared === null) return [];
    const raw = nodes.map((node) => prepared.raw(node));
    return [{ plugin: score.name, weight, raw, score: prepared.normalize(raw, nodes) }];
  });
}

/** Weighted sums, one a node. */
export function totals(scores: readonly PluginScores[], nodes: number): readonly number[] {
  const sums = new Array<number>(nodes).fill(0);
  for (const { weight, score } of scores) {
    for (let i = 0; i < nodes; i += 1) sums[i] = (sums[i] ?? 0) + weight * (score[i] ?? 0);
  }
  return sums;
}

/** Nodes with the highest total, in their order. The scheduler draws one of them. A single node is taken without scores. */
export function best(cycle: Cycle, profile: Profile, nodes: readonly NodeView[]): readonly NodeView[] {
  if (nodes.length <= 1) return nodes;
  const sums = totals(scoreNodes(cycle, profile, nodes), nodes.length);
  const highest = sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY);
  return nodes.filter((_, i) => sums[i] === highest);
}
