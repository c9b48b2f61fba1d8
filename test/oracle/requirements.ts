import type { Coverage } from "./coverage.ts";

/**
 * What a run must have touched before its agreement counts: every filter has let through and turned down, every message was
 * given, every score told nodes apart, clusters were of all sizes.
 */

/** From this size on a run is judged; a smaller one is a sample. */
export const judgedFrom = { clusters: 2000, decisions: 100_000 } as const;

const filterTimes = 1000;
const messageTimes = 50;
/** So many different values of a score, within the first so many clusters. */
export const scoreValues = { values: 3, clusters: 500 } as const;
const nodes = { fewest: 3, most: 150, sampledTimes: 50 } as const;

/** Minor version from which something is there, and the last one; null: still. */
type Between = readonly [first: number, last: number | null];
const always: Between = [0, null];

const filters: readonly (readonly [string, Between])[] = [
  ["NodeUnschedulable", always],
  // From 1.37 on it names the only node to look at, before any is.
  ["NodeName", [0, 36]],
  ["TaintToleration", always],
  ["NodeAffinity", always],
  ["NodePorts", always],
  ["NodeResourcesFit", always],
  ["VolumeRestrictions", always],
  ["NodeVolumeLimits", always],
  ["VolumeBinding", always],
  ["VolumeZone", always],
  ["PodTopologySpread", always],
  ["InterPodAffinity", always],
  ["DynamicResources", always],
  ["NodeDeclaredFeatures", [36, null]],
];

const scores: readonly (readonly [string, Between])[] = [
  ["TaintToleration", always],
  ["NodeAffinity", always],
  ["PodTopologySpread", always],
  ["InterPodAffinity", always],
  ["NodeResourcesFit", always],
  ["NodeResourcesBalancedAllocation", always],
  ["ImageLocality", always],
  ["DynamicResources", [36, null]],
];

const notOwner = "PVC … was not created for pod … (pod is not owner)";
const devices = 'DynamicResources: running "…" filter plugin: claim …';

/** Every sentence of the plugins, from their sources, names and numbers made alike. */
export const messages: readonly (readonly [string, Between])[] = [
  ["SchedulingGates: waiting for scheduling gates: […]", always],
  ["NodeUnschedulable: node(s) were unschedulable", always],
  ["NodeName: node(s) didn't match the requested node name", [0, 36]],
  ["TaintToleration: node(s) had untolerated taint(s)", always],
  ["NodeAffinity: node(s) didn't match Pod's node affinity/selector", always],
  ["NodeAffinity: pod affinity terms conflict", always],
  ["NodePorts: node(s) didn't have free ports for the requested pod ports", always],
  ["NodeResourcesFit: Insufficient cpu", always],
  ["NodeResourcesFit: Insufficient memory", always],
  ["NodeResourcesFit: Insufficient ephemeral-storage", always],
  ["NodeResourcesFit: Insufficient hugepages-NMi", always],
  ["NodeResourcesFit: Insufficient example.com/widget", always],
  ["NodeResourcesFit: Too many pods", always],
  ["VolumeRestrictions: node(s) had no available disk", always],
  [
    "VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    always,
  ],
  ['VolumeRestrictions: persistentvolumeclaim "…" not found', always],
  ["NodeVolumeLimits: node(s) exceed max volume count", always],
  [`NodeVolumeLimits: running "…" filter plugin: ${notOwner}`, always],
  ["NodeVolumeLimits: csi.test CSI driver is not installed on the node", [37, null]],
  ["VolumeBinding: node(s) didn't find available persistent volumes to bind", always],
  ["VolumeBinding: node(s) didn't match PersistentVolume's node affinity", always],
  ["VolumeBinding: node(s) did not have enough free storage", always],
  ["VolumeBinding: pod has unbound immediate PersistentVolumeClaims", always],
  ['VolumeBinding: waiting for ephemeral volume controller to create the persistentvolumeclaim "…"', always],
  ['VolumeBinding: persistentvolumeclaim "…" bound to non-existent persistentvolume "…"', always],
  ['VolumeBinding: persistentvolumeclaim "…" is being deleted', always],
  [`VolumeBinding: ${notOwner}`, always],
  ["VolumeZone: node(s) had no available volume zone", always],
  ['VolumeZone: persistentvolume "…" not found', always],
  ["PodTopologySpread: node(s) didn't match pod topology spread constraints", always],
  ["PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)", always],
  ["InterPodAffinity: node(s) didn't match pod affinity rules", always],
  ["InterPodAffinity: node(s) didn't match pod anti-affinity rules", always],
  ["InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules", always],
  ["NodeDeclaredFeatures: node(s) didn't match Pod's required features", [36, null]],
  ["DynamicResources: cannot allocate all claims", always],
  ["DynamicResources: resourceclaim not available on the node", always],
  ["DynamicResources: invalid resource pools were encountered", [36, null]],
  ['DynamicResources: pod "…": ResourceClaim not created yet', always],
  ['DynamicResources: could not find ResourceClaim "…"', always],
  ['DynamicResources: resourceclaim "…" is being deleted', always],
  ["DynamicResources: ResourceClaim … was not created for pod … (pod is not owner)", [0, 35]],
  ["DynamicResources: ResourceClaim … was not created for Pod … (Pod is not owner)", [36, null]],
  ["DynamicResources: request request-…: device class no-such-class does not exist", always],
  [`${devices}, request …: asks for all devices, but resource pool … is currently being updated`, always],
  [`${devices}, request …: asks for all devices, but resource pool … is currently invalid`, always],
  [`${devices}, request …: cannot add device … because a claim constraint would not be satisfied`, always],
  [`${devices}: number of requested devices N exceeds the claim limit of N`, [0, 36]],
  [`${devices}, request …: adding N devices exceeds the claim limit of N, with N already accounted for`, [37, null]],
  [`${devices}: selector #N: CEL runtime error: …`, [0, 36]],
  [`${devices}: selector #N on device …: CEL runtime error: …`, [37, null]],
  ["preemption: N/N nodes are available", always],
  ["N Preemption is not helpful for scheduling", always],
  ["N No preemption victims found for incoming pod", always],
  ["not eligible due to preemptionPolicy=Never", always],
  ["not eligible due to a terminating pod on the nominated node", always],
  ["no new claims to deallocate", [0, 36]],
  ["still not schedulable", [0, 36]],
  ["preemption: found a potential placement for pod on node node-…, preempting N victims", [37, null]],
  ["deallocation of ResourceClaim completed", always],
];

