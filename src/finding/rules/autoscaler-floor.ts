import { budgetStatus } from "../../eviction/budget-status.ts";
import { healthyNeeded } from "../../model/healthy-needed.ts";
import type { Autoscaler } from "../../model/policy.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";
import type { Scene, Stop } from "../scene.ts";
import { zeroScaler } from "./scaled-to-zero.ts";

/** An autoscaler may take the path down to one replica, or to as few as a budget keeps, and undoes replicas set elsewhere. */
export const autoscalerFloor = findingRule({
  name: "autoscaler-floor",
  code: "HF019",
  title: "An autoscaler whose floor is too low",
  explain: `A HorizontalPodAutoscaler or KEDA ScaledObject owns the replicas of this part, and its minimum is 1. At a quiet hour, which is when maintenance is done, there is one replica, whatever the count is now. Replicas set on the workload itself (a surge before a drain, say) are undone at its next sync.

Or its minimum is as few as a budget keeps: then there are none to spare, and a drain waits.

Raise the minimum to 2, at the object that makes the autoscaler, and above what a minAvailable keeps; or let the budget say maxUnavailable, which goes along.

It is a warning: Holdfast plays the load as it is, so nothing is called safe that hangs on more than the minimum. It is a note where other engines of the role stand in. Where one replica runs now, HF001 says so and where the minimum is.`,
  messages: {
    floorOfOne: (f: { part: string; autoscaler: string; now: number; remedy: string }) => ({
      message: `${f.autoscaler} may scale ${f.part} (${f.now} now) down to one pod, and undoes replicas set elsewhere.`,
      remedy: f.remedy,
    }),
    floorOfBudget: (f: { part: string; autoscaler: string; now: number; least: number; budget: string }) => ({
      message: `${f.autoscaler} may scale ${f.part} (${f.now} now) down to ${f.least}, and then budget ${f.budget} lets none of its pods go: a drain waits.`,
      remedy: `Let budget ${f.budget} say maxUnavailable 1 instead, or raise the autoscaler's minimum above what it keeps.`,
    }),
  },
  look: (scene, say) =>
    scene.stops.flatMap((stop) => {
      const { workload, hop, units, ownUnits } = stop;
      const scaler = scene.view.autoscalers.find(({ target }) => target === workload?.key);
      if (scaler === undefined || scaler.onlyUp || !hop.needed || ownUnits < 2) return [];
      // What may even go to zero is told of by that.
      if (zeroScaler(scene, stop) !== null) return [];
      const facts = { part: nameOf(stop), autoscaler: refText(scaler.ref), now: ownUnits };
      const place = { quiet: true, source: scaler.source };
      if (scaler.minReplicas < 2) {
        const severity = units > ownUnits ? "note" : "warning";
        return [say.of(stop, { severity, ...place }, "floorOfOne", { ...facts, remedy: remedyOf(scene, scaler) })];
      }
      const budget = budgetThatHolds(scene, stop, scaler);
      if (budget === null) return [];
      const least = scaler.minReplicas;
      return [say.of(stop, { severity: "warning", ...place }, "floorOfBudget", { ...facts, least, budget })];
    }),
});

function remedyOf({ cluster }: Scene, { owner, ref }: Autoscaler): string {
  const maker = owner === null ? undefined : cluster.others.get(owner);
  return maker?.ref.kind === "ScaledObject"
    ? `Set spec.minReplicaCount of ${refText(maker.ref)} to 2: KEDA writes the autoscaler's minimum from it.`
    : `Raise the minimum of ${refText(ref)} to 2, where it is written.`;
}

/** The budget that lets pods go now, and none at the autoscaler's minimum; null: none does so. */
function budgetThatHolds(
  { view }: Scene,
  { budgets, hop, ownUnits }: Stop,
  { minReplicas }: Autoscaler,
): string | null {
  if (minReplicas >= ownUnits) return null;
  const fewer = (ownUnits - minReplicas) * (hop.unit.kind === "group" ? hop.unit.size : 1);
  for (const entry of budgets) {
    const { expectedPods, desiredHealthy } = budgetStatus(view, entry);
    const least = expectedPods - fewer;
    if (desiredHealthy < expectedPods && healthyNeeded(entry.budget, least) >= least) return entry.budget.ref.name;
  }
  return null;
}
