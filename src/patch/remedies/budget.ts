import { hasScale } from "../../eviction/expected-scale.ts";
import { healthyNeeded } from "../../model/healthy-needed.ts";
import type { ObjectRef } from "../../model/key.ts";
import { type LabelSelector, type Labels, matches } from "../../model/labels.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import { unitSize } from "../../systems/endpoint.ts";
import { selectorOf } from "../../systems/facts.ts";
import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { JsonObject } from "../../wire/snapshot.ts";
import { type Act, type Edit, type FieldEdit, noCost, sentences } from "../edit.ts";
import { holdOf, needsOf, setOrCreate } from "../place.ts";
import { type Bench, type Remedy, remedy } from "../remedy.ts";
import { nameOfSite, type Site, selectorOnWire } from "../site.ts";
import { newBudget } from "./new-budget.ts";

/**
 * One budget over the part's pods and no others, that lets one unit go at a time. A budget that is there is put right; one
 * is created only where no other takes a pod of the part. Leader-elected pickers get none: their standby is never Ready.
 */
export const budget: Remedy = remedy({
  name: "budget",
  title: "one budget over exactly these pods",
  propose(site, bench) {
    if (site.workload?.kind === "DaemonSet") return [];
    if (site.hop.leaderElected) return site.budgets.flatMap((view) => withoutStandbyBudget(site, view, bench));
    const { knobs } = site.hop;
    if (knobs.budget.by === "none" || bench.unitsAfter(site) < 2) return [];
    const [first, ...others] = bestFirst(site, bench);
    if (first !== undefined && isNarrowedToAnother(first, site, bench)) return created(site, bench);
    if (first !== undefined) {
      return [...repaired(site, first, bench), ...others.flatMap((view) => keptOff(site, view, bench))];
    }
    const orphan = orphanOf(site, bench);
    if (orphan !== null) return repaired(site, orphan, bench);
    return created(site, bench);
  },
});

/** The numbers a budget of ours has. Owners without a scale only work with an integer minAvailable. */
function numbersFor(site: Site, bench: Bench): JsonObject {
  if (site.workload !== null && hasScale(site.workload)) return { maxUnavailable: 1 };
  return { minAvailable: Math.max(1, guardedOf(site, bench).count - 1) };
}

