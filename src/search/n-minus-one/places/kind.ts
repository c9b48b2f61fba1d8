import type { Cluster } from "../../../model/cluster.ts";
import { matchesRequiredNodeAffinity, matchesTerm } from "../../../model/node-selector.ts";
import type { PodAffinityTerm, PodTemplate, Taint } from "../../../model/pod-template.ts";
import { repelled, toleratesAny } from "../../../model/taints.ts";
import type { NodeView } from "../../../model/view.ts";
import { existingTerm, incomingTerm, matchesAllTerms, type Term } from "../../../scheduler/affinity-term.ts";
import { type SpreadRule, spreadRules } from "../../../scheduler/spread-rule.ts";
import type { Census } from "./census.ts";
import { Counter } from "./counter.ts";
import type { NodeTable, Room } from "./table.ts";

/** The taint by which a pod says that it tolerates a cordon. */
export const cordon: Taint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };
const hostname = "kubernetes.io/hostname";

/** What a pod's tolerations and selectors say of each node: the same for all pods that state the same. */
export interface Fixed {
  /** 1: neither cordon, taints nor node affinity keep it away. */
  readonly open: Uint8Array;
  /** PreferNoSchedule taints it does not tolerate. */
  readonly taints: Int32Array;
  /** Weights of its preferred node affinity. */
  readonly affinity: Int32Array;
}

/** A spread rule with its counts. */
export interface Spread {
  readonly rule: SpreadRule;
  readonly isHostname: boolean;
  readonly domainOf: Int32Array;
  readonly domains: number;
  readonly counter: Counter;
  /** DoNotSchedule: how many domains count, those without a pod too. */
  readonly present: number;
  /** The pod itself is one more where it goes. */
  readonly own: 0 | 1;
}

/** A kind of pod: everything about one that looks for a place, counted and kept up to date. */
export interface Kind {
  readonly template: PodTemplate;
  readonly fixed: Fixed;
  /** Scores of its images. */
  readonly images: Int32Array;
  readonly asks: readonly { readonly room: Room; readonly amount: number; readonly name: string }[];
  readonly affinity: readonly Counter[];
  /** Nothing matches its affinity but itself: then it may go anywhere its topology reaches. */
  readonly matchesItself: boolean;
  readonly antiAffinity: readonly Counter[];
  readonly repelledBy: readonly Counter[];
  readonly filters: readonly Spread[];
  readonly filterKeys: readonly Int32Array[];
  readonly scores: readonly Spread[];
  /** Nodes without one of the keys get no score; only where the rules are the pod's own. */
  readonly scoreNeedsKeys: boolean;
  readonly preferences: readonly Counter[];
}

export interface Ground {
  readonly cluster: Cluster;
  readonly views: readonly NodeView[];
  readonly table: NodeTable;
  readonly census: Census;
  readonly imagesOf: (template: PodTemplate) => Int32Array;
  readonly counted: Map<string, CountedNodes>;
}

/** False: filters that look at more than the columns know about decide. */
export function isPlain(cluster: Cluster, template: PodTemplate): boolean {
  const { volumes, requests } = template;
  if (template.schedulerName !== "default-scheduler" || template.schedulingGates.length > 0) return false;
  if (template.hostPorts.length > 0 || template.resourceClaims.length > 0 || template.nodeName !== "") return false;
  if (template.neededFeatures.length > 0 || template.notModelled.length > 0) return false;
  if (volumes.some(({ kind }) => kind === "claim" || kind === "ephemeral" || kind === "inline")) return false;
  if (requests.scalar.size > 0 && cluster.devices.classes.size > 0) return false;
  if (template.topologySpread.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === "Honor")) return false;
  return !(template.requiredNodeAffinity ?? []).some(({ matchFields }) => matchFields.length > 0);
}

export function fixedOf({ views, table }: Ground, template: PodTemplate): Fixed {
  const fixed: Fixed = {
    open: new Uint8Array(table.size),
    taints: new Int32Array(table.size),
    affinity: new Int32Array(table.size),
  };
  for (const [at, view] of views.entries()) fixNode(fixed, template, at, view);
  return fixed;
}

