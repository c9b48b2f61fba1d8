import { type LabelSelector, matches } from "../../../model/labels.ts";
import { matchesRequiredNodeAffinity } from "../../../model/node-selector.ts";
import type { SpreadRule } from "../../../scheduler/spread-rule.ts";
import { Counter } from "./counter.ts";
import type { CountedNodes, Making } from "./making.ts";
import type { Domains } from "./table.ts";

const hostname = "kubernetes.io/hostname";
const none: readonly Spread[] = [];

/** A spread rule with its counts. */
export interface Spread {
  readonly maxSkew: number;
  readonly minDomains: number;
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

function countedNodes(
  { ground: { table, views, counted }, template, demand: { fixed } }: Making,
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

export function spreadsOf(
  making: Making,
  rules: readonly SpreadRule[],
  { needsKeys, byNode }: { readonly needsKeys: boolean; readonly byNode: boolean },
): readonly Spread[] {
  if (rules.length === 0) return none;
  const { template } = making;
  const { table } = making.ground;
  let weighed = 0;
  const spreads = rules.map((rule): Spread => {
    const domains = table.domains(rule.topologyKey);
    const isHostname = rule.topologyKey === hostname;
    const { nodes, present } = countedNodes(making, rule, needsKeys ? rules : []);
    // Scores count a host name node by node, whether it counts otherwise or not.
    const counter =
      byNode && isHostname ? new Counter(table.byNode, { isLocal: true }) : new Counter(domains, { included: nodes });
    const weighedAt = counter.domains.isFine ? weighed : -1;
    if (weighedAt >= 0) weighed += 1;
    const own = matches(rule.selector, template.labels) ? 1 : 0;
    const { maxSkew, minDomains } = rule;
    return { maxSkew, minDomains, isHostname, domains, weighedAt, counter, present, own };
  });
  // The default rules share their selector.
  for (const selector of new Set(rules.filter(({ selectsAll }) => !selectsAll).map((rule) => rule.selector))) {
    watchSelected(
      making,
      selector,
      spreads.filter((_, i) => rules[i]?.selector === selector),
    );
  }
  return spreads;
}

function watchSelected(
  { ground: { census }, template, watchers }: Making,
  selector: LabelSelector,
  spreads: readonly Spread[],
): void {
  const counters = spreads.map(({ counter }) => counter);
  for (const there of census.index.mayMatch([template.namespace], selector)) {
    if (!matches(selector, there.labels)) continue;
    watchers.push(census.watch(there, { counters, weight: 1, liveOnly: true }));
  }
}
