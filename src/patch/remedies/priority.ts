import { isUsable } from "../../finding/nodes.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { editAt, placeOf } from "../place.ts";
import { type Bench, type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site } from "../site.ts";

/** What the system's own pods have; they are in every cluster, and few. */
const systemPriority = 1_000_000_000;

/**
 * A priority as high as that of whoever shares its nodes, so that a pod that a drain has driven out does not push it aside. A class
 * that is there is taken, the lowest that does.
 */
export const priority: Remedy = remedy({
  name: "priority",
  title: "a priority nobody beside it exceeds",
  propose(site, bench) {
    const highest = highestBeside(site, bench);
    const chosen = highest === null ? undefined : lowestClass(bench, highest);
    if (highest === null || chosen === undefined) return [];
    const place = placeOf(site, "priority", bench.kept);
    if (!place.can) return [];
    const value = String(chosen.metadata["name"]);
    const why = `Pods of priority ${highest} share the nodes of ${nameOfSite(site)} and may push it aside, past its budget. With class ${value} they cannot; where room is short, it pushes aside what is lower.`;
    return [editAt(site, place, { remedy: "priority", aspect: "priority", value, why })];
  },
});

/** The highest priority beside it that is above its own and may preempt. Null: none is. */
function highestBeside({ template, pods, key }: Site, { view }: Bench): number | null {
  if (template === null) return null;
  const nodes = pods.flatMap(({ node }) => node ?? []);
  const own = new Set(pods.map((pod) => pod.key));
  let highest: number | null = null;
  for (const pod of view.pods) {
    const { priority: theirs, preemptionPolicy } = pod.template;
    if (theirs <= template.priority || theirs >= systemPriority || preemptionPolicy === "Never" || own.has(pod.key))
      continue;
    if (theirs <= (highest ?? Number.NEGATIVE_INFINITY) || pod.owner === key) continue;
    if (nodes.some((node) => isUsable(node, pod.template))) highest = theirs;
  }
  return highest;
}

function lowestClass({ kept }: Bench, least: number): WireObject | undefined {
  const value = (one: WireObject): number => (typeof one["value"] === "number" ? one["value"] : 0);
  return kept
    .ofKind("PriorityClass")
    .filter((one) => value(one) >= least && value(one) < systemPriority)
    .sort((a, b) => value(a) - value(b))[0];
}