/** One node again: its taints or its cordon changed. */
export function fixNode(fixed: Fixed, template: PodTemplate, at: number, view: NodeView): void {
  const { tolerations } = template;
  const cordoned = view.unschedulable && !toleratesAny(tolerations, cordon);
  const open = !cordoned && !repelled(view.taints, tolerations) && matchesRequiredNodeAffinity(template, view.node);
  fixed.open[at] = open ? 1 : 0;
  let untolerated = 0;
  for (const taint of view.taints) {
    if (taint.effect === "PreferNoSchedule" && !toleratesAny(tolerations, taint)) untolerated += 1;
  }
  fixed.taints[at] = untolerated;
  let weight = 0;
  for (const preferred of template.preferredNodeAffinity) {
    if (matchesTerm(preferred.term, view.node)) weight += preferred.weight;
  }
  fixed.affinity[at] = weight;
}

export function kindOf(ground: Ground, template: PodTemplate, fixed: Fixed, defaults: readonly SpreadRule[]): Kind {
  const { cluster, table, census } = ground;
  const terms = template.requiredPodAffinity.map((term) => incomingTerm(cluster, term));
  const affinity = terms.map(({ topologyKey }) => new Counter(table.domains(topologyKey).of));
  if (terms.length > 0) {
    for (const there of candidates(census, template.requiredPodAffinity)) {
      if (!matchesAllTerms(terms, there)) continue;
      for (const counter of affinity) census.watch(there, { counter, weight: 1, liveOnly: false });
    }
  }
  const own = template.topologySpread.length > 0;
  const filterRules = spreadRules(template, "DoNotSchedule");
  const scoreRules = own ? spreadRules(template, "ScheduleAnyway") : defaults;
  return {
    template,
    fixed,
    images: ground.imagesOf(template),
    asks: asksOf(table, template),
    affinity,
    matchesItself: matchesAllTerms(terms, template),
    antiAffinity: wanted(
      ground,
      template.requiredPodAntiAffinity.map((term) => ({ term, weight: 1 })),
    ),
    repelledBy: wantedBy(ground, template, (there) =>
      there.requiredPodAntiAffinity.map((term) => ({ term, weight: 1 })),
    ),
    filters: spreadsOf(ground, template, filterRules, { needsKeys: true, byNode: false }),
    filterKeys: filterRules.map(({ topologyKey }) => table.domains(topologyKey).of),
    scores: spreadsOf(ground, template, scoreRules, { needsKeys: own, byNode: true }),
    scoreNeedsKeys: own,
    preferences: [
      ...wanted(ground, [
        ...template.preferredPodAffinity,
        ...template.preferredPodAntiAffinity.map(({ term, weight }) => ({ term, weight: -weight })),
      ]),
      ...wantedBy(ground, template, (there) => [
        ...there.requiredPodAffinity.map((term) => ({ term, weight: 1 })),
        ...there.preferredPodAffinity,
        ...there.preferredPodAntiAffinity.map(({ term, weight }) => ({ term, weight: -weight })),
      ]),
    ],
  };
}

function asksOf(table: NodeTable, { requests }: PodTemplate): Kind["asks"] {
  const asks = [
    { room: table.milliCpu, amount: requests.milliCpu, name: "cpu" },
    { room: table.memory, amount: requests.memoryBytes, name: "memory" },
    { room: table.ephemeral, amount: requests.ephemeralStorageBytes, name: "ephemeral-storage" },
    ...[...requests.scalar].map(([name, amount]) => ({ room: table.scalar(name), amount, name })),
  ];
  return asks.filter(({ amount }) => amount > 0);
}

