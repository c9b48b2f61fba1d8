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
  const evicted = a.loss.drain?.evict ?? new Set();
  const evictedToo = b.loss.drain?.evict ?? new Set();
  return (
    a.loss.nodes.length === b.loss.nodes.length &&
    a.loss.drain?.refused === b.loss.drain?.refused &&
    evicted.size === evictedToo.size &&
    [...evicted].every((pod) => evictedToo.has(pod)) &&
    saidOf(one) === saidOf(other)
  );
}

function saidOf({ nodes, options }: Extract<PlannedStep, { readonly do: "maintain" }>): string {
  const lanes = options.lanes.map((lane) => laneSaid(lane, options.flags));
  return JSON.stringify([nodes, { ...options, lanes, flags: null }]);
}

/** The flags that say whether a pod is evicted at all have said so. */
function laneSaid({ actor, like: _, ...lane }: Lane, given: readonly string[] | null): unknown {
  const parsed = parseDrainFlags(given ?? actor.drain.flags);
  const flags: DrainFlags | null = parsed.ok
    ? { ...parsed.flags, force: true, ignoreDaemonsets: true, deleteEmptydirData: true }
    : null;
  return { ...lane, actor: { ...actor, drain: { ...actor.drain, flags } } };
}
