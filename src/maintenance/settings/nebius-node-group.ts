import type { Cluster } from "../../model/cluster.ts";
import { fieldsOf } from "../../systems/facts.ts";
import type { Fields } from "../../wire/fields.ts";
import type { NodeCount } from "../actor.ts";
import { nodeCount } from "../node-count.ts";
import type { Pool } from "../pool.ts";
import { goDurationMs, intOrPercent, type SettingReader } from "./setting.ts";

/**
 * The strategy of a Nebius node group, where an object of it is in the cluster (a control plane that manages node groups as
 * custom resources): `status.strategy` is in force, `spec.strategy` asked for. Shares round down for max_unavailable, up for
 * max_surge.
 */
export const nebiusNodeGroup: SettingReader = (cluster, pool, actor) => {
  const found = strategyOf(cluster, pool);
  if (found === null) return null;
  const { strategy, of } = found;
  const unavailable = intOrPercent(either(strategy, "maxUnavailable", "max_unavailable"), { rounds: "down", least: 0 });
  const surge = intOrPercent(either(strategy, "maxSurge", "max_surge"), { rounds: "up", least: 0 });
  const timeout = either(strategy, "drainTimeout", "drain_timeout");
  const said = [`${of}: strategy max_unavailable ${shown(unavailable)}, max_surge ${shown(surge)}`];
  const unavailableNodes = nodeCount(unavailable ?? 0, pool.nodes);
  if (actor.closeWhen !== "node") {
    return { actor: { ...actor, nodesAtOnce: Math.max(1, unavailableNodes) }, said, held: "" };
  }
  const surgeNodes = nodeCount(surge ?? 0, pool.nodes);
  const limitMs = typeof timeout === "string" ? goDurationMs(timeout) : null;
  if (typeof timeout === "string") said.push(`${of}: drain_timeout ${timeout}`);
  return {
    actor: {
      ...actor,
      nodesAtOnce: Math.max(1, unavailableNodes + surgeNodes),
      surge: surgeNodes === 0 ? null : { nodes: surgeNodes, when: "before-each", joinMs: 210_000, atEnd: "stay" },
      drain:
        typeof timeout === "string"
          ? { ...actor.drain, holdsForMs: limitMs, then: limitMs === null ? "waits" : "deletes" }
          : actor.drain,
    },
    said,
    held: "",
  };
};

function strategyOf(cluster: Cluster, pool: Pool): { readonly strategy: Fields; readonly of: string } | null {
  for (const object of cluster.others.values()) {
    if (object.ref.kind !== "NodeGroup" || !object.ref.apiVersion.includes("nebius")) continue;
    const fields = fieldsOf(object);
    const names = [object.ref.name, fields.object("status").text("id"), fields.object("metadata").text("id")];
    if (!names.includes(pool.name)) continue;
    const strategy =
      fields.object("status").optionalObject("strategy") ?? fields.object("spec").optionalObject("strategy");
    if (strategy !== null) return { strategy, of: `NodeGroup ${object.ref.name}` };
  }
  return null;
}

/** `maxSurge` or `max_surge`; a number, a share as `25%` or `{ percent: 25 }`, or `{ count: 1 }`. */
function either(strategy: Fields, camel: string, snake: string): unknown {
  for (const name of [camel, snake]) {
    const value = strategy.raw(name);
    if (value === undefined) continue;
    if (typeof value !== "object") return value;
    const inner = strategy.object(name);
    const percent = inner.raw("percent");
    return percent === undefined ? inner.raw("count") : `${String(percent)}%`;
  }
  return undefined;
}

function shown(count: NodeCount | null): string {
  if (count === null) return "not stated";
  return typeof count === "object" && "percent" in count ? `${count.percent}%` : String(count);
}
