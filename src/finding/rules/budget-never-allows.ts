import { byCodeUnit } from "../../base/ordering.ts";
import { budgetStatus } from "../../eviction/budget-status.ts";
import { budgetLine, wantedText } from "../../eviction/budget-text.ts";
import { budgetsOf, podsOf } from "../../eviction/budgets-of.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Budget } from "../../model/policy.ts";
import type { BudgetView } from "../../model/view.ts";
import type { Finding } from "../finding.ts";
import { findingRule, nameOf, type Say } from "../finding-rule.ts";
import { few, replicasText } from "../knob-text.ts";
import { severityOf } from "../outcome.ts";
import { isHelper, type Scene, type Stop, stopsUnder } from "../scene.ts";

const messages = {
  allNeeded: (f: { budget: string; wanted: string; replicas: number; part: string; remedy: string }) => ({
    message: `Budget ${f.budget} wants ${f.wanted} of ${f.replicas === 1 ? "the one pod" : `the ${f.replicas} pods`} of ${f.part}, which is all of them: no eviction is ever allowed, and a drain of ${f.replicas === 1 ? "its node" : "their nodes"} waits until whoever drains gives up, with kubectl for ever.`,
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
  noneToSpare: (f: { budget: string; healthy: number; expected: number; part: string }) => ({
    message: `Budget ${f.budget} needs ${f.healthy} healthy ${f.healthy === 1 ? "pod" : "pods"} and has just that, of ${f.expected}: until another pod of ${f.part} is Ready it lets no Ready one go.`,
    remedy:
      "Find out why the others are not Ready before a drain of the nodes of those that are: it would wait for them.",
  }),
  notOnPath: (f: { budgets: string; nodes: string; several: boolean }) => ({
    message: `Budget${f.several ? "s" : ""} ${f.budgets} cover${f.several ? "" : "s"} nothing of the path, but never allow${f.several ? "" : "s"} an eviction, and ${f.several ? "their" : "its"} pods are on ${f.nodes} beside it: a drain there waits for them.`,
    remedy: "Before a maintenance, ask those they belong to: a second replica, or maxUnavailable 1.",
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

Run two or more and write maxUnavailable 1. Where a drain waits now: scale up by one, wait until the new pod is Ready, and the drain goes on by itself. Deleting the pod asks no budget, and takes down what the budget protects.

Budgets over what supports the path (a webhook, a gateway's controller) count too, and those over other people's pods on the same nodes are named in one note: a drain waits for all of them alike.

It is an error where a likely maintenance stalls on it through a part of the path, else a warning.`,
  messages,
  look: (scene, say) => {
    const judged = scene.view.budgets.map((entry) => ({ entry, parts: partsUnder(scene, entry) }));
    const near = new Set(scene.stops.flatMap(({ pods }) => pods.flatMap(({ node }) => node?.name ?? [])));
    const apart = judged.filter(({ parts }) => parts.length === 0);
    const present = apart.length === 0 ? new Set<BudgetView>() : budgetsOn(scene, near);
    const others = apart.flatMap(({ entry }) => (present.has(entry) ? holdOf(scene, entry, near) : []));
    return [
      ...judged.flatMap(({ entry, parts }) => lookAt(scene, parts, entry, say)),
      ...(others.length === 0 ? [] : [elsewhere(others, say)]),
    ];
  },
});

/** Parts of the path and what supports it; leader-elected ones are told of by a rule of their own (HF012). */
function partsUnder({ stops, helpers }: Scene, entry: BudgetView): readonly Stop[] {
  return [...stopsUnder(stops, entry), ...stopsUnder(helpers, entry)];
}

function lookAt(
  scene: Scene,
  parts: readonly Stop[],
  entry: BudgetView,
  say: Say<typeof messages>,
): readonly Finding[] {
  const counted = parts.filter(({ hop }) => !hop.leaderElected);
  const stop = counted.find(({ shown }) => shown.stalled.length > 0) ?? counted[0];
  if (stop === undefined) return [];
  const { budget } = entry;
  const status = budgetStatus(scene.view, entry);
  const { expectedPods, desiredHealthy, currentHealthy } = status;
  if (expectedPods === 0) return [];
  const facts = { budget: budget.ref.name, wanted: wantedText(budget), replicas: expectedPods, part: nameOf(stop) };
  const about = {
    severity: isHelper(stop) ? ("warning" as const) : severityOf(stop.shown, "warning", "stalled"),
    evidence: [budgetLine(budget, status)],
    source: budget.source,
  };
  // Over one pod maxUnavailable 1 would let that one go.
  if (desiredHealthy >= expectedPods && expectedPods > 1 && isRoundedUp(budget))
    return [say.of(stop, about, "roundsUp", { ...facts, needed: desiredHealthy })];
  if (desiredHealthy >= expectedPods) {
    const raise = replicasText(stop.hop.knobs.replicas, expectedPods + 1);
    // Engines that stand in for each other need no second one each, which would raise how many may not be away.
    const together = `Instead of a budget each, write one with maxUnavailable 1 over all ${stop.units} engines, by a label they share: they stand in for each other.`;
    const remedy =
      expectedPods === 1 && stop.units > stop.ownUnits
        ? together
        : expectedPods === 1
          ? `${raise} Or scale up before each maintenance and back after it.`
          : `Write maxUnavailable 1 in budget ${budget.ref.name}. Or: ${raise}`;
    return [say.of(stop, about, "allNeeded", { ...facts, remedy })];
  }
  // Those without a node are told of by what keeps them without one (HF013), those of a lost node by that (HF038).
  const sick = stop.pods.some((pod) => pod.node?.ready === true && !pod.ready && pod.terminatingSinceMs === null);
  if (currentHealthy === desiredHealthy && desiredHealthy > 0 && sick) {
    const severity = isHelper(stop) ? ("note" as const) : severityOf(stop.shown, "note", "stalled");
    const counts = { budget: budget.ref.name, healthy: currentHealthy, expected: expectedPods, part: nameOf(stop) };
    return [say.of(stop, { ...about, severity }, "noneToSpare", counts)];
  }
  if (currentHealthy >= desiredHealthy || budget.unhealthyPodEviction === "AlwaysAllow") return [];
  return [say.of(stop, about, "unhealthyHold", { ...facts, healthy: currentHealthy, needed: desiredHealthy })];
}

/** All of them are wanted only because a percentage below 100 is rounded. */
function isRoundedUp({ minAvailable }: Budget): boolean {
  return minAvailable?.percent === true && minAvailable.value < 100;
}

interface Hold {
  readonly entry: BudgetView;
  readonly nodes: readonly string[];
  readonly line: string;
}

/** Budgets over pods on these nodes: most budgets of a large cluster are far from a few endpoints. */
function budgetsOn({ view }: Scene, nodes: ReadonlySet<string>): ReadonlySet<BudgetView> {
  const templates = new Set<PodTemplate>();
  for (const name of nodes) view.node(name)?.tellPods(({ template }) => templates.add(template));
  return new Set([...templates].flatMap((template) => budgetsOf(view, { namespace: template.namespace, template })));
}

/** What a budget over other people's pods holds: those nodes of the path (`near`) it lets nobody drain. */
function holdOf({ view }: Scene, entry: BudgetView, near: ReadonlySet<string>): readonly Hold[] {
  const status = budgetStatus(view, entry);
  const { expectedPods, desiredHealthy } = status;
  if (expectedPods === 0 || desiredHealthy < expectedPods) return [];
  const running = podsOf(view, entry).filter(({ phase }) => phase === "Running");
  const nodes = new Set(running.flatMap(({ node }) => node?.name ?? []).filter((name) => near.has(name)));
  return nodes.size === 0
    ? []
    : [{ entry, nodes: [...nodes].sort(byCodeUnit), line: budgetLine(entry.budget, status) }];
}

function elsewhere(holds: readonly Hold[], say: Say<typeof messages>): Finding {
  const names = holds.map(({ entry }) => `${entry.budget.ref.namespace}/${entry.budget.ref.name}`);
  const [only, second] = names;
  const nodes = [...new Set(holds.flatMap((hold) => hold.nodes))].sort(byCodeUnit);
  const about = {
    severity: "note" as const,
    endpoint: "",
    component: only === undefined || second !== undefined ? "" : `PodDisruptionBudget ${only}`,
    evidence: holds.map(({ line }) => line),
    source: holds[0]?.entry.budget.source ?? null,
  };
  return say.about(about, "notOnPath", { budgets: few(names), nodes: few(nodes), several: names.length > 1 });
}
