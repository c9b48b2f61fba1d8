import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDrainFlags } from "../../src/eviction/drain-flags.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { nodeCountText } from "../../src/maintenance/node-count.ts";
import { actorNamed, actors } from "../../src/maintenance/registry.ts";
import { rows } from "../support/rows.ts";

// What sources and documentation say of each actor, table by table, each cell by itself. A row says what an actor's file has to say.

function named(name: string): Actor {
  const actor = actorNamed(name);
  assert.ok(actor !== undefined, name);
  return actor;
}

const told = new Set<string>();

/** Rows of one table: by the actors' names. */
function table<T>(about: string, tell: (actor: Actor) => T, said: Readonly<Record<string, T>>): void {
  for (const name of Object.keys(said)) told.add(name);
  rows(
    about,
    (name: string) => tell(named(name)),
    Object.entries(said).map(([name, cell]) => [name, name, cell] as const),
  );
}

function closesWhen({ close, closeWhen }: Actor): string {
  const how = [
    ...(close.cordon ? ["cordon"] : []),
    ...close.taints.map(({ key, effect }) => `${key}:${effect}`),
    ...(close.condition === "" ? [] : [close.condition]),
  ];
  return how.length === 0 ? "nothing" : `${how.join(" + ")}, ${closeWhen}`;
}

table("which nodes are closed, how and when", closesWhen, {
  "kubectl-drain": "cordon, all",
  nebius: "cordon, all",
  "nebius-by-batch": "cordon, batch",
  "nebius-rollout": "cordon, node",
  "openshift-mco": "cordon, node",
  "gke-surge": "cordon, node",
  "gke-blue-green": "cordon, all",
  "gke-host-maintenance": "cordon + cloud.google.com/impending-node-termination:NoSchedule, node",
  "eks-managed": "cordon, all",
  karpenter: "karpenter.sh/disrupted:NoSchedule, node",
  "eks-auto": "karpenter.sh/disrupted:NoSchedule, node",
  "aks-upgrade": "cordon, node",
  "aks-auto-drain": "cordon + remediator.kubernetes.azure.com/unschedulable:NoSchedule, node",
  "cluster-api": "cordon, node",
  "cluster-autoscaler": "cordon + ToBeDeletedByClusterAutoscaler:NoSchedule, batch",
  kured: "cordon, node",
  "system-upgrade-controller": "cordon, node",
  talos: "cordon, all",
  "medik8s-nmo": "cordon + medik8s.io/drain:NoSchedule, node",
  kops: "cordon, node",
  gardener: "cordon, node",
  descheduler: "nothing",
  "node-failure": "nothing",
  "node-pressure": "DiskPressure, node",
  "graceful-shutdown": "nothing",
  "nebius-recovery": "cordon, node",
});

table(
  "soft taints on all nodes before the first is closed",
  ({ marks }) => marks.map(({ key, effect }) => `${key}:${effect}`),
  {
    "openshift-mco": ["UpdateInProgress:PreferNoSchedule"],
    kops: ["kops.k8s.io/scheduled-for-update:PreferNoSchedule"],
    "cluster-api": ["node.cluster.x-k8s.io/outdated-revision:PreferNoSchedule"],
    "cluster-autoscaler": ["DeletionCandidateOfClusterAutoscaler:PreferNoSchedule"],
    gardener: ["deployment.machine.sapcloud.io/prefer-no-schedule:PreferNoSchedule"],
    "gke-surge": [],
    nebius: [],
    kured: [],
  },
);

const atOnce = ({ nodesAtOnce, pools }: Actor): string => `${nodeCountText(nodesAtOnce)}, pools ${pools}`;

table("nodes at once, and several pools", atOnce, {
  "kubectl-drain": "1, pools together",
  nebius: "1, pools together",
  "nebius-rollout": "1, pools independent",
  "openshift-mco": "1, pools independent",
  "gke-surge": "1, pools in-turn",
  "gke-blue-green": "1, pools in-turn",
  "eks-managed": "1, pools independent",
  karpenter: "10 % (rounded up), pools independent",
  "karpenter-repair": "20 % (rounded up), pools independent",
  "aks-upgrade": "1, pools in-turn",
  "cluster-api": "1, pools independent",
  "cluster-autoscaler": "1, pools together",
  kured: "1, pools together",
  "system-upgrade-controller": "1, pools together",
  talos: "every one, pools together",
  "medik8s-nmo": "every one, pools together",
  kops: "1, pools in-turn",
  gardener: "1, pools independent",
});

