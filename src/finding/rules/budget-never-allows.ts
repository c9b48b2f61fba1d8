import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine, wantedText } from "../../eviction/budget-text.ts";
import type { BudgetView, ClusterView } from "../../model/view.ts";
import type { Finding } from "../finding.ts";
import { findingRule, nameOf, type Say } from "../finding-rule.ts";
import { replicasText } from "../knob-text.ts";
import { severityOf } from "../outcome.ts";
import type { Stop } from "../scene.ts";

const messages = {
  allNeeded: (f: { budget: string; wanted: string; replicas: number; part: string; remedy: string }) => ({
    message: `Budget ${f.budget} wants ${f.wanted} of the ${f.replicas} pod${f.replicas === 1 ? "" : "s"} of ${f.part}, which is all of them: no eviction is ever allowed, and a drain of their nodes waits for ever.`,
    remedy: f.remedy,
  }),
  roundsUp: (f: { budget: string; wanted: string; needed: number; replicas: number; part: string }) => ({
    message: `Budget ${f.budget} wants ${f.wanted} of ${f.replicas} pods of ${f.part}; budgets round up, so that is ${f.needed} and no eviction is ever allowed.`,
    remedy: `Write maxUnavailable 1 instead of the percentage in budget ${f.budget}.`,
  }),
  unhealthyHold: (f: { budget: string; healthy: number; needed: number; part: string }) => ({
    message: `Budget ${f.budget} needs ${f.needed} healthy ${f.needed === 1 ? "pod" : "pods"} and has ${f.healthy}: until more pods of ${f.part} are Ready it refuses every eviction, also that of pods which serve nobody.`,
    remedy: `Find out why the pods are not Ready; unhealthyPodEvictionPolicy AlwaysAllow in budget ${f.budget} lets unready ones go.`,
  }),
};

/**
 * A budget that refuses even when everything is healthy, or refuses now because too little is.
 * Mirrors: the disruption controller's arithmetic; percentages of minAvailable and maxUnavailable round up, 1.36.
 */
export const budgetNeverAllows = findingRule({
  name: "budget-never-allows",
  code: "HF003",
  title: "A budget that can never allow an eviction",
  explain: `The budget's arithmetic leaves nothing to evict: minAvailable as high as the replicas, maxUnavailable 0, or a percentage that rounds up to all of them (80 % of 3 is 3). A drain then waits: kubectl and the Machine Config Operator for ever, others until they give up or stop the machine under the pod.

One replica under minAvailable 1 is the usual form. It keeps the model up, and it holds every maintenance of its node until a person scales to two by hand.

A budget may also refuse for now, because fewer pods are Ready than it wants: with the default unhealthyPodEvictionPolicy even pods that serve nobody cannot be evicted.

It is an error where a likely maintenance stalls on it.`,
  messages,
  look: ({ stops, view }, say) =>
    stops
      .filter(({ hop }) => !hop.leaderElected)
      .flatMap((stop) => stop.budgets.flatMap((budget) => lookAt(view, stop, budget, say))),
});

function lookAt(view: ClusterView, stop: Stop, entry: BudgetView, say: Say<typeof messages>): readonly Finding[] {
  const { budget } = entry;
  const status = budgetStatus(view, entry);
  const { expectedPods, desiredHealthy, currentHealthy } = status;
  if (expectedPods === 0) return [];
  const facts = { budget: budget.ref.name, wanted: wantedText(budget), replicas: expectedPods, part: nameOf(stop) };
  const about = {
    severity: severityOf(stop.shown, "warning", "stalled"),
    evidence: [budgetLine(budget, status)],
    source: budget.source,
  };
  const byPercent = (budget.minAvailable ?? budget.maxUnavailable)?.percent === true;
  if (desiredHealthy >= expectedPods && byPercent && expectedPods > 1)
    return [say.of(stop, about, "roundsUp", { ...facts, needed: desiredHealthy })];
  if (desiredHealthy >= expectedPods) {
    const raise = replicasText(stop.hop.knobs.replicas, expectedPods + 1);
    const remedy =
      expectedPods === 1
        ? `${raise} Or scale up before each maintenance and back after it.`
        : `Write maxUnavailable 1 in budget ${budget.ref.name}. Or: ${raise}`;
    return [say.of(stop, about, "allNeeded", { ...facts, remedy })];
  }
  if (currentHealthy >= desiredHealthy || budget.unhealthyPodEviction === "AlwaysAllow") return [];
  return [say.of(stop, about, "unhealthyHold", { ...facts, healthy: currentHealthy, needed: desiredHealthy })];
}
