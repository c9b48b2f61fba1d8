import { byCodeUnit } from "../../base/ordering.ts";
import { covers, podsOf } from "../../eviction/budgets-of.ts";
import { hasScale } from "../../eviction/expected-scale.ts";
import { healthyNeeded } from "../../model/healthy-needed.ts";
import { matches } from "../../model/labels.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import { selectorOf } from "../../systems/facts.ts";
import type { JsonObject } from "../../wire/snapshot.ts";
import { type Act, type Edit, noCost } from "../edit.ts";
import { holdOf } from "../place.ts";
import { type Bench, type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site } from "../site.ts";
import { newBudget } from "./new-budget.ts";

/**
 * One budget over engines of one unit each that stand in for each other, by a label they share and nobody else carries, in place of
 * the budgets they have: a budget over one pod holds every drain of its node, and none lets two go at once.
 */
export const jointBudget: Remedy = remedy({
  name: "joint-budget",
  title: "one budget over all engines that stand in for each other",
  propose(site, bench) {
    const peers = peersOf(site, bench);
    const selector = peers.length < 2 ? null : sharedBy(peers, bench);
    if (selector === null) return [];
    const pods = peers.flatMap((each) => each.pods);
    const budgets = bench.view.budgets.filter((view) => peers.some((peer) => peer.budgets.includes(view)));
    // One that takes somebody else's pods too is narrowed by nobody here.
    if (budgets.some((view) => podsOf(bench.view, view).some((pod) => !pods.includes(pod)))) return [];
    if (budgets.length === 1 && budgets.every((view) => isRight(view, pods))) return [];
    return [...removed(site, budgets, bench), created(site, { peers, selector }, bench)];
  },
});

/** Parts of one unit each that serve one role of one endpoint, where all of the role are; in the order they are changed. */
function peersOf(site: Site, { changed }: Bench): readonly Site[] {
  const { hop, endpoints } = site;
  const [endpoint, ...more] = endpoints;
  if (endpoint === undefined || more.length > 0 || hop.hop !== "engine") return [];
  const role = endpoint.hops.filter((other) => other.hop === "engine" && other.role === hop.role);
  const peers = changed.filter((each) => role.includes(each.hop));
  const areLone = peers.every(
    ({ units, endpoints: own, hop: { unit, ref }, pods }) =>
      units === 1 &&
      own.length === 1 &&
      unit.kind === "pod" &&
      pods.length === 1 &&
      ref.namespace === hop.ref.namespace,
  );
  return areLone && peers.length === role.length ? peers : [];
}

/** The first label that all of them carry and nobody else in the namespace. */
function sharedBy(peers: readonly Site[], { view }: Bench): JsonObject | null {
  const [first, ...others] = peers;
  const own = new Set(peers.flatMap(({ pods }) => pods.map(({ key }) => key)));
  const labels = [...(first?.template?.labels ?? [])].sort(([a], [b]) => byCodeUnit(a, b));
  for (const [key, value] of labels) {
    if (!others.every(({ template }) => template?.labels.get(key) === value)) continue;
    const selector = selectorOf(new Map([[key, value]]));
    const taken = view
      .podsIn(first?.hop.ref.namespace ?? "")
      .filter(({ template }) => matches(selector, template.labels));
    if (taken.every((pod) => own.has(pod.key))) return { matchLabels: { [key]: value } };
  }
  return null;
}

/** It takes all of them, and lets one go at a time. */
function isRight(view: BudgetView, pods: readonly PodView[]): boolean {
  return pods.every((pod) => covers(view, pod)) && healthyNeeded(view.budget, pods.length) === pods.length - 1;
}

function removed(site: Site, budgets: readonly BudgetView[], { kept }: Bench): readonly Edit[] {
  return budgets.map(({ budget: { ref } }) => ({
    ...editOf(site, { do: "delete" }),
    ...holdOf(kept.get(ref), ""),
    target: ref,
    why: `${ref.name} gives way to the one budget over all engines of the role: over one pod it holds every drain, and two over one pod refuse every eviction.`,
  }));
}

function created(
  site: Site,
  { peers, selector }: { readonly peers: readonly Site[]; readonly selector: JsonObject },
  bench: Bench,
): Edit {
  const { namespace } = site.hop.ref;
  const name = `${site.endpoints[0]?.name ?? site.hop.ref.name}-engines`;
  const scales = peers.every(({ workload }) => workload !== null && hasScale(workload));
  const numbers = scales ? { maxUnavailable: 1 } : { minAvailable: peers.length - 1 };
  const { target, object } = newBudget({ namespace, name }, { ...numbers, selector }, bench);
  return {
    ...editOf(site, { do: "create", object }),
    target,
    value: object,
    why: `${peers.map(nameOfSite).join(" and ")} stand in for each other: one budget over all of them lets one go at a time.`,
  };
}

function editOf(site: Site, act: Act): Omit<Edit, "target" | "why"> {
  return {
    remedy: "joint-budget",
    aspect: "budget",
    site: site.key,
    siteRef: site.hop.ref,
    act,
    value: null,
    holds: "live",
    manager: "",
    cost: noCost,
  };
}
