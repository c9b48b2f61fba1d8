import { fieldsOf } from "../../systems/facts.ts";
import { goDurationMs, objectsOf, type SettingReader } from "./setting.ts";

/** nodeDrainTimeout of the Machines behind a pool's nodes, where they live in the same cluster: the shortest. */
export const machine: SettingReader = (cluster, pool, actor) => {
  const names = new Set(pool.nodes.map(({ annotations }) => annotations.get("cluster.x-k8s.io/machine") ?? ""));
  let least: { readonly ms: number; readonly said: string } | null = null;
  for (const object of objectsOf(cluster, "Machine", "cluster.x-k8s.io")) {
    if (!names.has(object.ref.name)) continue;
    const spec = fieldsOf(object).object("spec");
    const seconds = spec.object("deletion").raw("nodeDrainTimeoutSeconds");
    const text = typeof seconds === "number" ? `${seconds}s` : spec.text("nodeDrainTimeout");
    const ms = goDurationMs(text);
    if (ms === null || (least !== null && least.ms <= ms)) continue;
    least = { ms, said: `Machine ${object.ref.namespace}/${object.ref.name}: nodeDrainTimeout ${text}` };
  }
  if (least === null) return null;
  return {
    actor: { ...actor, drain: { ...actor.drain, holdsForMs: least.ms, then: "stops-machine" } },
    said: [least.said],
    held: "",
  };
};
