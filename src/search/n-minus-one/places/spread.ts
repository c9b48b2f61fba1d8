import { none } from "../../../base/none.ts";
import { underKey } from "../../../base/under-key.ts";
import { matches } from "../../../model/labels.ts";
import { matchesRequiredNodeAffinity } from "../../../model/node-selector.ts";
import type { SpreadRule } from "../../../scheduler/spread-rule.ts";
import { Counter } from "./counter.ts";
import type { CountedNodes, Making } from "./making.ts";
import { hostname } from "./spread-score.ts";
import type { Domains } from "./table.ts";

/** DoNotSchedule. */
export interface SpreadFilter {
  readonly maxSkew: number;
  readonly domains: Domains;
  readonly counter: Counter;
  readonly minDomains: number;
  /** How many domains count, those without a pod too. */
  readonly present: number;
  /** The pod itself is one more where it goes. */
  readonly own: 0 | 1;
}

export function filtersOf(making: Making, rules: readonly SpreadRule[]): readonly SpreadFilter[] {
  if (rules.length === 0) return none;
  const { ground, template } = making;
  const filters = rules.map((rule): SpreadFilter => {
    const { topologyKey, maxSkew, minDomains, selector } = rule;
    const domains = ground.table.domains(topologyKey);
    const { nodes, present } = countedNodes(making, rule, rules);
    const counter = new Counter(ground.shelf, domains, { included: nodes });
    const own = matches(selector, template.labels) ? 1 : 0;
    return { maxSkew, minDomains, domains, counter, present, own };
  });
  watchSelected(
    making,
    rules,
    filters.map(({ counter }) => counter),
  );
  return filters;
}

/** The counts of such rules. `needsKeys`: nodes without one of the keys do not count. */
export function countersOf(making: Making, rules: readonly SpreadRule[], needsKeys: boolean): readonly Counter[] {
  if (rules.length === 0) return none;
  const { table, shelf } = making.ground;
  const counters = rules.map((rule): Counter => {
    if (rule.topologyKey === hostname) return new Counter(shelf, table.byNode, { isLocal: true });
    const { nodes } = countedNodes(making, rule, needsKeys ? rules : none);
    return new Counter(shelf, table.domains(rule.topologyKey), { included: nodes });
  });
  watchSelected(making, rules, counters);
  return counters;
}

function watchSelected(making: Making, rules: readonly SpreadRule[], counters: readonly Counter[]): void {
  const [first] = rules;
  // The default rules share their selector.
  if (first !== undefined && rules.every(({ selector }) => selector === first.selector)) watch(making, first, counters);
  else for (const [i, rule] of rules.entries()) watch(making, rule, counters.slice(i, i + 1));
}

function watch(
  { ground: { census }, template, watchers }: Making,
  rule: SpreadRule,
  counters: readonly Counter[],
): void {
  const { selector, selectsAll } = rule;
  if (selectsAll) return;
  for (const there of census.index.mayMatch([template.namespace], selector)) {
    if (!matches(selector, there.labels)) continue;
    watchers.push(census.watch(there, { counters, weight: 1, liveOnly: true }));
  }
}

function countedNodes(
  { ground: { table, counted }, template, demand: { fixed } }: Making,
  { topologyKey, honorsAffinity }: SpreadRule,
  needed: readonly SpreadRule[],
): CountedNodes {
  let name = `${honorsAffinity} ${topologyKey}`;
  for (const rule of needed) name += ` ${rule.topologyKey}`;
  const alike = underKey(counted, fixed, () => new Map<string, CountedNodes>());
  return underKey(alike, name, () => {
    const keys = needed.map((rule) => table.domains(rule.topologyKey).of);
    const { of } = table.domains(topologyKey);
    const nodes = new Uint8Array(table.size);
    const present = new Set<number>();
    for (let at = 0; at < table.size; at += 1) {
      const node = table.nodes[at];
      if (node === undefined) continue;
      if (!keys.every((domains) => (domains[at] ?? -1) >= 0)) continue;
      if (honorsAffinity && !matchesRequiredNodeAffinity(template, node)) continue;
      nodes[at] = 1;
      present.add(of[at] ?? -1);
    }
    return { nodes, present: present.size };
  });
}