/** Sentences of the sources that the default profile cannot give, and why. */
export const outOfReach: readonly { readonly message: string; readonly why: string }[] = [
  {
    message: "VolumeBinding: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    why: "VolumeZone has refused the pod before any node is looked at",
  },
  {
    message: "VolumeZone: PersistentVolumeClaim had no pv name and storageClass name",
    why: "VolumeBinding has refused the pod as one with unbound immediate claims",
  },
  {
    message: "VolumeZone: VolumeBindingMode not set for StorageClass",
    why: "the API server sets it; and VolumeBinding comes first",
  },
  { message: "NodeUnschedulable: node(s) had unknown conditions", why: "for a node that went away during the search" },
  {
    message: "NodeAffinity: node(s) didn't match scheduler-enforced node affinity",
    why: "an argument of other profiles",
  },
  { message: "DynamicResources: resourceclaim in use", why: "claims can be shared without limit since 1.32" },
  {
    message: "DynamicResources: cannot fit resource",
    why: "NodeResourcesFit has turned the node down for a resource that neither it nor a device has",
  },
  {
    message: "DynamicResources: resource claim … is in the process of being allocated",
    why: "while the allocation for another pod is on its way to the API server",
  },
  {
    message: "DynamicResources: cannot schedule extended resource claim",
    why: "for a claim left over by a scheduler that was stopped in between",
  },
  { message: "DynamicResources: CEL compile error", why: "the API server takes no such selector" },
  {
    message: "DefaultPreemption: waiting for the preemption for this pod to be finished",
    why: "between the deletion of victims and its answer",
  },
];

/** What the run lacks, one sentence each. Empty: its coverage is as it must be. */
export function shortfalls(coverage: Coverage, minor: number): readonly string[] {
  const there = <T>(list: readonly (readonly [T, Between])[]): readonly T[] =>
    list.filter(([, [first, last]]) => minor >= first && minor <= (last ?? minor)).map(([one]) => one);
  const lacking: string[] = [];
  const expect = (what: string, wanted: number, found: number): void => {
    if (found < wanted) lacking.push(`${what}: ${found} of ${wanted}`);
  };
  for (const name of there(filters)) {
    const { passed, rejected } = coverage.filters.get(name) ?? { passed: 0, rejected: 0 };
    expect(`${name} lets through`, filterTimes, passed);
    expect(`${name} turns down`, filterTimes, rejected);
  }
  for (const text of there(messages)) {
    expect(`said "${text}"`, messageTimes, (coverage.messages.get(text) ?? 0) + (coverage.endings.get(text) ?? 0));
  }
  for (const name of there(scores)) {
    const what = `${name} gives different scores in the first ${scoreValues.clusters} clusters`;
    expect(what, scoreValues.values, coverage.earlyScores.get(name)?.size ?? 0);
  }
  if (coverage.nodesMin > nodes.fewest) lacking.push(`the smallest cluster has ${coverage.nodesMin} nodes`);
  expect("nodes of the largest cluster", nodes.most, coverage.nodesMax);
  expect("searches that sampled", nodes.sampledTimes, coverage.sampled);
  return lacking;
}

export function isJudged(coverage: Coverage): boolean {
  return coverage.clusters >= judgedFrom.clusters && coverage.decisions >= judgedFrom.decisions;
}
