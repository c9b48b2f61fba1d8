import type { SpreadRule } from "../../../scheduler/spread-rule.ts";
import type { Domains, NodeTable } from "./table.ts";

export const hostname = "kubernetes.io/hostname";

/** ScheduleAnyway, or by default; its counts are apart, as most kinds have the same rules. */
export interface SpreadScore {
  readonly maxSkew: number;
  readonly domains: Domains;
  readonly isHostname: boolean;
  /** Its counter counts by these. */
  readonly counted: Domains;
  /** Its counter's place among those that are weighed node by node; -1: it counts by coarse domains. */
  readonly weighedAt: number;
}

/** What rules that score say but for whom they select. */
export function scoresOf(
  table: NodeTable,
  rules: readonly Pick<SpreadRule, "topologyKey" | "maxSkew">[],
): readonly SpreadScore[] {
  let weighed = 0;
  return rules.map(({ topologyKey, maxSkew }): SpreadScore => {
    const domains = table.domains(topologyKey);
    const isHostname = topologyKey === hostname;
    // A host name is counted node by node, whether it counts otherwise or not.
    const counted = isHostname ? table.byNode : domains;
    const weighedAt = counted.isFine ? weighed : -1;
    if (weighedAt >= 0) weighed += 1;
    return { maxSkew, domains, counted, isHostname, weighedAt };
  });
}
