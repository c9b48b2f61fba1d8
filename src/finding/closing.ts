import type { Actor } from "../maintenance/actor.ts";
import { type Pool, poolsOf } from "../maintenance/pool.ts";
import { labelOf } from "./finding-rule.ts";
import { poolsAmong, usableNodes } from "./nodes.ts";
import { closesForGood } from "./outcome.ts";
import type { Scene, Stop } from "./scene.ts";

/** A pool all of whose nodes are closed at once: before the first is drained, or because none opens before the last is. */
export interface Closing {
  readonly pool: Pool;
  readonly actor: Actor;
  /** Nodes are open again before the last is drained. */
  readonly comeBack: boolean;
  /** Needed parts that break or stall because of it and of nothing else. */
  readonly hurt: readonly Stop[];
}

/** Null: its nodes are closed one by one, new ones join first, or no part depends on the pool alone. */
export function closingOf(scene: Scene, pool: Pool): Closing | null {
  const actor = scene.maintainers.get(pool.name);
  if (actor === undefined || pool.nodes.length < 2) return null;
  if ((actor.closeWhen !== "all" || actor.surge !== null) && !closesForGood(actor)) return null;
  const stops = scene.stops.filter((stop) => livesOn(scene, stop, pool));
  if (stops.length === 0) return null;
  const hurt = stops.filter((stop) => isHurtBy(stop, `pool-maintenance/${pool.name}`) && !isExplained(scene, stop));
  return { pool, actor, comeBack: !closesForGood(actor), hurt };
}

/** A needed part all of whose usable nodes are of this pool. DaemonSets bring their own pod to every node. */
export function livesOn({ view, cluster }: Scene, { hop, template, workload, units }: Stop, { name }: Pool): boolean {
  if (!hop.needed || units === 0 || template === null || workload?.kind === "DaemonSet") return false;
  const pools = poolsAmong(usableNodes(view, template), poolsOf(cluster.nodes));
  return pools.size === 1 && pools.has(name);
}

/** Several replicas on several nodes, under a budget: what then goes wrong is not how the part is set up. */
export function isSetUpWell({ hop, units, budgets, pods }: Stop): boolean {
  const nodes = new Set(pods.map(({ node }) => node));
  return units > 1 && nodes.size > 1 && (budgets.length > 0 || hop.leaderElected);
}

/** In this scenario and not when its nodes are drained one by one, which has a cause of its own. */
function isHurtBy({ shown: { broke, stalled, closedOut } }: Stop, scenario: string): boolean {
  const names = [...broke, ...stalled, ...closedOut];
  return names.includes(scenario) && !names.some((name) => name.startsWith("drain-one-node/"));
}

/**
 * An error of another rule is about it, or names it: that is what to mend. One replica alone is no such cause here. Engines of
 * an endpoint break together.
 */
function isExplained({ told, stops }: Scene, stop: Stop): boolean {
  const together = stops.filter(
    (one) =>
      one === stop ||
      (one.hop.hop === "engine" &&
        stop.hop.hop === "engine" &&
        one.endpoints.some((endpoint) => stop.endpoints.includes(endpoint))),
  );
  const labels = together.map(labelOf);
  return told.some(
    ({ severity, rule, component, evidence }) =>
      severity === "error" &&
      rule !== "single-replica" &&
      labels.some((label) => component === label || evidence.some((line) => line.includes(label))),
  );
}
