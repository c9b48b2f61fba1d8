import { listed } from "../base/listed.ts";
import { byKey } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { Actor } from "../maintenance/actor.ts";
import { poolsOf } from "../maintenance/pool.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { desiredUnits } from "../route/capacity.ts";
import { podsOf } from "../sim/monitor.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import type { Finding, Severity } from "./finding.ts";
import { poolsAmong, usableNodes } from "./nodes.ts";
import { nothingShown, type ScenarioOutcome, type Shown, severityOf, shownLines, shownOf } from "./outcome.ts";

/** What findings are made from. */
export interface FindingInput {
  readonly cluster: Cluster;
  /** The cluster before anything is played. */
  readonly view: ClusterView;
  readonly endpoints: readonly Endpoint[];
  readonly supporting: readonly Hop[];
  readonly outcomes: readonly ScenarioOutcome[];
  /** Who maintains the nodes of each pool, by the pool's name. */
  readonly maintainers: ReadonlyMap<string, Actor>;
}

/** A part of some endpoints' paths, once however many paths it is on. */
export interface Stop {
  readonly hop: Hop;
  readonly endpoints: readonly Endpoint[];
  readonly workload: Workload | null;
  /** What its next pod is made from; null: not known. */
  readonly template: PodTemplate | null;
  /** Its pods now, finished ones left out. In order of creation. */
  readonly pods: readonly PodView[];
  /** Budgets over any of its pods, in list order. */
  readonly budgets: readonly BudgetView[];
  /** Serving units wanted; engines: all of the role in the endpoint that has fewest. */
  readonly units: number;
  /** Of those, the workload's own. */
  readonly ownUnits: number;
  readonly shown: Shown;
}

export interface Scene extends FindingInput {
  /** On some path, inside the cluster; in order of namespace, name, hop. */
  readonly stops: readonly Stop[];
  /** On nobody's path. */
  readonly helpers: readonly Stop[];
  /** What other rules found, for the one that looks last; empty for all others. */
  readonly told: readonly Finding[];
}

export function sceneOf(input: FindingInput): Scene {
  const places = input.endpoints.flatMap((endpoint) =>
    endpoint.hops.filter((hop) => hop.onPath && hop.outside === "").map((hop) => ({ endpoint, hop })),
  );
  const stops = [...Map.groupBy(places, ({ hop }) => keyOf(hop)).values()];
  return {
    ...input,
    stops: stops.flatMap((group) => stopOf(input, group)).sort(byKey(({ hop }) => keyOf(hop))),
    helpers: input.supporting.flatMap((hop) => helperOf(input, hop)),
    told: [],
  };
}

/** Who maintains nodes a part may be on, each actor once, in order of the pools' names. */
export function maintainersOf({ view, cluster, maintainers }: Scene, { template }: Stop): readonly Actor[] {
  if (template === null) return [];
  const pools = poolsAmong(usableNodes(view, template), poolsOf(cluster.nodes));
  return [...new Set([...pools].flatMap((name) => maintainers.get(name) ?? []))];
}

/** Those of these parts that have pods under the budget, in their order: asked for every budget. */
export function stopsUnder(stops: readonly Stop[], budget: BudgetView): readonly Stop[] {
  const known = underKey(byBudget, stops, () => {
    const found = new Map<BudgetView, Stop[]>();
    for (const stop of stops) for (const entry of stop.budgets) listed(found, entry, stop);
    return found;
  });
  return known.get(budget) ?? [];
}

const byBudget = new WeakMap<readonly Stop[], ReadonlyMap<BudgetView, readonly Stop[]>>();

/** It supports the path and stands on nobody's. */
export function isHelper({ endpoints }: Stop): boolean {
  return endpoints.length === 0;
}

/** Of parts that one cause holds: an error where a likely maintenance stalls on one of the path, as which all are shown. */
export function heldTogether(stops: readonly Stop[]): {
  readonly severity: Severity;
  readonly lines: readonly string[];
} {
  const worst = stops.find((stop) => !isHelper(stop) && stop.shown.stalled.length > 0) ?? stops[0];
  if (worst === undefined) return { severity: "warning", lines: [] };
  const { shown } = worst;
  return {
    severity: isHelper(worst) ? "warning" : severityOf(shown, "warning", "stalled"),
    lines: shownLines(shown),
  };
}

/** The key of the workload a hop's pods come from. */
function workloadKey(hop: Hop): ObjectKey {
  return objectKey(hop.ref);
}

function keyOf({ ref, hop, component }: Hop): string {
  return [ref.namespace, ref.name, ref.kind, hop, component].join("\0");
}

function stopOf(input: FindingInput, group: readonly { readonly endpoint: Endpoint; readonly hop: Hop }[]): Stop[] {
  const [first] = group;
  if (first === undefined) return [];
  const units = group.map(({ endpoint, hop }) => unitsOf(input.view, endpoint, hop));
  const part = partOf(input.view, first.hop);
  const nodes = part.template === null ? [] : usableNodes(input.view, part.template);
  return [
    {
      ...part,
      endpoints: group.map(({ endpoint }) => endpoint),
      units: Math.min(...units),
      ownUnits: desiredUnits(input.view, first.hop),
      shown: shownOf(input.outcomes, group, nodes),
    },
  ];
}

function helperOf(input: FindingInput, hop: Hop): Stop[] {
  const units = desiredUnits(input.view, hop);
  const stalled = input.outcomes.filter((one) => one.partOfVerdict && one.hops.get(hop)?.stalled === true);
  const shown = { ...nothingShown, stalled: stalled.map(({ name }) => name) };
  return [{ ...partOf(input.view, hop), endpoints: [], units, ownUnits: units, shown }];
}

function partOf(view: ClusterView, hop: Hop): Omit<Stop, "endpoints" | "units" | "ownUnits" | "shown"> {
  const pods = podsOf(view, hop.pods).filter(({ phase }) => phase !== "Succeeded" && phase !== "Failed");
  const workload = view.workload(workloadKey(hop))?.spec ?? null;
  const budgets = new Set(pods.flatMap((pod) => budgetsOf(view, pod)));
  return {
    hop,
    workload,
    template: templateOf(workload) ?? pods[0]?.template ?? null,
    pods,
    budgets: budgets.size < 2 ? [...budgets] : view.budgets.filter((budget) => budgets.has(budget)),
  };
}

/** Engines of one role stand in for each other. */
function unitsOf(view: ClusterView, endpoint: Endpoint, hop: Hop): number {
  if (hop.hop !== "engine") return desiredUnits(view, hop);
  const same = endpoint.hops.filter((one) => one.hop === "engine" && one.role === hop.role);
  return same.reduce((sum, one) => sum + desiredUnits(view, one), 0);
}

function templateOf(workload: Workload | null): PodTemplate | null {
  if (workload === null || workload.kind === "Other") return null;
  return workload.kind === "LeaderWorkerSet" ? workload.workerTemplate : workload.template;
}