const newNodes = ({ surge }: Actor): string => (surge === null ? "no" : `${nodeCountText(surge.nodes)} ${surge.when}`);

table("a new node first", newNodes, {
  "kubectl-drain": "no",
  nebius: "no",
  "nebius-rollout": "no",
  "nebius-rollout-before-2026-q3": "1 before-each",
  "openshift-mco": "no",
  "gke-surge": "1 before-each",
  "gke-blue-green": "every one before-all",
  "gke-host-maintenance": "no",
  "gke-auto-repair": "no",
  "eks-managed": "2 for each zone before-all",
  "eks-managed-minimal": "no",
  karpenter: "every one between",
  "karpenter-expiry": "every one with-drain",
  "karpenter-repair": "every one with-drain",
  "aks-upgrade": "1 before-all",
  "cluster-api": "1 before-each",
  kured: "no",
  "system-upgrade-controller": "no",
  talos: "no",
  "medik8s-nmo": "no",
  kops: "1 before-each",
  gardener: "1 before-each",
  "oke-node-cycling": "1 before-each",
  "ionos-upgrade": "1 before-each",
  "iks-worker-update": "no",
  hypershift: "1 before-each",
  "doks-upgrade": "10 before-each",
  "lke-recycle": "no",
  "eks-node-repair": "no",
});

table("what a node comes back as", ({ afterDrain }) => afterDrain, {
  "kubectl-drain": "stays",
  "kubectl-drain-in-turn": "reboots",
  nebius: "reboots",
  "nebius-rollout": "replaced",
  "openshift-mco": "reboots",
  "gke-surge": "replaced",
  "gke-blue-green": "removed",
  "gke-host-maintenance": "reboots",
  "eks-managed": "replaced",
  karpenter: "replaced",
  "aks-upgrade": "reboots",
  "cluster-api": "replaced",
  "cluster-autoscaler": "removed",
  kured: "reboots",
  "system-upgrade-controller": "opens",
  talos: "reboots-together",
  "talos-on-node": "reboots",
  "medik8s-nmo": "stays",
  kops: "replaced",
  gardener: "replaced",
  "spot-reclaim-aws": "lost",
  "karpenter-interruption": "lost",
  "node-failure": "off",
});

const minutes = (ms: number | null): string => (ms === null ? "for ever" : `${ms / 60_000} min`);

function budgetHolds({ drain }: Actor): string {
  const parsed = parseDrainFlags(drain.flags);
  if (drain.by !== "eviction" || (parsed.ok && parsed.flags.disableEviction)) return "not asked";
  return `${minutes(drain.holdsForMs)}, ${drain.then}`;
}

table("how long a budget holds, and what follows", budgetHolds, {
  "kubectl-drain": "for ever, waits",
  nebius: "60 min, stops-machine",
  "nebius-rollout": "10 min, deletes",
  "nebius-rollout-before-2026-q3": "for ever, waits",
  "nebius-recovery": "60 min, stops-machine",
  "openshift-mco": "for ever, waits",
  "gke-surge": "60 min, deletes",
  "gke-blue-green": "60 min, deletes",
  "gke-host-maintenance": "not asked",
  "gke-auto-repair": "60 min, stops-machine",
  "eks-managed": "15 min, fails",
  "eks-managed-minimal": "15 min, fails",
  karpenter: "for ever, waits",
  "karpenter-expiry": "for ever, waits",
  "eks-auto": "1440 min, deletes",
  "eks-auto-expiry": "1440 min, deletes",
  "karpenter-repair": "not asked",
  "aks-upgrade": "30 min, reopens",
  "aks-upgrade-quarantine": "30 min, fails",
  "cluster-api": "for ever, waits",
  "cluster-autoscaler": "2 min, reopens",
  kured: "for ever, waits",
  "system-upgrade-controller": "10 min, fails",
  talos: "5 min, fails",
  "talos-on-node": "5 min, stops-machine",
  "medik8s-nmo": "for ever, waits",
  kops: "15 min, fails",
  gardener: "120 min, deletes",
  "oke-node-cycling": "60 min, fails",
  "ionos-upgrade": "60 min, deletes",
  "node-failure": "not asked",
  "zone-loss": "not asked",
  "node-pressure": "not asked",
  "graceful-shutdown": "not asked",
  "spot-reclaim-gcp": "not asked",
  "spot-reclaim-azure": "not asked",
  "aks-auto-repair": "not asked",
  "scheduler-preemption": "not asked",
});

