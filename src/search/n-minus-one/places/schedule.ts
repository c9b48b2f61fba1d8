import { byCodeUnit } from "../../../base/ordering.ts";
import { deallocateIdleClaims } from "../../../scheduler/filters/dynamic-resources/deallocate-idle-claims.ts";
import { fitErrorOf } from "../../../scheduler/fit-error.ts";
import type { SchedulingResult } from "../../../scheduler/result.ts";
import { anyStart, schedule } from "../../../scheduler/schedule.ts";
import type { Scheduling } from "../../../sim/simulation.ts";
import type { Kind } from "./kind.ts";
import { Places } from "./places.ts";

/**
 * The scheduler's answers from columns that follow the simulation. What they do not know (volumes, devices, nominated nodes,
 * a pod that fits nowhere) is asked of the scheduler itself.
 *
 * Of more nodes than it looks for, the scheduler looks at those from where it stopped before, and nothing tells where that is.
 * `any`: what it could pick from each start; `first`: what it picks from the first node on, which is enough for one course.
 */
export function fastScheduling(starts: "any" | "first"): Scheduling {
  let places: Places | null = null;
  return (view, pod) => {
    if (pod.nominatedNode !== "" || view.nominated.length > 0 || view.nodes.length === 0)
      return schedule(view, pod, anyStart);
    if (places === null || !places.sync(view)) places = new Places(view);
    const kind = places.kindOf(pod);
    if (kind === null) return schedule(view, pod, anyStart);
    const { order } = places;
    const names = (nodes: ArrayLike<number>): readonly string[] =>
      Array.from({ length: nodes.length }, (_, i) => order[nodes[i] ?? 0]?.name ?? "");
    if (starts === "first") {
      const { top } = places.searchFrom(kind, 0);
      if (top.length === 0) return nowhere(places, kind) ?? schedule(view, pod, anyStart);
      const picked = names(top);
      return { outcome: "bind", top: picked, feasible: picked, effectsOn: () => [] };
    }
    const passing = places.passing(kind);
    if (passing.length === 0) return nowhere(places, kind) ?? schedule(view, pod, anyStart);
    return {
      outcome: "bind",
      top: names(places.top(kind, passing)),
      get feasible() {
        return names(passing);
      },
      effectsOn: () => [],
    };
  };
}

/** Null: some pod has lower priority, and preemption has to be asked. */
function nowhere(places: Places, kind: Kind): SchedulingResult | null {
  const { census, order, cluster } = places;
  const { priority, preemptionPolicy } = kind.template;
  if (preemptionPolicy !== "Never" && census.lowestPriority < priority) return null;
  const message = places.refusals(kind).said((refusals) => {
    let helpful = 0;
    for (const [{ code }, nodes] of refusals) if (code === "Unschedulable") helpful += nodes;
    const reason =
      preemptionPolicy === "Never" ? "not eligible due to preemptionPolicy=Never." : nobodyHelps(helpful, order.length);
    const said = cluster.version.minor >= 37 ? [] : [deallocateIdleClaims.messages.nothingToDeallocate];
    return fitErrorOf(order.length, refusals, [...said, `preemption: ${reason}`].join(", "));
  });
  return { outcome: "unschedulable", message, preemption: [], effects: [] };
}

/** Nobody has lower priority: on the nodes where that would help there is nobody to take away. */
function nobodyHelps(helpful: number, nodes: number): string {
  const parts = [
    ...(helpful > 0 ? [`${helpful} No preemption victims found for incoming pod`] : []),
    ...(helpful < nodes ? [`${nodes - helpful} Preemption is not helpful for scheduling`] : []),
  ].sort(byCodeUnit);
  return `0/${nodes} nodes are available: ${parts.join(", ")}.`;
}
