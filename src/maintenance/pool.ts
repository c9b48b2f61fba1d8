import { byCodeUnit } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import type { Node } from "../model/node.ts";

/** Labels that name a node's pool, the more specific first. */
const poolLabels = [
  "cloud.google.com/gke-nodepool",
  "eks.amazonaws.com/nodegroup",
  "karpenter.sh/nodepool",
  "kubernetes.azure.com/agentpool",
  "kops.k8s.io/instancegroup",
  "worker.gardener.cloud/pool",
  "nebius.com/node-group-id",
  "hypershift.openshift.io/nodePool",
  "doks.digitalocean.com/node-pool",
  "lke.linode.com/pool-id",
  "k8s.scaleway.com/pool-name",
  "ibm-cloud.kubernetes.io/worker-pool-name",
  "vke.vultr.com/node-pool",
  "oke.oraclecloud.com/pool.name",
  "alpha.eksctl.io/nodegroup-name",
  "alibabacloud.com/nodepool-id",
  "yandex.cloud/node-group-id",
  "compute.coreweave.com/node-pool",
  "nodepool",
  "modelplane.ai/pool",
  "node-pool",
  "pool",
] as const;

export interface Pool {
  readonly name: string;
  readonly nodes: readonly Node[];
}

/**
 * Nodes by pool: the value of a pool label, OpenShift's worker or master role, else nodes alike in taints, size and
 * labels (those that only name the node left out). Sorted by name; nodes in input order.
 */
export function poolsOf(nodes: readonly Node[]): readonly Pool[] {
  let pools = known.get(nodes);
  if (pools === undefined) {
    pools = divided(nodes);
    known.set(nodes, pools);
  }
  return pools;
}

/** By the list itself: every maintenance of a cluster asks again. */
const known = new WeakMap<readonly Node[], readonly Pool[]>();

function divided(nodes: readonly Node[]): readonly Pool[] {
  const byName = new Map<string, Node[]>();
  const alike = new Map<string, Node[]>();
  // Thousands of nodes have the same labels' names.
  const ofOneNode = new Map<string, boolean>();
  const tellsPools = (key: string): boolean => !underKey(ofOneNode, key, isOfOneNode);
  for (const node of nodes) {
    const name = poolName(node);
    const into = name === null ? alike : byName;
    const key = name ?? shapeOf(node, tellsPools);
    const members = into.get(key);
    if (members === undefined) into.set(key, [node]);
    else members.push(node);
  }
  const pools = [...byName].map(([name, members]) => ({ name, nodes: members }));
  for (const members of alike.values()) pools.push({ name: nameFor(members, pools), nodes: members });
  return pools.sort((a, b) => byCodeUnit(a.name, b.name));
}

function poolName(node: Node): string | null {
  for (const label of poolLabels) {
    const value = node.labels.get(label);
    if (value !== undefined && value !== "") return value;
  }
  if (node.annotations.has("machineconfiguration.openshift.io/currentConfig")) {
    for (const role of ["master", "control-plane"]) {
      if (node.labels.has(`node-role.kubernetes.io/${role}`)) return "master";
    }
    const custom = [...node.labels.keys()]
      .filter((key) => key.startsWith("node-role.kubernetes.io/") && !key.endsWith("/worker"))
      .sort(byCodeUnit)[0];
    return custom === undefined ? "worker" : custom.slice("node-role.kubernetes.io/".length);
  }
  return null;
}

/** Two nodes of one pool differ only in labels that name them or their zone. */
function shapeOf(node: Node, tellsPools: (key: string) => boolean): string {
  const labels = [...node.labels]
    .filter(([key, value]) => value !== node.name && tellsPools(key))
    .map(([key, value]) => `${key}=${value}`)
    .sort(byCodeUnit);
  const taints = node.taints
    .filter((taint) => !taint.key.startsWith("node.kubernetes.io/"))
    .map((taint) => `${taint.key}=${taint.value}:${taint.effect}`)
    .sort(byCodeUnit);
  const scalar = [...node.allocatable.scalar].map(([name, amount]) => `${name}=${amount}`).sort(byCodeUnit);
  const size = [node.allocatable.milliCpu, node.allocatable.memoryBytes, node.podsMax];
  return JSON.stringify([labels, taints, size, scalar]);
}

/** It names the node, says where it stands, or when something looked at it: nodes of one pool differ in it. */
function isOfOneNode(key: string): boolean {
  return (
    key === "kubernetes.io/hostname" ||
    /^(?:topology|failure-domain)\./.test(key) ||
    /(?:^|[-./])(?:zone|region|rack|fault-domain|availability-domain)(?:-id)?$/.test(key) ||
    /(?:^|[-./])(?:node|instance|machine|host|server|vm|droplet)[-_.]?(?:id|name|uuid)$/.test(key) ||
    /timestamp$/.test(key)
  );
}

/** The part of the members' names that they share, without its number: `system` of system-1 and system-2. */
function nameFor(members: readonly Node[], taken: readonly Pool[]): string {
  const first = members[0]?.name ?? "";
  let shared = first;
  for (const member of members) {
    while (!member.name.startsWith(shared)) shared = shared.slice(0, -1);
  }
  const stem = shared.replace(/[-.\d]+$/, "") || (first === "" ? "nodes" : first);
  const isTaken = (name: string): boolean => taken.some((pool) => pool.name === name);
  if (!isTaken(stem)) return stem;
  if (!isTaken(first)) return first;
  let number = 2;
  while (isTaken(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