table("a node that fails", ({ onNodeFailure }) => onNodeFailure, {
  "kubectl-drain": "continues",
  "eks-managed": "stops",
  "aks-upgrade": "stops",
  "aks-upgrade-quarantine": "continues",
  kops: "stops",
  "cluster-autoscaler": "continues",
});

/** DaemonSet, bare and emptyDir pods, and their grace. */
function pods({ drain }: Actor): string {
  const has = (flag: string): boolean => drain.flags.includes(flag);
  const daemons = drain.daemonSetPods === "evicted" ? "evicted" : has("--ignore-daemonsets") ? "skipped" : "refused";
  const bare = drain.barePods === "skipped" ? "skipped" : has("--force") ? "evicted" : "refused";
  const local = has("--delete-emptydir-data") ? "evicted" : "refused";
  const most = drain.graceMaxMs === null ? "own" : `at most ${drain.graceMaxMs / 1_000} s`;
  const grace = drain.graceSetMs === null ? most : `${drain.graceSetMs / 1_000} s`;
  const after = drain.deleteGraceMs === null ? "" : `, ${drain.deleteGraceMs / 1_000} s after the limit`;
  return `${daemons} ${bare} ${local}, ${grace}${after}`;
}

table("which pods, with what grace", pods, {
  "kubectl-drain": "skipped refused evicted, own",
  "openshift-mco": "skipped evicted evicted, own",
  kops: "skipped evicted evicted, own",
  kured: "skipped evicted evicted, own",
  talos: "skipped evicted evicted, own",
  "medik8s-nmo": "skipped evicted evicted, own",
  "talos-on-node": "skipped skipped evicted, 60 s",
  "system-upgrade-controller": "skipped refused evicted, own",
  "cluster-api": "skipped evicted evicted, own",
  gardener: "skipped evicted evicted, own, 0 s after the limit",
  "cluster-autoscaler": "skipped evicted evicted, at most 600 s",
  karpenter: "evicted evicted evicted, own",
  "karpenter-repair": "evicted evicted evicted, at most 1 s",
  "gke-surge": "skipped evicted evicted, at most 3600 s",
  "gke-blue-green": "skipped evicted evicted, at most 86400 s",
  "gke-host-maintenance": "skipped evicted evicted, at most 3600 s",
  "eks-managed": "skipped evicted evicted, own",
  "aks-upgrade": "skipped evicted evicted, own",
  nebius: "skipped evicted evicted, own",
});

test("what kubelets end by themselves, and what a notice leaves", () => {
  const kubelet = (name: string) => [named(name).drain.by, named(name).drain.graceMaxMs, named(name).drain.holdsForMs];
  assert.deepEqual(kubelet("node-pressure"), ["kubelet", 1_000, null]);
  assert.deepEqual(kubelet("graceful-shutdown"), ["kubelet", 20_000, 30_000]);
  assert.deepEqual(kubelet("spot-reclaim-gcp"), ["kubelet", 15_000, 30_000]);
  assert.deepEqual(kubelet("spot-reclaim-azure"), ["nobody", null, 30_000]);
  assert.deepEqual(kubelet("spot-reclaim-aws"), ["eviction", null, 120_000]);
  assert.deepEqual(kubelet("karpenter-interruption"), ["eviction", null, 120_000]);
  assert.deepEqual(kubelet("node-failure"), ["nobody", null, 0]);
});

