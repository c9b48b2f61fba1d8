import type { Node } from "../model/node.ts";
import type { Taint } from "../model/pod-template.ts";
import { noResources } from "../model/resources.ts";
import type { ClusterView, NodeView } from "../model/view.ts";
import { cordon } from "../scheduler/filters/node-unschedulable.ts";

/** A cordon, or a taint that was not there at first: what a maintenance closes nodes with. Nodes that are off stay so. */
export function isClosed(node: NodeView): boolean {
  if (!node.ready || node.unschedulable) return node.ready;
  return node.taints.some(
    ({ key, effect }) => !node.node.taints.some((own) => own.key === key && own.effect === effect),
  );
}

/** The same cluster at the same moment with every closed node open: for asking what would fit, never for playing on. */
export function openedView(view: ClusterView): ClusterView {
  const nodes = view.nodes.map((node) => (isClosed(node) ? openedNode(node) : node));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return {
    cluster: view.cluster,
    nowMs: view.nowMs,
    nodes,
    node: (name) => byName.get(name),
    touches: 0,
    touchedSince: () => null,
    get pods() {
      return view.pods;
    },
    pod: (key) => view.pod(key),
    nominated: view.nominated,
    podsOwnedBy: (owner) => view.podsOwnedBy(owner),
    hostsOf: (owner) => view.hostsOf(owner),
    podsOn: (name) => view.podsOn(name),
    podCounts: (owner) => view.podCounts(owner),
    podsIn: (namespace) => view.podsIn(namespace),
    cohortsIn: (namespace) => view.cohortsIn(namespace),
    workloads: view.workloads,
    workload: (key) => view.workload(key),
    workloadsOwnedBy: (owner) => view.workloadsOwnedBy(owner),
    budgets: view.budgets,
    services: view.services,
    autoscalers: view.autoscalers,
    quotas: view.quotas,
    webhooks: view.webhooks,
    readyEndpoints: (service) => view.readyEndpoints(service),
    volumeClaim: (key) => view.volumeClaim(key),
    volumeClaims: view.volumeClaims,
    volume: (name) => view.volume(name),
    volumes: view.volumes,
    resourceClaim: (key) => view.resourceClaim(key),
    resourceClaims: view.resourceClaims,
  };
}

/** A node like a given one, empty and open. */
export function nodeLike({ node }: NodeView, name: string): NodeView {
  const labels = new Map(node.labels).set("kubernetes.io/hostname", name);
  const like: Node = { ...node, name, labels, unschedulable: false, taints: node.taints.filter(isOwn) };
  return {
    name,
    node: like,
    unschedulable: false,
    taints: like.taints,
    ready: true,
    pods: [],
    tellPods: () => undefined,
    podCount: 0,
    requested: noResources,
    nonZeroMilliCpu: 0,
    nonZeroMemoryBytes: 0,
    generation: -1,
    podsGeneration: -1,
  };
}

function isOwn({ key }: Taint): boolean {
  return key !== cordon.key;
}

/** What is not closed by a maintenance stays as it is. */
export function openedNode(node: NodeView): NodeView {
  return {
    name: node.name,
    node: node.node,
    unschedulable: false,
    taints: node.node.taints.filter(isOwn),
    ready: node.ready,
    get pods() {
      return node.pods;
    },
    tellPods: (tell) => node.tellPods(tell),
    podCount: node.podCount,
    requested: node.requested,
    nonZeroMilliCpu: node.nonZeroMilliCpu,
    nonZeroMemoryBytes: node.nonZeroMemoryBytes,
    generation: node.generation,
    podsGeneration: node.podsGeneration,
  };
}
