import type { Node } from "../../model/node.ts";
import type { Taint } from "../../model/pod-template.ts";
import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import type { Edit } from "../edit.ts";
import { editAt, placeOf } from "../place.ts";
import { type Bench, type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site } from "../site.ts";

/** No part of a path as large as this goes to a GPU node. */
const mostMilliCpu = 2_000;

/**
 * A small CPU pod may go to a tainted node (a GPU node, as a rule) when all its own are closed, and prefers its own as long
 * as they are open.
 */
export const fallbackPlace: Remedy = remedy({
  name: "fallback-place",
  title: "a place of last resort on tainted nodes",
  propose(site, bench) {
    const { template, hop } = site;
    if (hop.hop === "engine" || template === null || site.workload?.kind !== "Deployment") return [];
    const { unitCost: cost } = site;
    if (cost.gpus > 0 || cost.milliCpu > mostMilliCpu) return [];
    const home = new Set(site.pods.flatMap((pod) => (pod.node === null ? [] : [pod.node.name])));
    const away = bench.cluster.nodes.filter((node) => !home.has(node.name) && hardTaints(node).length > 0);
    const [taint] = away.flatMap(hardTaints).filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
    if (taint === undefined || template.tolerations.some(({ key }) => key === taint.key || key === "")) return [];
    const list = written(site, "tolerations");
    const toleration: JsonObject = { key: taint.key, operator: "Exists", effect: taint.effect };
    const tolerates = edit(site, bench, "tolerations", [...(isJsonList(list) ? list : []), toleration], taint);
    if (tolerates === null) return [];
    const prefers = edit(site, bench, "nodeAffinity", preference(site, away), taint);
    return prefers === null ? [tolerates] : [tolerates, prefers];
  },
});

function hardTaints({ taints }: Node): readonly Taint[] {
  return taints.filter(({ effect }) => effect === "NoSchedule");
}

/** Nodes without the tainted ones' telling label come first. */
function preference(site: Site, away: readonly Node[]): Json {
  const now = written(site, "affinity.nodeAffinity");
  const before: JsonObject = isJsonObject(now) ? now : {};
  const home = site.pods.flatMap((pod) => (pod.node === null ? [] : [pod.node.node]));
  const [first] = away;
  const telling = [...(first?.labels ?? [])].find(
    ([key, value]) =>
      !key.startsWith("kubernetes.io/") &&
      away.every((node) => node.labels.get(key) === value) &&
      home.every((node) => node.labels.get(key) !== value),
  );
  if (telling === undefined) return before;
  const preferred = before["preferredDuringSchedulingIgnoredDuringExecution"];
  const term = {
    weight: 100,
    preference: { matchExpressions: [{ key: telling[0], operator: "NotIn", values: [telling[1]] }] },
  };
  return {
    ...before,
    preferredDuringSchedulingIgnoredDuringExecution: [...(isJsonList(preferred) ? preferred : []), term],
  };
}

function edit(
  site: Site,
  { kept }: Bench,
  aspect: "tolerations" | "nodeAffinity",
  value: Json,
  taint: Taint,
): Edit | null {
  const place = placeOf(site, aspect, kept);
  if (!place.can || (isJsonObject(value) && Object.keys(value).length === 0)) return null;
  const why = `When all nodes of ${nameOfSite(site)} are closed, it may run on a node tainted ${taint.key}, and only then. It takes a little CPU and memory there from what the node is for.`;
  return editAt(site, place, { remedy: "fallback-place", aspect, value, why });
}

function written({ made }: Site, field: string): Json | undefined {
  return made === null ? undefined : valueAt(made, pathSteps(`spec.template.spec.${field}`));
}
