import type { Cluster } from "../../model/cluster.ts";
import { matches } from "../../model/labels.ts";
import type { Node } from "../../model/node.ts";
import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { toleratesAny } from "../../model/taints.ts";
import type { ClusterView, PodView } from "../../model/view.ts";

/**
 * Whether a pod always finds a place: whatever else moved where, and whichever `closedAtMost` nodes are closed, some open
 * node of those it may use has room for it.
 *
 * The argument: for no node to have room, each of them must be filled so far that one more pod does not fit. What can fill
 * them is at most everything that may ever stand there. Where that is less than the cheapest way to fill all but the closed
 * ones, one is left. Each resource is looked at: one that cannot even fill the cheapest node fills none; if several can, their
 * shares are added up, since what fills a node with one resource fills no other with it.
 */
export function alwaysHasRoom(view: ClusterView, template: PodTemplate, closedAtMost: number): boolean {
  if (!isPlain(view.cluster, template)) return false;
  const siblings = siblingsKeptApart(view, template);
  if (siblings === null) return false;
  const places = view.nodes.filter((node) => mayUse(template, node.node, node.taints)).map(({ node }) => node);
  const standing = new Map(places.map((node) => [node.name, fixedOn(view, node.name)]));
  const away = closedAtMost + siblings;
  if (places.length <= away) return false;
  const visitors = visitorsOf(view, places, template);
  const fillers = amountsOf(template).map(({ of, read }) => {
    const demand = visitors.reduce((sum, pod) => sum + read(pod.requests), 0);
    const costs = places.map((node) => {
      const fixed = (standing.get(node.name) ?? []).reduce((sum, pod) => sum + read(pod.requests), 0);
      return Math.max(0, of(node) - fixed - read(template.requests) + 1);
    });
    return { demand, costs };
  });
  const pods = {
    demand: visitors.length,
    costs: places.map((node) => Math.max(0, node.podsMax - (standing.get(node.name) ?? []).length)),
  };
  return cannotFillAll([...fillers, pods], places.length - away);
}

interface Filler {
  readonly demand: number;
  /** What it takes of this resource to leave no room on each place. */
  readonly costs: readonly number[];
}

/** True: nothing that may stand there fills `count` of the places. */
function cannotFillAll(fillers: readonly Filler[], count: number): boolean {
  const able = fillers.filter(({ demand, costs }) => costs.some((cost) => cost <= demand));
  if (able.length === 0) return true;
  const places = able[0]?.costs.length ?? 0;
  const shares: number[] = [];
  for (let place = 0; place < places; place += 1) {
    let cheapest = Number.POSITIVE_INFINITY;
    for (const { demand, costs } of able) {
      const cost = costs[place] ?? 0;
      if (cost <= demand) cheapest = Math.min(cheapest, demand === 0 ? 0 : cost / demand);
    }
    shares.push(cheapest);
  }
  shares.sort((a, b) => a - b);
  const least = shares.slice(0, count).reduce((sum, share) => sum + share, 0);
  // Rounding must not make a proof: a hair over the limit counts as reached.
  return least > able.length + 1e-9;
}

function amountsOf(
  template: PodTemplate,
): readonly { readonly of: (node: Node) => number; readonly read: (requests: PodTemplate["requests"]) => number }[] {
  const scalar = [...template.requests.scalar.keys()].map((name) => ({
    of: (node: Node) => node.allocatable.scalar.get(name) ?? 0,
    read: (requests: PodTemplate["requests"]) => requests.scalar.get(name) ?? 0,
  }));
  // What a pod does not ask for never keeps it out.
  return [
    ...(template.requests.milliCpu > 0
      ? [{ of: (n: Node) => n.allocatable.milliCpu, read: (r: PodTemplate["requests"]) => r.milliCpu }]
      : []),
    ...(template.requests.memoryBytes > 0
      ? [{ of: (n: Node) => n.allocatable.memoryBytes, read: (r: PodTemplate["requests"]) => r.memoryBytes }]
      : []),
    ...(template.requests.ephemeralStorageBytes > 0
      ? [
          {
            of: (n: Node) => n.allocatable.ephemeralStorageBytes,
            read: (r: PodTemplate["requests"]) => r.ephemeralStorageBytes,
          },
        ]
      : []),
    ...scalar,
  ];
}

