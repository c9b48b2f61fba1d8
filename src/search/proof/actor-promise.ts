import type { MaintenanceOptions } from "../../sim/maintenance-run.ts";

/** What an actor never does, whatever happens: what a proof may rest on. */
export interface Promise {
  /** Nodes that are closed at any one time, at most. */
  readonly closedAtMost: number;
  /** After this it deletes, or stops the machine; null: never. */
  readonly forcesAfterMs: number | null;
  readonly retryMs: number;
}

/** Null: it does more than drain, so that nothing is argued about it. */
export function promiseOf(
  { actor, flags, nodesAtOnce, stopAfterMs, forceAfterMs }: MaintenanceOptions,
  nodes: number,
): Promise | null {
  const all = [...(flags ?? actor.drain.flags)];
  if (all.some((flag) => flag.startsWith("--disable-eviction")) || forceAfterMs !== null || stopAfterMs !== null)
    return null;
  const forces = actor.drain.then === "deletes" || actor.drain.then === "stops-machine";
  const comesBack = actor.afterDrain === "reboots" || actor.afterDrain === "replaced";
  // A node that failed stays closed while the next one is taken.
  const leavesClosed =
    actor.drain.then === "fails" || (actor.drain.onError === "fails" && actor.onNodeFailure === "continues");
  const atOnce = actor.closeWhen === "all" || !comesBack || leavesClosed ? nodes : nodesAtOnce;
  return {
    closedAtMost: Math.min(atOnce, nodes),
    forcesAfterMs: forces ? actor.drain.holdsForMs : null,
    retryMs: actor.drain.retryMs,
  };
}
