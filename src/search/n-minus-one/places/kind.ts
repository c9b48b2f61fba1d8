import { endToEnd } from "../../../base/end-to-end.ts";
import { none } from "../../../base/none.ts";
import type { Cluster } from "../../../model/cluster.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";
import { type SpreadRule, spreadRules } from "../../../scheduler/spread-rule.ts";
import { isPlainPod } from "../../plain-pod.ts";
import type { Cells } from "./cells.ts";
import type { Counter } from "./counter.ts";
import type { Demand } from "./demand.ts";
import type { Ground, Making } from "./making.ts";
import { countersOf, filtersOf, type SpreadFilter } from "./spread.ts";
import { type SpreadScore, scoresOf } from "./spread-score.ts";
import type { Domains, NodeTable } from "./table.ts";
import { against, companyOf, once, wanted, wantedBy } from "./terms.ts";
import type { Watcher } from "./watcher.ts";

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
  /** Of its template. */
  readonly number: number;
  readonly affinity: readonly Counter[];
  /** Nothing matches its affinity but itself: then it may go anywhere its topology reaches. */
  readonly matchesItself: boolean;
  readonly antiAffinity: readonly Counter[];
  /** Those, and what others say of it: where they count a pod it may not go. */
  readonly apartFrom: readonly Counter[];
  readonly filters: readonly SpreadFilter[];
  readonly scores: readonly SpreadScore[];
  /** Rule by rule. */
  readonly spread: readonly Counter[];
  /** Nodes without one of the keys get no score; only where the rules are the pod's own. */
  readonly scoreNeedsKeys: boolean;
  /** Those that are not weighed node by node. */
  readonly preferences: readonly Counter[];
  /** From which place on those that are weighed are preferences. */
  readonly preferredFrom: number;
  /** Every node that is not special passes, and scores need not know all nodes that were found: the best are found by rank. */
  readonly isRanked: boolean;
}

/** False: filters that look at more than the columns know about decide. */
export function isPlain(cluster: Cluster, template: PodTemplate): boolean {
  if (!isPlainPod(template) || template.hostPorts.length > 0 || template.nodeName !== "") return false;
  if (template.neededFeatures.length > 0 || template.notModelled.length > 0) return false;
  if (template.requests.scalar.size > 0 && cluster.devices.classes.size > 0) return false;
  if (template.topologySpread.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === "Honor")) return false;
  return !(template.requiredNodeAffinity ?? []).some(({ matchFields }) => matchFields.length > 0);
}

export function kindOf(ground: Ground, { template, number, demand, defaults }: Asked): Kind {
  const making: Making = { ground, template, demand, watchers: [] };
  const own = template.topologySpread.length > 0;
  const filters = own ? filtersOf(making, spreadRules(template, "DoNotSchedule")) : none;
  const rules = own ? spreadRules(template, "ScheduleAnyway") : defaults;
  const spread = countersOf(making, rules, own);
  const scores = own ? scoresOf(ground.table, rules) : rules.length === 0 ? none : ground.defaultScores;
  const affinity = companyOf(making);
  const antiAffinity = wanted(making, template.requiredPodAntiAffinity.map(once));
  const { repelledBy, preferredBy } = wantedBy(making);
  const preferred = wanted(making, [
    ...template.preferredPodAffinity,
    ...template.preferredPodAntiAffinity.map(against),
  ]);
  const preferences = endToEnd(preferred, preferredBy);
  const apartFrom = endToEnd(antiAffinity, repelledBy);
  const spreadFine = thoseOf(spread, true);
  const weighed = endToEnd(spreadFine, thoseOf(preferences, true));
  const others = endToEnd(
    endToEnd(filters.length === 0 ? none : filters.map(({ counter }) => counter), affinity.counters),
    apartFrom,
  );
  return {
    template,
    number,
    demand,
    cells: ground.cellsOf(demand.fixed, topologiesOf(filters, scores, spread, preferences, others)),
    fine: endToEnd(weighed, thoseOf(others, true)),
    weighed,
    preferredFrom: spreadFine.length,
    watchers: making.watchers.slice(),
    affinity: affinity.counters,
    matchesItself: affinity.matchesItself,
    antiAffinity,
    apartFrom,
    filters,
    scores,
    spread,
    scoreNeedsKeys: own,
    preferences: thoseOf(preferences, false),
    isRanked:
      filters.length === 0 &&
      affinity.counters.length === 0 &&
      apartFrom.every(isFine) &&
      !(own && scores.some(({ isHostname }) => isHostname)) &&
      scores.every(({ domains, isHostname }) => isHostname || !domains.isFine),
  };
}

interface Asked {
  readonly template: PodTemplate;
  readonly number: number;
  readonly demand: Demand;
  /** Spread rules where it has none of its own. */
  readonly defaults: readonly SpreadRule[];
}

/** Each once. */
function topologiesOf(...lists: readonly (readonly { readonly domains: Domains }[])[]): readonly Domains[] {
  const all: Domains[] = [];
  for (const list of lists) for (const { domains } of list) if (!all.includes(domains)) all.push(domains);
  return all;
}

function thoseOf(counters: readonly Counter[], fine: boolean): readonly Counter[] {
  let some = 0;
  for (const counter of counters) if (isFine(counter) === fine) some += 1;
  if (some === 0) return none;
  return some === counters.length ? counters : counters.filter((counter) => isFine(counter) === fine).slice();
}

function isFine({ domains }: Counter): boolean {
  return domains.isFine;
}

/** The node taken to be cordoned, unless it may go there all the same; -1: there is none. */
export function closedTo({ demand }: Kind, { closed }: NodeTable): number {
  return demand.fixed.toleratesCordon ? -1 : closed;
}
