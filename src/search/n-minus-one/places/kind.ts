import type { Cluster } from "../../../model/cluster.ts";
import { type LabelSelector, matches } from "../../../model/labels.ts";
import { matchesRequiredNodeAffinity } from "../../../model/node-selector.ts";
import type { PodAffinityTerm, PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";
import { existingTerm, incomingTerm, matchesAllTerms } from "../../../scheduler/affinity-term.ts";
import { type SpreadRule, spreadRules } from "../../../scheduler/spread-rule.ts";
import { isPlainPod } from "../../plain-pod.ts";
import type { Cells } from "./cells.ts";
import type { Census } from "./census.ts";
import { Counter } from "./counter.ts";
import type { Demand } from "./demand.ts";
import type { Fixed } from "./fixed.ts";
import type { Domains, NodeTable } from "./table.ts";
import type { Counted, Watcher } from "./watcher.ts";

const hostname = "kubernetes.io/hostname";

/** A spread rule with its counts. */
export interface Spread {
  readonly rule: SpreadRule;
  readonly isHostname: boolean;
  readonly domains: Domains;
  /** Its counter's place among those that are weighed node by node; -1: it counts by coarse domains. */
  readonly weighedAt: number;
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
  /** Of those, the ones that scores look at: spread first, then preferences. */
  readonly weighed: readonly Counter[];
  /** Who keep its counters up to date, once they are asked to. */
  readonly watchers: readonly Watcher[];
  /** The pods of its own template. */
  readonly counted: Counted;
  readonly affinity: readonly Counter[];
  /** Nothing matches its affinity but itself: then it may go anywhere its topology reaches. */
  readonly matchesItself: boolean;
  readonly antiAffinity: readonly Counter[];
  /** Those, and what others say of it: where they count a pod it may not go. */
  readonly apartFrom: readonly Counter[];
  readonly filters: readonly Spread[];
  readonly scores: readonly Spread[];
  /** Nodes without one of the keys get no score; only where the rules are the pod's own. */
  readonly scoreNeedsKeys: boolean;
  /** Those that are not weighed node by node. */
  readonly preferences: readonly Counter[];
  /** From which place on those that are weighed are preferences. */
  readonly preferredFrom: number;
  /** Every node that is not special passes, and scores need not know all nodes that were found: the best are found by rank. */
  readonly isRanked: boolean;
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
  if (!isPlainPod(template) || template.hostPorts.length > 0 || template.nodeName !== "") return false;
  if (template.neededFeatures.length > 0 || template.notModelled.length > 0) return false;
  if (template.requests.scalar.size > 0 && cluster.devices.classes.size > 0) return false;
  if (template.topologySpread.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === "Honor")) return false;
  return !(template.requiredNodeAffinity ?? []).some(({ matchFields }) => matchFields.length > 0);
}

/** A kind while it is made. */
interface Making extends Ground {
  readonly template: PodTemplate;
  readonly demand: Demand;
  readonly watchers: Watcher[];
}

export function kindOf(ground: Ground, template: PodTemplate, demand: Demand, defaults: readonly SpreadRule[]): Kind {
  const making: Making = { ...ground, template, demand, watchers: [] };
  const own = template.topologySpread.length > 0;
  const scoreRules = own ? spreadRules(template, "ScheduleAnyway") : defaults;
  const filterRules = spreadRules(template, "DoNotSchedule");
  const filters = spreadsOf(making, filterRules, { needsKeys: true, byNode: false });
  const scores = spreadsOf(making, scoreRules, { needsKeys: own, byNode: true });
  const affinity = companyOf(making);
  const antiAffinity = wanted(making, template.requiredPodAntiAffinity.map(once));
  const { repelledBy, preferredBy } = wantedBy(making);
  const preferred = [...template.preferredPodAffinity, ...template.preferredPodAntiAffinity.map(against)];
  const preferences = [...wanted(making, preferred), ...preferredBy];
  const apartFrom = [...antiAffinity, ...repelledBy];
  const countersOf = (spreads: readonly Spread[]): readonly Counter[] => spreads.map(({ counter }) => counter);
  const spread = countersOf(scores).filter(isFine);
  const weighed = [...spread, ...preferences.filter(isFine)];
  const others = [...countersOf(filters), ...affinity.counters, ...apartFrom];
  const topologies = new Set<Domains>();
  for (const { domains, counter } of [...filters, ...scores]) topologies.add(domains).add(counter.domains);
  for (const { domains } of [...preferences, ...others]) topologies.add(domains);
  return {
    template,
    demand,
    cells: ground.cellsOf(demand.fixed, [...topologies]),
    fine: [...weighed, ...others.filter(isFine)],
    weighed,
    preferredFrom: spread.length,
    watchers: making.watchers,
    counted: ground.census.countedOf(template),
    affinity: affinity.counters,
    matchesItself: affinity.matchesItself,
    antiAffinity,
    apartFrom,
    filters,
    scores,
    scoreNeedsKeys: own,
    preferences: preferences.filter((counter) => !isFine(counter)),
    isRanked:
      filters.length === 0 &&
      affinity.counters.length === 0 &&
      apartFrom.every(isFine) &&
      !(own && scores.some(({ isHostname }) => isHostname)) &&
      scores.every(({ domains, isHostname }) => isHostname || !domains.isFine),
  };
}