/** Filters that look at more than affinity, taints and room are not argued about. */
function isPlain(cluster: Cluster, template: PodTemplate): boolean {
  if (template.hostPorts.length > 0 || template.resourceClaims.length > 0 || template.schedulingGates.length > 0)
    return false;
  if (template.volumes.some(({ kind }) => kind === "claim" || kind === "ephemeral" || kind === "inline")) return false;
  if (template.requiredPodAffinity.length > 0 || template.schedulerName !== "default-scheduler") return false;
  if (template.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")) return false;
  return !cluster.pods.some(
    ({ template: other }) =>
      other !== template && other.requiredPodAntiAffinity.some((term) => selects(term, other, template)),
  );
}

/** Nodes that the pod's own kind may take from it by anti-affinity; null: a term that is not about its own kind by node. */
function siblingsKeptApart(view: ClusterView, template: PodTemplate): number | null {
  let apart = 0;
  for (const term of template.requiredPodAntiAffinity) {
    if (term.topologyKey !== "kubernetes.io/hostname") return null;
    let selected = 0;
    for (const pod of view.pods) if (selects(term, template, pod.template)) selected += 1;
    // Without the pod it stands for, which goes from a closed node.
    apart += selected - (selects(term, template, template) ? 1 : 0);
  }
  return apart;
}

function selects(
  term: PodTemplate["requiredPodAntiAffinity"][number],
  of: PodTemplate,
  template: PodTemplate,
): boolean {
  if (term.selector === null) return false;
  const inNamespace =
    term.namespaceSelector !== null ||
    (term.namespaces.length === 0 ? template.namespace === of.namespace : term.namespaces.includes(template.namespace));
  return inNamespace && matches(term.selector, template.labels);
}

function mayUse(template: PodTemplate, node: Node, taints: ClusterView["nodes"][number]["taints"]): boolean {
  if (node.unschedulable || !node.ready || !matchesRequiredNodeAffinity(template, node)) return false;
  return !taints.some((taint) => taint.effect !== "PreferNoSchedule" && !toleratesAny(template.tolerations, taint));
}

/** Pods that no drain moves: DaemonSets' and static ones. */
function fixedOn(view: ClusterView, nodeName: string): readonly PodView[] {
  return (view.node(nodeName)?.pods ?? []).filter((pod) => staysPut(view, pod));
}

function staysPut(view: ClusterView, pod: PodView): boolean {
  return pod.mirror || (pod.owner !== null && view.workload(pod.owner)?.spec.kind === "DaemonSet");
}

/**
 * Everything that moves and may ever stand on one of these nodes, without the pod itself. A pod that stops holds its room on a
 * closed node only, so that it and its replacement never both fill an open one.
 */
function visitorsOf(view: ClusterView, places: readonly Node[], template: PodTemplate): readonly PodView[] {
  const visitors: PodView[] = [];
  const usable = new Map<PodTemplate, boolean>();
  let self = false;
  for (const pod of view.pods) {
    if (staysPut(view, pod) || pod.phase === "Succeeded" || pod.phase === "Failed") continue;
    if (pod.template === template && !self) {
      self = true;
      continue;
    }
    let may = usable.get(pod.template);
    if (may === undefined) {
      may = places.some((node) => mayUse(pod.template, node, view.node(node.name)?.taints ?? []));
      usable.set(pod.template, may);
    }
    if (may || places.some((node) => node.name === pod.node?.name)) visitors.push(pod);
  }
  return visitors;
}
