import type { Cluster } from "../../../model/cluster.ts";
import { matchesRequiredNodeAffinity } from "../../../model/node-selector.ts";
import type { PodAffinityTerm, PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";
import { existingTerm, incomingTerm, matchesAllTerms } from "../../../scheduler/affinity-term.ts";
import { type SpreadRule, spreadRules } from "../../../scheduler/spread-rule.ts";
import type { Cells } from "./cells.ts";
import type { Census } from "./census.ts";
import { Counter } from "./counter.ts";
import type { Demand } from "./demand.ts";
import type { Fixed } from "./fixed.ts";
import type { Domains, NodeTable } from "./table.ts";

const hostname = "kubernetes.io/hostname";

/** A spread rule with its counts. */
export interface Spread {
  readonly rule: SpreadRule;
  readonly isHostname: boolean;
  readonly domains: Domains;
  readonly counter: Counter;
  /** DoNotSchedule: how many domains count, those without a pod too. */
  readonly present: number;
  /** The pod itself is one more where it goes. */
  readonly own: 0 | 1;
}

/** A kind of pod: everything about one that looks for a place, counted and kept up to date. */
export interface Kind {
  readonly template: PodTemplate;
  readonly demand: Demand;
  /** Nodes of one cell are alike to it, but where a fine counter has pods. */
  readonly cells: Cells;
  readonly fine: readonly Counter[];
  readonly affinity: readonly Counter[];
  /** Nothing matches its affinity but itself: then it may go anywhere its topology reaches. */
  readonly matchesItself: boolean;
  readonly antiAffinity: readonly Counter[];
  readonly repelledBy: readonly Counter[];
  readonly filters: readonly Spread[];
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
  readonly cellsOf: (fixed: Fixed, topologies: readonly Domains[]) => Cells;
  readonly counted: Map<Fixed, Map<string, CountedNodes>>;
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

export function kindOf(ground: Ground, template: PodTemplate, demand: Demand, defaults: readonly SpreadRule[]): Kind {
  const own = template.topologySpread.length > 0;
  const scoreRules = own ? spreadRules(template, "ScheduleAnyway") : defaults;
  const filterRules = spreadRules(template, "DoNotSchedule");
  const filters = spreadsOf(ground, { template, demand }, filterRules, { needsKeys: true, byNode: false });
  const scores = spreadsOf(ground, { template, demand }, scoreRules, { needsKeys: own, byNode: true });
  const affinity = companyOf(ground, template);
  const antiAffinity = wanted(ground, template.requiredPodAntiAffinity.map(once));
  const { repelledBy, preferredBy } = wantedBy(ground, template);
  const preferences = [
    ...wanted(ground, [...template.preferredPodAffinity, ...template.preferredPodAntiAffinity.map(against)]),
    ...preferredBy,
  ];
  const spreads = [...filters, ...scores];
  const counters = [
    ...spreads.map(({ counter }) => counter),
    ...affinity.counters,
    ...antiAffinity,
    ...repelledBy,
    ...preferences,
  ];
  const topologies = new Set([...counters, ...spreads].map(({ domains }) => domains));
  return {
    template,
    demand,
    cells: ground.cellsOf(demand.fixed, [...topologies]),
    fine: counters.filter(({ domains }) => domains.isFine),
    affinity: affinity.counters,
    matchesItself: affinity.matchesItself,
    antiAffinity,
    repelledBy,
    filters,
    scores,
    scoreNeedsKeys: own,
    preferences,
  };
}

interface Weighted {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

function once(term: PodAffinityTerm): Weighted {
  return { term, weight: 1 };
}

function against({ term, weight }: Weighted): Weighted {
  return { term, weight: -weight };
}

/** Its required affinity: pods that match all terms count for each. */
function companyOf(
  { cluster, table, census }: Ground,
  template: PodTemplate,
): { readonly counters: readonly Counter[]; readonly matchesItself: boolean } {
  const [first] = template.requiredPodAffinity;
  if (first === undefined) return { counters: [], matchesItself: false };
  const terms = template.requiredPodAffinity.map((term) => incomingTerm(cluster, term));
  const counters = terms.map(({ topologyKey }) => new Counter(table.domains(topologyKey)));
  for (const there of candidates(census, first)) {
    if (!matchesAllTerms(terms, there)) continue;
    for (const counter of counters) census.watch(there, { counter, weight: 1, liveOnly: false });
  }
  return { counters, matchesItself: matchesAllTerms(terms, template) };
}

/** What the pod's own terms find of those that are there: one counter a term. */
function wanted({ cluster, table, census }: Ground, terms: readonly Weighted[]): readonly Counter[] {
  return terms.map(({ term, weight }) => {
    const made = incomingTerm(cluster, term);
    const counter = new Counter(table.domains(term.topologyKey));
    for (const there of candidates(census, term)) {
      if (made.matches(there)) census.watch(there, { counter, weight, liveOnly: false });
    }
    return counter;
  });
}

/** What those that are there say of the pod: one counter a topology. */
function wantedBy(
  { cluster, table, census }: Ground,
  template: PodTemplate,
): { readonly repelledBy: readonly Counter[]; readonly preferredBy: readonly Counter[] } {
  const repelledBy = new Map<string, Counter>();
  const preferredBy = new Map<string, Counter>();
  for (const there of census.affineTo(template.namespace)) {
    const note = (counters: Map<string, Counter>, { term, weight }: Weighted): void => {
      if (!existingTerm(cluster, term).matches(template)) return;
      const counter = counters.get(term.topologyKey) ?? new Counter(table.domains(term.topologyKey));
      counters.set(term.topologyKey, counter);
      census.watch(there, { counter, weight, liveOnly: false });
    };
    for (const term of there.requiredPodAntiAffinity) note(repelledBy, once(term));
    for (const term of there.requiredPodAffinity) note(preferredBy, once(term));
    for (const preferred of there.preferredPodAffinity) note(preferredBy, preferred);
    for (const preferred of there.preferredPodAntiAffinity) note(preferredBy, against(preferred));
  }
  return { repelledBy: [...repelledBy.values()], preferredBy: [...preferredBy.values()] };
}

function candidates(
  census: Census,
  { selector, namespaces, namespaceSelector }: PodAffinityTerm,
): Iterable<PodTemplate> {
  return selector === null ? [] : census.mayMatch(namespaceSelector === null ? namespaces : "all", selector);
}

/** Nodes that count for a rule, and in how many of its domains they are; the same for many kinds. */
export interface CountedNodes {
  readonly nodes: Uint8Array;
  readonly present: number;
}

interface Seeking {
  readonly template: PodTemplate;
  readonly demand: Demand;
}

function countedNodes(
  { table, views, counted }: Ground,
  { template, demand: { fixed } }: Seeking,
  { topologyKey, honorsAffinity }: SpreadRule,
  needed: readonly SpreadRule[],
): CountedNodes {
  const name = [topologyKey, honorsAffinity, ...needed.map((rule) => rule.topologyKey)].join(" ");
  const alike = counted.get(fixed) ?? new Map<string, CountedNodes>();
  counted.set(fixed, alike);
  const known = alike.get(name);
  if (known !== undefined) return known;
  const keys = needed.map((rule) => table.domains(rule.topologyKey).of);
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
  alike.set(name, made);
  return made;
}

function spreadsOf(
  ground: Ground,
  seeking: Seeking,
  rules: readonly SpreadRule[],
  { needsKeys, byNode }: { readonly needsKeys: boolean; readonly byNode: boolean },
): readonly Spread[] {
  const { table, census } = ground;
  const { template } = seeking;
  return rules.map((rule) => {
    const domains = table.domains(rule.topologyKey);
    const isHostname = rule.topologyKey === hostname;
    const { nodes, present } = countedNodes(ground, seeking, rule, needsKeys ? rules : []);
    // Scores count a host name node by node, whether it counts otherwise or not.
    const counter = byNode && isHostname ? new Counter(table.byNode) : new Counter(domains, nodes);
    if (!rule.selectsAll) {
      for (const there of census.mayMatch([template.namespace], rule.selector)) {
        if (rule.matches(there)) census.watch(there, { counter, weight: 1, liveOnly: true });
      }
    }
    return { rule, isHostname, domains, counter, present, own: rule.matches(template) ? 1 : 0 };
  });
}
