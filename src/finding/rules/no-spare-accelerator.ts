import { budgetStatus } from "../../eviction/budget-status.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { barredNode, openNodes, roomyNodes, scarceOn } from "../nodes.ts";
import type { Scene, Stop } from "../scene.ts";
import { isHeldByAnnotation } from "./annotation-holds.ts";

/** The one engine cannot be started a second time anywhere. */
export const noSpareAccelerator = findingRule({
  name: "no-spare-accelerator",
  code: "HF022",
  title: "No accelerator to start a second engine on",
  explain: `Two ways in which accelerators are missing when a node is taken.

The model has one engine, and no node it may use has the accelerators free for another: there is no way to start a second one before the first is moved, by hand or by the operator. Any maintenance of its node is then an outage as long as the node is away and the engine loads, or a stall under a budget.

The model has several, and a maintenance stalls on them: an evicted one finds no accelerators on the nodes that are open, stays Pending, and under its budget the next node waits for it.

Free a node's worth of accelerators for the time of the maintenance (scale something less important down), or plan the gap. Where other nodes have them free and only the engine's nodeSelector or node affinity rules these out, widen that.

With one engine it is a note beside HF001, which says whether that breaks: it tells why two are not at hand. With several it is an error where the maintenance stalls, and else not told.`,
  messages: {
    noPlaceMeanwhile: (f: { part: string; what: string }) => ({
      message: `The maintenance stalls on ${f.part}: no node it may use has ${f.what} free, so an evicted one waits for its node to come back, and the next node waits for it.`,
      remedy:
        "Open each node again before the next one is drained, or free the accelerators of one engine for the maintenance.",
    }),
    none: (f: { part: string; what: string; elsewhere: string }) => ({
      message: `${f.part} is alone, and no node it may use has ${f.what} free: a second one cannot be started before the first is moved.`,
      remedy: `${f.elsewhere === "" ? "Free the accelerators of one engine for the maintenance" : `Let it use ${f.elsewhere}, which has the room and which its nodeSelector or node affinity rules out`}, or accept the gap: holdfast.dev/max-down says how long.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { view } = scene;
      const { hop, template, units, shown } = stop;
      const wants = template === null ? [] : [...template.requests.scalar];
      if (hop.hop !== "engine" || hop.unit.kind !== "pod" || template === null || wants.length === 0) return [];
      if (units === 0 || (units > 1 && (shown.stalled.length === 0 || !anyGoes(scene, stop)))) return [];
      if (roomyNodes(view, template).some(({ unschedulable }) => !unschedulable)) return [];
      const wanted = wants.map(([name, amount]) => `${amount} ${name}`).join(", ");
      const what = scarceOn(openNodes(view, template), template) || wanted;
      if (units > 1) return [say.of(stop, { severity: "error" }, "noPlaceMeanwhile", { part: nameOf(stop), what })];
      const elsewhere = barredNode(view, template)?.name ?? "";
      return [say.of(stop, { severity: "note", quiet: true }, "none", { part: nameOf(stop), what, elsewhere })];
    }),
});

/** None is held by what other rules tell of: then it is not for want of a place that the maintenance stalls. */
function anyGoes(scene: Scene, stop: Stop): boolean {
  const { budgets } = stop;
  if (budgets.length > 1 || isHeldByAnnotation(scene, stop)) return false;
  return budgets.every((entry) => {
    const { desiredHealthy, expectedPods } = budgetStatus(scene.view, entry);
    return desiredHealthy < expectedPods;
  });
}
