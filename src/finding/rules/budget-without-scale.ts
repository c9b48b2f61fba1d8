import { wantedText } from "../../eviction/budget-text.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/**
 * maxUnavailable and percentages need the scale of the pods' owner; an owner without one makes the budget's sync fail, and
 * a failed sync allows nothing. Mirrors: the disruption controller's getExpectedScale, 1.36.
 */
export const budgetWithoutScale = findingRule({
  name: "budget-without-scale",
  code: "HF007",
  title: "A budget over pods whose owner has no scale",
  explain: `A budget with maxUnavailable or a percentage has to know how many pods there should be, and asks their controller's scale subresource. Pods owned by a custom resource without one (a RayCluster, say) or by nobody leave the budget's sync failed: DisruptionAllowed is False with reason SyncFailed, and no eviction is ever allowed.

Only an integer minAvailable works there, one below the pods there should be.

It is an error where a likely maintenance stalls on it, else a warning.`,
  messages: {
    noScale: (f: { budget: string; wanted: string; part: string; owner: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) cannot count the pods of ${f.part}: ${f.owner} has no scale, so the budget never allows an eviction.`,
      remedy: `Write an integer minAvailable in budget ${f.budget}, one below the pods there should be.`,
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) =>
      stop.budgets.flatMap(({ budget }) => {
        const counts = budget.maxUnavailable !== null || budget.minAvailable?.percent === true;
        const owner = counts ? scaleless(view, stop.pods) : null;
        if (owner === null) return [];
        const about = { severity: severityOf(stop.shown, "warning", "stalled"), source: budget.source };
        const facts = { budget: budget.ref.name, wanted: wantedText(budget), part: nameOf(stop), owner };
        return [say.of(stop, about, "noScale", facts)];
      }),
    ),
});

function scaleless(view: ClusterView, pods: readonly PodView[]): string | null {
  for (const { owner } of pods) {
    const spec = owner === null ? undefined : view.workload(owner)?.spec;
    if (spec === undefined) continue;
    if (spec.kind === "Other" && spec.scaleReplicas === null) return `${spec.ref.kind} ${spec.ref.name}`;
  }
  return null;
}