interface Weighted {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

/** What the pod's own terms find of those that are there: one counter a term. */
function wanted({ cluster, table, census }: Ground, terms: readonly Weighted[]): readonly Counter[] {
  return terms.map(({ term, weight }) => {
    const made = incomingTerm(cluster, term);
    const counter = new Counter(table.domains(term.topologyKey).of);
    for (const there of candidates(census, [term])) {
      if (made.matches(there)) census.watch(there, { counter, weight, liveOnly: false });
    }
    return counter;
  });
}

/** What those that are there say of the pod: one counter a topology. */
function wantedBy(
  { cluster, table, census }: Ground,
  template: PodTemplate,
  termsOf: (there: PodTemplate) => readonly Weighted[],
): readonly Counter[] {
  const counters = new Map<string, Counter>();
  for (const there of census.affineTo(template.namespace)) {
    for (const { term, weight } of termsOf(there)) {
      const made: Term = existingTerm(cluster, term);
      if (!made.matches(template)) continue;
      let counter = counters.get(term.topologyKey);
      if (counter === undefined) {
        counter = new Counter(table.domains(term.topologyKey).of);
        counters.set(term.topologyKey, counter);
      }
      census.watch(there, { counter, weight, liveOnly: false });
    }
  }
  return [...counters.values()];
}

function candidates(census: Census, terms: readonly PodAffinityTerm[]): Iterable<PodTemplate> {
  if (terms.some(({ namespaceSelector }) => namespaceSelector !== null)) return census.templates;
  return [...new Set(terms.flatMap(({ namespaces }) => namespaces))].flatMap((name) => census.in(name));
}

/** Nodes that count for a rule, and in how many of its domains they are; the same for many kinds. */
export interface CountedNodes {
  readonly nodes: Uint8Array;
  readonly present: number;
}

function countedNodes(
  { table, views, counted }: Ground,
  template: PodTemplate,
  { topologyKey, honorsAffinity }: SpreadRule,
  needed: readonly SpreadRule[],
): CountedNodes {
  const needs = needed.map((rule) => rule.topologyKey);
  const affinity = honorsAffinity ? [[...template.nodeSelector], template.requiredNodeAffinity] : null;
  const name = JSON.stringify([topologyKey, needs, affinity]);
  const known = counted.get(name);
  if (known !== undefined) return known;
  const keys = needs.map((key) => table.domains(key).of);
  const { of } = table.domains(topologyKey);
  const nodes = new Uint8Array(table.size);
  const present = new Set<number>();
  for (const [at, { node }] of views.entries()) {
    if (!keys.every((domains) => (domains[at] ?? -1) >= 0)) continue;
    if (honorsAffinity && !matchesRequiredNodeAffinity(template, node)) continue;
    nodes[at] = 1;
    present.add(of[at] ?? -1);
  }
  const made = { nodes, present: present.size };
  counted.set(name, made);
  return made;
}

function spreadsOf(
  ground: Ground,
  template: PodTemplate,
  rules: readonly SpreadRule[],
  { needsKeys, byNode }: { readonly needsKeys: boolean; readonly byNode: boolean },
): readonly Spread[] {
  const { table, census } = ground;
  return rules.map((rule) => {
    const domains = table.domains(rule.topologyKey);
    const isHostname = rule.topologyKey === hostname;
    const { nodes, present } = countedNodes(ground, template, rule, needsKeys ? rules : []);
    // Scores count a host name node by node, whether it counts otherwise or not.
    const counter = byNode && isHostname ? new Counter(numbered(table.size)) : new Counter(domains.of, nodes);
    if (!rule.selectsAll) {
      for (const there of census.in(template.namespace)) {
        if (rule.matches(there)) census.watch(there, { counter, weight: 1, liveOnly: true });
      }
    }
    return {
      rule,
      isHostname,
      domainOf: domains.of,
      domains: domains.count,
      counter,
      present,
      own: rule.matches(template) ? 1 : 0,
    };
  });
}

const numberedBySize = new Map<number, Int32Array>();

function numbered(size: number): Int32Array {
  let numbers = numberedBySize.get(size);
  if (numbers === undefined) {
    numbers = Int32Array.from({ length: size }, (_, at) => at);
    numberedBySize.set(size, numbers);
  }
  return numbers;
}
