import { underKey } from "../../base/under-key.ts";
import { type DrainFlags, parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { PlannedStep } from "../../sim/program.ts";
import type { Loss } from "./loss.ts";

/** A maintenance, and the pods it moves. */
export interface Drained {
  readonly steps: readonly PlannedStep[];
  readonly loss: Loss;
}

/** Whether two maintenances do the same to the same nodes: they differ at most in what they would do with pods that are not there. */
export function isSameDrain(a: Drained, b: Drained): boolean {
  const [one, ...oneMore] = a.steps;
  const [other, ...otherMore] = b.steps;
  if (one?.do !== "maintain" || other?.do !== "maintain" || oneMore.length > 0 || otherMore.length > 0) return false;
  return (
    a.loss.nodes.length === b.loss.nodes.length &&
    a.loss.drain?.refused === b.loss.drain?.refused &&
    saidOf(one) === saidOf(other) &&
    areEvictedAlike(a.loss, b.loss)
  );
}

/** Of the same nodes. */
function areEvictedAlike({ drain: a }: Loss, { drain: b }: Loss): boolean {
  if (a === null || b === null) return a === b;
  if (a.flags !== null && b.flags !== null && JSON.stringify(a.flags) === JSON.stringify(b.flags)) return true;
  const [evicted, evictedToo] = [new Set(a.evict), new Set(b.evict)];
  return evicted.size === evictedToo.size && evicted.isSubsetOf(evictedToo);
}

function saidOf(step: Maintaining): string {
  return underKey(said, step, () => {
    const { nodes, options } = step;
    const lanes = options.lanes.map((lane) => laneSaid(lane, options.flags));
    return JSON.stringify([nodes, { ...options, lanes, flags: null }]);
  });
}

/** Each is held against all others of as many nodes. */
const said = new WeakMap<Maintaining, string>();

type Maintaining = Extract<PlannedStep, { readonly do: "maintain" }>;

/** The flags that say whether a pod is evicted at all have said so. */
function laneSaid({ actor, like: _, ...lane }: Lane, given: readonly string[] | null): unknown {
  const parsed = parseDrainFlags(given ?? actor.drain.flags);
  const flags: DrainFlags | null = parsed.ok
    ? { ...parsed.flags, force: true, ignoreDaemonsets: true, deleteEmptydirData: true }
    : null;
  return { ...lane, actor: { ...actor, drain: { ...actor.drain, flags } } };
}