function isFine({ domains }: Counter): boolean {
  return domains.isFine;
}

/** The node taken to be cordoned, unless it may go there all the same; -1: there is none. */
export function closedTo({ demand }: Kind, { closed }: NodeTable): number {
  return demand.fixed.toleratesCordon ? -1 : closed;
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
function companyOf(making: Making): { readonly counters: readonly Counter[]; readonly matchesItself: boolean } {
  const { cluster, table, census, template, watchers } = making;
  const [first] = template.requiredPodAffinity;
  if (first === undefined) return { counters: [], matchesItself: false };
  const terms = template.requiredPodAffinity.map((term) => incomingTerm(cluster, term));
  const counters = terms.map(({ topologyKey }) => new Counter(table.domains(topologyKey)));
  for (const there of candidates(census, first)) {
    if (!matchesAllTerms(terms, there)) continue;
    watchers.push(census.watch(there, { counters, weight: 1, liveOnly: false }));
  }
  return { counters, matchesItself: matchesAllTerms(terms, template) };
}

/** What the pod's own terms find of those that are there: one counter a term. */
function wanted({ cluster, table, census, watchers }: Making, terms: readonly Weighted[]): readonly Counter[] {
  return terms.map(({ term, weight }) => {
    const made = incomingTerm(cluster, term);
    const counter = new Counter(table.domains(term.topologyKey), { isLocal: true });
    for (const there of candidates(census, term)) {
      if (made.matches(there)) watchers.push(census.watch(there, { counters: [counter], weight, liveOnly: false }));
    }
    return counter;
  });
}

/** What those that are there say of the pod: one counter a topology. */
function wantedBy({ cluster, table, census, template, watchers }: Making): {
  readonly repelledBy: readonly Counter[];
  readonly preferredBy: readonly Counter[];
} {
  const repelledBy = new Map<string, Counter>();
  const preferredBy = new Map<string, Counter>();
  for (const { by, term, repels, weight } of census.stated.about(template)) {
    if (!existingTerm(cluster, term).matches(template)) continue;
    const counters = repels ? repelledBy : preferredBy;
    const counter = counters.get(term.topologyKey) ?? new Counter(table.domains(term.topologyKey), { isLocal: true });
    counters.set(term.topologyKey, counter);
    watchers.push(census.watch(by, { counters: [counter], weight, liveOnly: false }));
  }
  return { repelledBy: [...repelledBy.values()], preferredBy: [...preferredBy.values()] };
}

function candidates(
  census: Census,
  { selector, namespaces, namespaceSelector }: PodAffinityTerm,
): readonly PodTemplate[] {
  return selector === null ? [] : census.index.mayMatch(namespaceSelector === null ? namespaces : "all", selector);
}

/** Nodes that count for a rule, and in how many of its domains they are; the same for many kinds. */
export interface CountedNodes {
  readonly nodes: Uint8Array;
  readonly present: number;
}

function countedNodes(
  { table, views, counted, template, demand: { fixed } }: Making,
  { topologyKey, honorsAffinity }: SpreadRule,
  needed: readonly SpreadRule[],
): CountedNodes {
  let name = `${honorsAffinity} ${topologyKey}`;
  for (const rule of needed) name += ` ${rule.topologyKey}`;
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
  making: Making,
  rules: readonly SpreadRule[],
  { needsKeys, byNode }: { readonly needsKeys: boolean; readonly byNode: boolean },
): readonly Spread[] {
  if (rules.length === 0) return [];
  const { table, template } = making;
  let weighed = 0;
  const spreads = rules.map((rule): Spread => {
    const domains = table.domains(rule.topologyKey);
    const isHostname = rule.topologyKey === hostname;
    const { nodes, present } = countedNodes(making, rule, needsKeys ? rules : []);
    // Scores count a host name node by node, whether it counts otherwise or not.
    const counter =
      byNode && isHostname ? new Counter(table.byNode, { isLocal: true }) : new Counter(domains, { included: nodes });
    const weighedAt = isFine(counter) ? weighed : -1;
    if (weighedAt >= 0) weighed += 1;
    const own = matches(rule.selector, template.labels) ? 1 : 0;
    return { rule, isHostname, domains, weighedAt, counter, present, own };
  });
  // The default rules share their selector.
  const selectors = new Set(rules.map(({ selector }) => selector));
  for (const selector of selectors) {
    const alike = spreads.filter(({ rule }) => rule.selector === selector && !rule.selectsAll);
    if (alike.length > 0) watchSelected(making, selector, alike);
  }
  return spreads;
}

function watchSelected(
  { census, template, watchers }: Making,
  selector: LabelSelector,
  spreads: readonly Spread[],
): void {
  const counters = spreads.map(({ counter }) => counter);
  for (const there of census.index.mayMatch([template.namespace], selector)) {
    if (!matches(selector, there.labels)) continue;
    watchers.push(census.watch(there, { counters, weight: 1, liveOnly: true }));
  }
}