function created(site: Site, bench: Bench): readonly Edit[] {
  const { knobs, ref, hop } = site.hop;
  const knob = knobs.budget;
  const numbers = numbersFor(site, bench);
  const why = `A drain may take the next pod of ${nameOfSite(site)} while the last one's replacement is still starting: a budget of one makes it wait.`;
  if (knob.by === "field" || knob.by === "text") {
    const fields: readonly FieldEdit[] =
      knob.by === "field" ? numbersAt(knob.target, knob.path, numbers, bench) : [{ path: knob.path, value: numbers }];
    const { attach } = knob;
    const act: Act =
      knob.by === "field"
        ? setOrCreate([...needsOf(knob.target, bench.kept), ...fields], attach)
        : { do: "setText", key: knob.key, fields, attach };
    const hold = holdOf(bench.kept.get(knob.target), knobs.managedBy);
    return [edit(site, knob.target, act, { ...hold, why: sentences(why, knob.note), value: numbers })];
  }
  const { selector } = guardedOf(site, bench);
  if (selector === null) return [];
  const spec = {
    ...numbers,
    selector,
    // A crash-looping proxy or picker should not hold a drain; an engine that loads for minutes should.
    ...(hop === "engine" ? {} : { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
  };
  // No controller's own budget (named after its workload) is named so.
  const name = `${ref.name}-maintenance`;
  const { target, object } = newBudget({ namespace: ref.namespace, name }, spec, bench);
  const later =
    knob.by === "helm"
      ? `Leave ${knob.value} of the chart off: two budgets over one pod refuse every eviction.`
      : /Envoy Gateway/.test(knobs.overwrites)
        ? "Leave envoyPDB of the EnvoyProxy off beside it: two budgets over one pod refuse every eviction."
        : "";
  const group =
    isGroup(site) && labelsOver(site) === null
      ? "It is over the whole set: a budget a group either never allows an eviction or guards nothing."
      : "";
  return [
    edit(
      site,
      target,
      { do: "create", object },
      { holds: "live", manager: "", why: sentences(why, group, later), value: object },
    ),
  ];
}

/** The one number at the owner, and the other one off where it is stated: a budget has one of them. */
function numbersAt(target: ObjectRef, path: string, numbers: JsonObject, { kept }: Bench): readonly FieldEdit[] {
  return ["maxUnavailable", "minAvailable"].flatMap((name) => {
    const field = `${path}.${name}`;
    const value = numbers[name] ?? null;
    return value === null && valueAt(kept.get(target), pathSteps(field)) === undefined ? [] : [{ path: field, value }];
  });
}

/** Labels of all that may only go one at a time, where that is more than the part; null: the part. */
function labelsOver({ hop }: Site): Labels | null {
  const knob = hop.knobs.budget;
  return knob.by === "budget" ? knob.over : null;
}

function isGroup({ hop }: Site): boolean {
  return hop.unit.kind === "group";
}

interface Guarded {
  readonly selector: JsonObject | null;
  readonly pods: readonly PodView[];
  /** After the changes proposed with the budget. */
  readonly count: number;
}

/** What one budget is to be over. */
function guardedOf(site: Site, { view, unitsAfter }: Bench): Guarded {
  const { hop, units, pods, selector } = site;
  const over = labelsOver(site);
  const size = unitSize(hop);
  if (over === null) return { selector, pods, count: unitsAfter(site) * size };
  const all = [...view.podsIn(hop.ref.namespace)].filter((pod) => takes(selectorOf(over), pod));
  const knob = hop.knobs.replicas;
  const each = knob.by === "field" && knob.scales !== null ? view.podsOwnedBy(knob.scales).length : size;
  return {
    selector: selectorOnWire(selectorOf(over)),
    pods: all,
    count: all.length + (unitsAfter(site) - units) * each,
  };
}

/** What has to change in a budget so that it guards this part alone and lets one unit go. */
function repaired(site: Site, view: BudgetView, bench: Bench): readonly Edit[] {
  const { budget: rule } = view;
  const fields: FieldEdit[] = [];
  const reasons: string[] = [];
  const foreign = foreignPods(site, view, bench);
  const guarded = guardedOf(site, bench);
  const taken = guarded.pods.filter((pod) => takes(rule.selector, pod));
  if ((foreign.length > 0 || taken.length < guarded.pods.length || taken.length === 0) && guarded.selector !== null) {
    fields.push({ path: "spec.selector", value: guarded.selector });
    reasons.push(
      taken.length === 0
        ? `Budget ${rule.ref.name} selects no pod.`
        : foreign.length > 0
          ? `Budget ${rule.ref.name} counts pods of other parts too, so that it may be met by those alone.`
          : `Budget ${rule.ref.name} selects only some of the pods.`,
    );
  }
  const allowed = allowedOf(rule, guarded.count);
  const numbers = numbersFor(site, bench);
  if (allowed !== 1 || (numbers["maxUnavailable"] !== undefined && isGroup(site) && rule.maxUnavailable === null)) {
    for (const field of ["minAvailable", "maxUnavailable"] as const) {
      const value = numbers[field] ?? null;
      if (value !== null || rule[field] !== null) fields.push({ path: `spec.${field}`, value });
    }
    if (allowed < 1) reasons.push(`Budget ${rule.ref.name} never allows an eviction.`);
    else reasons.push(`Budget ${rule.ref.name} lets ${allowed} pods go at once.`);
  }
  if (fields.length === 0) return [];
  const why = sentences(
    ...reasons,
    `It should guard exactly the pods of ${nameOfSite(site)} and let one go at a time.`,
  );
  const { knobs } = site.hop;
  if (rule.owner !== null && knobs.budget.by === "field") return created(site, bench);
  const hold = holdOf(bench.kept.get(rule.ref), "");
  return [edit(site, rule.ref, { do: "set", fields: [...served(rule.ref), ...fields] }, { ...hold, why, value: null })];
}

/** No server since 1.25 knows policy/v1beta1. Beside a selector that takes pods the two versions say the same. */
function served({ apiVersion }: ObjectRef): readonly FieldEdit[] {
  return apiVersion === "policy/v1beta1" ? [{ path: "apiVersion", value: "policy/v1" }] : [];
}

/** Another budget over the same pods: gone where it guards nothing else, narrowed where it does. */
function keptOff(site: Site, view: BudgetView, bench: Bench): readonly Edit[] {
  const { ref, selector } = view.budget;
  const hold = holdOf(bench.kept.get(ref), "");
  const why = `Budgets over one pod must not be two: every eviction of such a pod fails. ${ref.name} stays off the pods of ${nameOfSite(site)}.`;
  if (foreignPods(site, view, bench).length === 0)
    return [edit(site, ref, { do: "delete" }, { ...hold, why, value: null })];
  const labels = site.selector?.["matchLabels"];
  const [label] = isJsonObject(labels) ? Object.entries(labels) : [];
  if (label === undefined || selector === null) return [];
  const expressions = valueAt(bench.kept.get(ref), pathSteps("spec.selector.matchExpressions"));
  const narrow = { key: label[0], operator: "NotIn", values: [String(label[1])] };
  const act: Act = {
    do: "set",
    fields: [
      ...served(ref),
      { path: "spec.selector.matchExpressions", value: [...(isJsonList(expressions) ? expressions : []), narrow] },
    ],
  };
  return [edit(site, ref, act, { ...hold, why, value: null })];
}

function withoutStandbyBudget(site: Site, view: BudgetView, bench: Bench): readonly Edit[] {
  const { ref } = view.budget;
  const why = `The standbys of ${nameOfSite(site)} are never Ready, so that ${ref.name} holds the drain of the leader's node. The standby is what protects here, not a budget.`;
  if (foreignPods(site, view, bench).length > 0) return keptOff(site, view, bench);
  return [edit(site, ref, { do: "delete" }, { ...holdOf(bench.kept.get(ref), ""), why, value: null })];
}

/** One budget over several parts that are changed together becomes that of the first of them. */
function isNarrowedToAnother(view: BudgetView, site: Site, bench: Bench): boolean {
  const keeper = bench.changed.find(
    (each) => each.budgets.includes(view) && !each.hop.leaderElected && bench.unitsAfter(each) >= 2,
  );
  if (keeper === undefined || keeper.key === site.key) return false;
  // Parts that may only go one at a time together have it together.
  const own = new Set(guardedOf(site, bench).pods.map(({ key }) => key));
  return !keeper.pods.some(({ key }) => own.has(key));
}

/** Exact ones first, then those with fewest other pods. */
function bestFirst(site: Site, bench: Bench): readonly BudgetView[] {
  return [...site.budgets].sort((a, b) => foreignPods(site, a, bench).length - foreignPods(site, b, bench).length);
}

function foreignPods(site: Site, { budget: rule }: BudgetView, bench: Bench): readonly PodView[] {
  const own = new Set(guardedOf(site, bench).pods.map(({ key }) => key));
  return [...bench.view.podsIn(rule.ref.namespace)].filter((pod) => takes(rule.selector, pod) && !own.has(pod.key));
}

function takes(selector: LabelSelector | null, pod: PodView): boolean {
  return selector !== null && matches(selector, pod.template.labels);
}

/** A budget that selects nothing, and is named after this part or its owner, or names it in its selector: it was meant for it. */
function orphanOf(site: Site, { view }: Bench): BudgetView | null {
  const { ref, owner } = site.hop;
  const names = [ref.name, ...(owner === null ? [] : [owner.name])];
  const budgets = new Set(names.flatMap((name) => [name, `${name}-pdb`, `${name}-budget`]));
  return (
    view.budgets.find(({ budget: rule }) => {
      if (rule.ref.namespace !== ref.namespace || rule.owner !== null) return false;
      if ([...view.podsIn(ref.namespace)].some((pod) => takes(rule.selector, pod))) return false;
      const values = rule.selector?.requirements.flatMap((requirement) => requirement.values) ?? [];
      if (budgets.has(rule.ref.name)) return true;
      return values.some((value) => names.some((name) => value.split(/[^A-Za-z0-9-]/).includes(name)));
    }) ?? null
  );
}

/** Pods that may go while all are healthy. */
function allowedOf(rule: BudgetView["budget"], pods: number): number {
  if (rule.maxUnavailable === null && rule.minAvailable === null) return 0;
  return Math.max(0, pods - healthyNeeded(rule, pods));
}

function edit(site: Site, target: ObjectRef, act: Act, rest: Pick<Edit, "holds" | "manager" | "why" | "value">): Edit {
  return {
    remedy: "budget",
    aspect: "budget",
    site: site.key,
    siteRef: site.hop.ref,
    target,
    act,
    cost: noCost,
    ...rest,
  };
}
