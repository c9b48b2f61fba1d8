import { interPodAffinity } from "../../../scheduler/filters/inter-pod-affinity.ts";
import { nodeAffinity } from "../../../scheduler/filters/node-affinity.ts";
import { nodeResourcesFit } from "../../../scheduler/filters/node-resources-fit.ts";
import { nodeUnschedulable } from "../../../scheduler/filters/node-unschedulable.ts";
import { podTopologySpread } from "../../../scheduler/filters/pod-topology-spread.ts";
import { taintToleration } from "../../../scheduler/filters/taint-toleration.ts";
import { type Rejection, rejectForGood, rejectForNow } from "../../../scheduler/framework.ts";
import type { Ask } from "./demand.ts";
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

/** A kind of pod, and what is looked up once for all nodes. */
export interface Asked {
  readonly kind: Kind;
  readonly table: NodeTable;
  /** Fewest pods in a domain, filter by filter. */
  readonly fewest: readonly number[];
  /** What was said before of nodes that are short of the same. */
  readonly shortages: Map<number, Rejection>;
}

/** The first filter that does not pass a node that none passes, in the profile's order, with its own words. */
export function rejectionOf(asked: Asked, at: number): Rejection {
  const { kind, fewest } = asked;
  const fixed = byFixed[kind.demand.fixed.closed[at] ?? 0];
  if (fixed !== undefined) return fixed;
  const short = shortage(asked, at);
  if (short !== null) return short;
  for (let i = 0; i < kind.filters.length; i += 1) {
    const spread = kind.filters[i];
    if (spread === undefined) continue;
    if ((spread.domains.of[at] ?? -1) < 0) return noLabel;
    if (!isEven(spread, at, fewest[i] ?? 0)) return skewed;
  }
  if (kind.affinity.length > 0 && !hasCompany(kind, at)) return noAffinity;
  return kind.antiAffinity.some((counter) => counter.on(at) > 0) ? repels : repelledBy;
}

/** What a node is short of, as the digits of a number: of thousands of nodes it is the same few things over and over. */
function shortage(asked: Asked, at: number): Rejection | null {
  const { table, shortages } = asked;
  const { asks } = asked.kind.demand;
  let digits = (table.pods[at] ?? 0) + 1 > (table.podsMax[at] ?? 0) ? 1 : 0;
  let isBeyond = false;
  for (let i = 0; i < asks.length; i += 1) {
    const { room, amount } = asks[i] ?? nothing;
    const total = room.total[at] ?? 0;
    const isShort = amount > total - (room.used[at] ?? 0);
    digits = 2 * digits + (isShort ? 1 : 0);
    isBeyond ||= isShort && amount > total;
  }
  if (digits === 0) return null;
  const number = 2 * digits + (isBeyond ? 1 : 0);
  const known = asks.length < digitsMax ? shortages.get(number) : undefined;
  if (known !== undefined) return known;
  const rejection = shortageSaid(asked, at, isBeyond);
  shortages.set(number, rejection);
  return rejection;
}

const nothing: Ask = { room: { total: new Float64Array(), used: new Float64Array() }, amount: 0, name: "" };
/** A number holds no more of them. */
const digitsMax = 50;

function shortageSaid({ kind, table }: Asked, at: number, isBeyond: boolean): Rejection {
  const isFull = (table.pods[at] ?? 0) + 1 > (table.podsMax[at] ?? 0);
  const reasons: string[] = isFull ? [nodeResourcesFit.messages.tooManyPods] : [];
  for (const { room, amount, name } of kind.demand.asks)
    if (amount > (room.total[at] ?? 0) - (room.used[at] ?? 0))
      reasons.push(nodeResourcesFit.messages.insufficient(name));
  return isBeyond ? rejectForGood(...reasons) : rejectForNow(...reasons);
}