table("pause between tries of a refused eviction, s", ({ drain }) => drain.retryMs / 1_000, {
  "kubectl-drain": 5,
  "openshift-mco": 5,
  kops: 5,
  "medik8s-nmo": 5,
  kured: 0,
  talos: 0,
  "talos-on-node": 5,
  "cluster-api": 20,
  gardener: 20,
  "cluster-autoscaler": 10,
  karpenter: 10,
});

test("attempts: the Machine Config Operator's and the node-maintenance-operator's", () => {
  const mco = { lastMs: 90_000, pauseMs: 60_000, longAfterMs: 600_000, longPauseMs: 300_000 };
  assert.deepEqual(named("openshift-mco").drain.attempts, mco);
  const { attempts } = named("medik8s-nmo").drain;
  assert.deepEqual([attempts?.lastMs, attempts?.pauseMs, attempts?.longPauseMs], [30_000, 5_000, 5_000]);
});

/** Least and most, min. */
type Span = readonly [number, number];
const away: Readonly<Record<string, Span>> = {
  nebius: [3, 4],
  "openshift-mco": [5, 15],
  "gke-surge": [1, 10],
  "eks-managed": [1, 10],
  karpenter: [1, 5],
  "aks-upgrade": [5, 15],
  "cluster-api": [5, 15],
  kured: [2, 10],
  "system-upgrade-controller": [1, 3],
  talos: [3, 5],
  kops: [3, 10],
  gardener: [5, 10],
};

for (const [name, [least, most]] of Object.entries(away)) {
  test(`how long a node of ${name} is away: ${least} to ${most} min`, () => {
    const { nodeDownMs, surge } = named(name);
    assert.ok(nodeDownMs >= least * 60_000 && nodeDownMs <= most * 60_000);
    assert.ok(surge === null || (surge.joinMs >= 60_000 && surge.joinMs <= 600_000));
  });
}

/** Nothing is missing. */
const none: readonly string[] = [];

/** What a person sees, and what holds it: words that have to be there, in its signals, marks, taints or levers. */
const words: Readonly<Record<string, readonly string[]>> = {
  nebius: ["NebiusMaintenanceScheduled", "InstanceStopping", "NodeUncordoned", "nebius.com/perform-mainten"],
  "nebius-recovery": ["NebiusGPUError", "NebiusBootDiskIOError"],
  "gke-host-maintenance": [
    "cloud.google.com/scheduled-maintenance-time",
    "cloud.google.com/active-node-maintenance=ONGOING",
    "cloud.google.com/perform-maintenance=true",
  ],
  "gke-surge": ["node_interruption_count", "maintenance windows"],
  "openshift-mco": [
    "UpdateInProgress",
    "machineconfiguration.openshift.io/desiredConfig",
    "DrainFailed",
    "mcc_drain_err",
    "MCCDrainError",
    "paused: true",
    "a cordoned node uses up maxUnavailable",
  ],
  kops: [
    "kops.k8s.io/scheduled-for-update",
    "kops.k8s.io/needs-update",
    "node.kubernetes.io/exclude-from-external-load-balancers",
    "drainAndTerminate: false",
  ],
  "cluster-api": [
    "node.cluster.x-k8s.io/outdated-revision",
    "pre-drain.delete.hook.machine.cluster.x-k8s.io",
    "MachineDrainRule",
    "cluster.x-k8s.io/drain=skip",
    "machine.cluster.x-k8s.io/exclude-node-draining",
    "DrainingNode",
    "FailedDrainNode",
  ],
  "cluster-autoscaler": [
    "DeletionCandidateOfClusterAutoscaler",
    "ToBeDeletedByClusterAutoscaler",
    "ScaleDownFailed",
    "cluster-autoscaler.kubernetes.io/safe-to-evict=false",
    "cluster-autoscaler.kubernetes.io/scale-down-disabled=true",
    "delay-deletion.cluster-autoscaler.kubernetes.io",
  ],
  kured: [
    "weave.works/kured-node-lock",
    "weave.works/kured-reboot-in-progress",
    "weave.works/kured-most-recent-reboot-needed",
    "--blocking-pod-selector",
    "--start-time",
    "--force-reboot",
  ],
  karpenter: [
    "karpenter.sh/disrupted",
    "karpenter.sh/do-not-disrupt",
    "node.kubernetes.io/exclude-from-external-load-balancers=karpenter",
    "FailedDraining",
    "DisruptionBlocked",
    'nodes: "0"',
    "terminationGracePeriod",
  ],
  "eks-managed": [
    "eks.amazonaws.com/nodegroup=unschedulable",
    "node.kubernetes.io/exclude-from-external-load-balancers",
    "PodEvictionFailure",
  ],
  "medik8s-nmo": ["medik8s.io/drain", "NodeMaintenance", "BeginMaintenance", "UncordonNode"],
  "system-upgrade-controller": ["plan.upgrade.cattle.io/NAME=disabled", "JobFailed"],
  "aks-upgrade": [
    "cluster-autoscaler.kubernetes.io/scale-down-disabled=true",
    "Surge, Drain, Upgrade",
    "undrainableNodeBehavior",
    "planned maintenance",
  ],
  "aks-upgrade-quarantine": ["kubernetes.azure.com/upgrade-status=Quarantined"],
  "aks-auto-drain": ["remediator.kubernetes.azure.com/unschedulable"],
  gardener: ["Terminating", "maintenance window"],
  descheduler: ["descheduler.alpha.kubernetes.io/prefer-no-eviction", "DisruptionTarget"],
  "node-failure": [
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/out-of-service",
    "DeletionByTaintManager",
  ],
  "node-pressure": ["DiskPressure", "MemoryPressure", "Evicted", "TerminationByKubelet"],
  "graceful-shutdown": ["shutdownGracePeriod", "Terminated"],
  "scheduler-preemption": ["PreemptionByScheduler"],
};

