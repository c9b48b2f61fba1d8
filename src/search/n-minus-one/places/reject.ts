import { interPodAffinity } from "../../../scheduler/filters/inter-pod-affinity.ts";
import { nodeAffinity } from "../../../scheduler/filters/node-affinity.ts";
import { nodeResourcesFit } from "../../../scheduler/filters/node-resources-fit.ts";
import { nodeUnschedulable } from "../../../scheduler/filters/node-unschedulable.ts";
import { podTopologySpread } from "../../../scheduler/filters/pod-topology-spread.ts";
import { taintToleration } from "../../../scheduler/filters/taint-toleration.ts";
import { type Rejection, rejectForGood, rejectForNow } from "../../../scheduler/framework.ts";
import { hasCompany, isEven } from "./even.ts";
import type { Kind } from "./kind.ts";
import type { NodeTable } from "./table.ts";

const closed = rejectForGood(nodeUnschedulable.messages.unschedulable);
const untolerated = rejectForGood(taintToleration.messages.untolerated);
const noMatch = rejectForGood(nodeAffinity.messages.noMatch);
const noLabel = rejectForGood(podTopologySpread.messages.noLabel);
const skewed = rejectForNow(podTopologySpread.messages.skewed);
const noAffinity = rejectForGood(interPodAffinity.messages.affinity);
const repels = rejectForNow(interPodAffinity.messages.antiAffinity);
const repelledBy = rejectForNow(interPodAffinity.messages.existing);

/** By the number in `Fixed.closed`; 0: none. */
const byFixed: readonly (Rejection | undefined)[] = [undefined, closed, untolerated, noMatch];

interface Asked {
  readonly kind: Kind;
  readonly at: number;
  readonly fewest: readonly number[];
  readonly table: NodeTable;
}

/** The first filter that does not pass a node that none passes, in the profile's order, with its own words. */
export function rejectionOf({ kind, at, fewest, table }: Asked): Rejection {
  const fixed = byFixed[kind.demand.fixed.closed[at] ?? 0];
  if (fixed !== undefined) return fixed;
  const short = shortage(kind, table, at);
  if (short !== null) return short;
  for (const [i, spread] of kind.filters.entries()) {
    if ((spread.domains.of[at] ?? -1) < 0) return noLabel;
    if (!isEven(spread, at, fewest[i] ?? 0)) return skewed;
  }
  if (kind.affinity.length > 0 && !hasCompany(kind, at)) return noAffinity;
  return kind.antiAffinity.some((counter) => counter.on(at) > 0) ? repels : repelledBy;
}

const known = new Map<string, Rejection>();

function shortage({ demand: { asks } }: Kind, table: NodeTable, at: number): Rejection | null {
  const reasons: string[] = [];
  let isBeyond = false;
  if ((table.pods[at] ?? 0) + 1 > (table.podsMax[at] ?? 0)) reasons.push(nodeResourcesFit.messages.tooManyPods);
  for (const { room, amount, name } of asks) {
    const total = room.total[at] ?? 0;
    if (amount <= total - (room.used[at] ?? 0)) continue;
    reasons.push(nodeResourcesFit.messages.insufficient(name));
    isBeyond ||= amount > total;
  }
  if (reasons.length === 0) return null;
  const key = `${isBeyond} ${reasons.join(",")}`;
  const rejection = known.get(key) ?? (isBeyond ? rejectForGood(...reasons) : rejectForNow(...reasons));
  known.set(key, rejection);
  return rejection;
}
