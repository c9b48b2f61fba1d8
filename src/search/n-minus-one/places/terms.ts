import { none } from "../../../base/none.ts";
import { underKey } from "../../../base/under-key.ts";
import type { PodAffinityTerm, PodTemplate } from "../../../model/pod-template.ts";
import { existingTerm, incomingTerm, matchesAllTerms } from "../../../scheduler/affinity-term.ts";
import type { Census } from "./census.ts";
import { Counter } from "./counter.ts";
import type { Making } from "./making.ts";

export interface Weighted {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

export function once(term: PodAffinityTerm): Weighted {
  return { term, weight: 1 };
}

export function against({ term, weight }: Weighted): Weighted {
  return { term, weight: -weight };
}

/** Its required affinity: pods that match all terms count for each. */
export function companyOf(making: Making): Company {
  const { ground, template, watchers } = making;
  const { cluster, table, census, shelf } = ground;
  const [first] = template.requiredPodAffinity;
  if (first === undefined) return alone;
  const terms = template.requiredPodAffinity.map((term) => incomingTerm(cluster, term));
  const counters = terms.map(({ topologyKey }) => new Counter(shelf, table.domains(topologyKey)));
  for (const there of candidates(census, first)) {
    if (!matchesAllTerms(terms, there)) continue;
    watchers.push(census.watch(there, { counters, weight: 1, liveOnly: false }));
  }
  return { counters, matchesItself: matchesAllTerms(terms, template) };
}

/** What the pod's own terms find of those that are there: one counter a term. */
export function wanted({ ground, watchers }: Making, terms: readonly Weighted[]): readonly Counter[] {
  if (terms.length === 0) return none;
  const { cluster, table, census, shelf } = ground;
  return terms.map(({ term, weight }) => {
    const made = incomingTerm(cluster, term);
    const counter = new Counter(shelf, table.domains(term.topologyKey), { isLocal: true });
    for (const there of candidates(census, term)) {
      if (made.matches(there)) watchers.push(census.watch(there, { counters: [counter], weight, liveOnly: false }));
    }
    return counter;
  });
}

/** What those that are there say of the pod: one counter a topology. */
export function wantedBy({ ground, template, watchers }: Making): WantedBy {
  const { cluster, table, census, shelf } = ground;
  const said = census.stated.about(template);
  if (said.length === 0) return unwanted;
  const repelledBy = new Map<string, Counter>();
  const preferredBy = new Map<string, Counter>();
  for (const { by, term, repels, weight } of said) {
    if (!existingTerm(cluster, term).matches(template)) continue;
    const counters = repels ? repelledBy : preferredBy;
    const { topologyKey } = term;
    const counter = underKey(
      counters,
      topologyKey,
      () => new Counter(shelf, table.domains(topologyKey), { isLocal: true }),
    );
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

interface Company {
  readonly counters: readonly Counter[];
  /** Nothing matches its affinity but itself. */
  readonly matchesItself: boolean;
}

interface WantedBy {
  readonly repelledBy: readonly Counter[];
  readonly preferredBy: readonly Counter[];
}

const alone: Company = { counters: none, matchesItself: false };
const unwanted: WantedBy = { repelledBy: none, preferredBy: none };
