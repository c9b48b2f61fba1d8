import { budgetStatus } from "../../eviction/budget-status.ts";
import { countsByScale, wantedText } from "../../eviction/budget-text.ts";
import { podsOf } from "../../eviction/budgets-of.ts";
import { hasScale } from "../../eviction/expected-scale.ts";
import type { BudgetView, ClusterView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { severityOf } from "../outcome.ts";

/**
 * maxUnavailable and percentages need the scale of the pods' owners; an owner without one makes the budget's sync fail, and
 * a failed sync allows nothing. Pods without an owner add nothing, and none expected allows nothing either.
 * Mirrors: the disruption controller's getExpectedScale, 1.36.
 */
export const budgetWithoutScale = findingRule({
  name: "budget-without-scale",
  code: "HF007",
  title: "A budget over pods whose owner has no scale",
  explain: `A budget with maxUnavailable or a percentage has to know how many pods there should be, and asks the scale subresource of each pod's controller. One pod of an owner without one (a custom resource such as a RayCluster, a Job, a DaemonSet) is enough, be it a finished one: the budget's sync fails, DisruptionAllowed is False with reason SyncFailed, and no eviction is ever allowed of any pod it selects. Pods that nobody owns are not counted at all: over them alone the budget expects none and allows none.

Only an integer minAvailable works there, one below the pods there should be; or a selector that leaves those pods out.

It is an error where a likely maintenance stalls on it, else a warning.`,
  messages: {
    noScale: (f: { budget: string; wanted: string; part: string; owner: string; others: boolean }) => ({
      message: `Budget ${f.budget} (${f.wanted}) cannot count ${f.others ? `its pods, those of ${f.part} among them` : `the pods of ${f.part}`}: ${f.owner} has no scale, so the budget never allows an eviction.`,
      remedy: f.others
        ? `Take the pods of ${f.owner} out of the selector of budget ${f.budget}. Or write an integer minAvailable in it, one below the pods there should be.`
        : `Write an integer minAvailable in budget ${f.budget}, one below the pods there should be.`,
    }),
    nobody: (f: { budget: string; wanted: string; part: string }) => ({
      message: `Budget ${f.budget} (${f.wanted}) does not count the pods of ${f.part}, which nobody owns: it expects none, and so it never allows an eviction.`,
      remedy: `Run them under a Deployment; or write an integer minAvailable in budget ${f.budget}, one below the pods there should be.`,
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) =>
      stop.budgets.flatMap((entry) => {
        const { budget } = entry;
        if (!countsByScale(budget) || stop.workload?.kind === "DaemonSet") return [];
        const about = { severity: severityOf(stop.shown, "warning", "stalled"), source: budget.source };
        const facts = { budget: budget.ref.name, wanted: wantedText(budget), part: nameOf(stop) };
        const own = new Set(stop.pods.flatMap((pod) => pod.owner ?? []));
        const found = scaleless(view, entry);
        if (found !== null) {
          const others = !own.has(found.key);
          return [say.of(stop, about, "noScale", { ...facts, owner: found.name, others })];
        }
        const isBare = stop.pods.length > 0 && own.size === 0;
        return isBare && budgetStatus(view, entry).expectedPods === 0 ? [say.of(stop, about, "nobody", facts)] : [];
      }),
    ),
});

/** The first owner of the budget's pods that has no scale. */
function scaleless(view: ClusterView, entry: BudgetView): { readonly key: string; readonly name: string } | null {
  const counted = (entry.budget.status?.expectedPods ?? 0) > 0;
  for (const { owner } of podsOf(view, entry)) {
    const spec = owner === null ? undefined : view.workload(owner)?.spec;
    if (owner === null || spec === undefined || hasScale(spec)) continue;
    // Of an owner that was not read, what the budget counted tells whether it can be asked; a ReplicaSet always can.
    if (spec.kind === "Other" && !spec.present && (counted || spec.ref.apiVersion === "apps/v1")) continue;
    return { key: owner, name: `${spec.ref.kind} ${spec.ref.name}` };
  }
  return null;
}