rows(
  "signals and levers that have to be named",
  (name: string) => {
    const { signals, levers, marks, close } = named(name);
    const text = JSON.stringify([signals, levers, marks, close]).replaceAll('\\"', '"');
    return (words[name] ?? []).filter((word) => !text.includes(word));
  },
  Object.keys(words).map((name) => [name, name, none] as const),
);

/** Defaults that changed: what, from what to what, when. */
const changed: Readonly<Record<string, readonly string[]>> = {
  "kubectl-drain": ["kubectl 0.35"],
  kured: ["built with kubectl 0.35 or later"],
  talos: ["built with kubectl 0.35 or later"],
  "nebius-rollout": ["0>1 Q3 2026", "1>0 Q3 2026", "unlimited>10 min, then pods are deleted Q3 2026"],
  "cluster-autoscaler": [
    "false>true cluster-autoscaler 1.34",
    "for ever>until they are one hour old cluster-autoscaler 1.33",
  ],
  "aks-upgrade": ["fails>falls back to one node AKS 1.35"],
  "gke-blue-green": ["1.34.0-gke.2201000"],
  "spot-reclaim-gcp": ["30 s>up to 120 s if extended 1.35.0-gke.1171000"],
  "node-failure": ["40 s>50 s Kubernetes 1.32"],
};

rows(
  "defaults that changed by version or date",
  (name: string) => {
    const lines = named(name).changed.map(({ from, to, at }) => `${from}>${to} ${at}`);
    return (changed[name] ?? []).filter((line) => !lines.some((text) => text.includes(line)));
  },
  Object.keys(changed).map((name) => [name, name, none] as const),
);

test("who drains Karpenter's way: waves, its taint, its mark", () => {
  for (const name of ["karpenter", "karpenter-expiry", "eks-auto"]) {
    const { drain } = named(name);
    assert.deepEqual([drain.inWaves, drain.sparesTolerating], [true, true], name);
    assert.deepEqual(drain.waitsForAnnotations, [{ key: "karpenter.sh/do-not-disrupt", value: "true" }], name);
  }
  assert.equal(named("gardener").drain.volumesOneByOne, true);
  assert.equal(named("cluster-api").drain.asks, "by-name");
});

test("every actor is in some table", () => {
  assert.deepEqual(
    actors.map(({ name }) => name).filter((name) => !told.has(name)),
    [],
  );
});
