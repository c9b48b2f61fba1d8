import { byCodeUnit, byKey } from "../base/ordering.ts";
import { budgetStatus } from "../eviction/budget-status.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { ObjectRef } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import { zoneOf } from "../model/node.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { BudgetView, ClusterView, PodView } from "../model/view.ts";
import type { IntOrPercent } from "../model/workload.ts";
import { desiredUnits } from "../route/capacity.ts";
import { podsOf, readyUnits } from "../sim/monitor.ts";
import type { Hop } from "../systems/endpoint.ts";
import type { Component, PathBudget, Placed, Spread, Survival } from "./types.ts";

/** One row of the table: a hop as it stands in the cluster now, and what the scenarios showed of it. */
export function componentOf(view: ClusterView, hop: Hop, survives: Component["survives"]): Component {
  const pods = podsOf(view, hop.pods).filter((pod) => pod.phase !== "Succeeded" && pod.phase !== "Failed");
  const nodes = pods.flatMap((pod) => (pod.node === null ? [] : [pod.node]));
  const zones = nodes.map((node) => zoneOf(node.node.labels)).filter((zone) => zone !== "");
  const ref = plainRef(hop.ref);
  return {
    hop: hop.hop,
    component: hop.component,
    onPath: hop.onPath,
    needed: hop.needed,
    neededBecause: hop.neededBecause,
    role: hop.role,
    ref,
    owner: hop.owner === null ? ref : plainRef(hop.owner),
    desired: hop.outside === "" ? desiredUnits(view, hop) : null,
    ready: readyUnits(view, hop),
    nodes: distinct(nodes.map((node) => node.name)),
    zones: distinct(zones),
    placed: placedOf(pods),
    budgets: budgetsOver(view, pods),
    spread: {
      node: spreadOver(pods, "kubernetes.io/hostname"),
      zone: spreadOver(pods, "topology.kubernetes.io/zone"),
    },
    survives,
    outside: hop.outside,
  };
}

function placedOf(pods: readonly PodView[]): readonly Placed[] {
  const byNode = Map.groupBy(pods, (pod) => pod.node?.name ?? "");
  return [...byNode]
    .map(([node, here]) => ({
      node,
      zone: zoneOf(here[0]?.node?.node.labels ?? new Map()),
      pods: here.length,
      ready: here.filter(({ ready, terminatingSinceMs }) => ready && terminatingSinceMs === null).length,
    }))
    .sort(byKey(({ zone, node }) => [zone, node].join("\0")));
}

export function survivalOf(played: boolean, wasZero: boolean, stalled: boolean): Survival {
  if (!played) return "unknown";
  if (wasZero) return "no";
  return stalled ? "stalls" : "yes";
}

function plainRef({ apiVersion, kind, namespace, name }: ObjectRef): ObjectRef {
  return { apiVersion, kind, namespace, name };
}

function budgetsOver(view: ClusterView, pods: readonly PodView[]): readonly PathBudget[] {
  const found = new Map<string, BudgetView>();
  for (const pod of pods) for (const budget of budgetsOf(view, pod)) found.set(budget.budget.key, budget);
  return [...found.values()]
    .sort((a, b) => byCodeUnit(a.budget.key, b.budget.key))
    .map((found) => ({
      name: found.budget.ref.name,
      minAvailable: written(found.budget.minAvailable),
      maxUnavailable: written(found.budget.maxUnavailable),
      disruptionsAllowed: allowedNow(view, found),
    }));
}

/** Manifests carry no status: no controller has looked yet, which is not the same as allowing nothing. */
function allowedNow(view: ClusterView, found: BudgetView): number {
  const { status } = found;
  const isUnsynced = status.observedGeneration === 0 && status.expectedPods === 0;
  return (isUnsynced ? budgetStatus(view, found) : status).disruptionsAllowed;
}

function written(value: IntOrPercent | null): number | string | null {
  if (value === null) return null;
  return value.percent ? `${value.value}%` : value.value;
}

/** The strongest rule the pods themselves carry against standing together; the scheduler's own defaults do not count. */
function spreadOver(pods: readonly PodView[], topologyKey: string): Spread {
  const [pod] = pods;
  if (pod === undefined) return "none";
  const { template } = pod;
  const required =
    template.requiredPodAntiAffinity.some(
      (term) => term.topologyKey === topologyKey && selectsItself(template, term.selector),
    ) || constraints(template, topologyKey).some((constraint) => constraint.whenUnsatisfiable === "DoNotSchedule");
  if (required) return "required";
  const preferred =
    template.preferredPodAntiAffinity.some(
      ({ term }) => term.topologyKey === topologyKey && selectsItself(template, term.selector),
    ) || constraints(template, topologyKey).length > 0;
  return preferred ? "preferred" : "none";
}

function constraints(template: PodTemplate, topologyKey: string): PodTemplate["topologySpread"] {
  return template.topologySpread.filter(
    (constraint) => constraint.topologyKey === topologyKey && selectsItself(template, constraint.selector),
  );
}

function selectsItself(template: PodTemplate, selector: Parameters<typeof matches>[0] | null): boolean {
  return selector !== null && matches(selector, template.labels);
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(byCodeUnit);
}
