import type { Fields, Item } from "./objects.ts";
import {
  antiAffinity,
  budget,
  customResource,
  daemonSet,
  deployment,
  node,
  nodes,
  pod,
  podSpec,
  quota,
  service,
  spread,
  uid,
} from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, ref, scale, three } from "./steps.ts";

const patch = (name: string, body: Fields, kind = "Deployment", apiVersion = "apps/v1"): Fields => ({
  patch: body,
  target: ref(name, kind, apiVersion),
  type: kind === "Deployment" ? "strategic" : "merge",
});
const deleteObject = (target: Fields): Fields => ({ delete: { ref: target } });
const gpuTaint = [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }];
const toGpu = { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] };
const budgetRef = (name: string): Fields => ref(name, "PodDisruptionBudget", "policy/v1");

/** Cases of public bug reports, each a small cluster, with the changes that alter its outcome. */
const twoBudgets = [
  three,
  deployment("m1", "n1 n2", { labels: { tier: "model" } }),
  service("m1"),
  budget("m1", { max: 1, status: [2, 2] }),
  budget("all-models", { min: 1, selector: { matchLabels: { tier: "model" } }, status: [2, 2] }),
];
const oneOfOne = [nodes("n1 n2"), deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })];
const eighty = (min: string): readonly (Item | readonly Item[])[] => [
  nodes("n1 n2 n3 n4"),
  deployment("m1", "n1 n2 n3"),
  service("m1"),
  budget("m1", { min, status: [3, 3] }),
];
const bothUnready = (policy?: "AlwaysAllow"): readonly (Item | readonly Item[])[] => [
  three,
  deployment("m1", "n1! n2!"),
  service("m1"),
  budget("m1", { min: 1, status: [2, 0], ...(policy === undefined ? {} : { policy }) }),
];

const ray = { apiVersion: "ray.io/v1", kind: "RayCluster", name: "m1", uid: uid("ray m1") };
const workers = (shape: {
  min?: number;
  max?: number;
  status?: readonly [number, number];
}): readonly (Item | readonly Item[])[] => [
  customResource("ray.io", "v1", "RayCluster", "rayclusters"),
  three,
  { apiVersion: "ray.io/v1", kind: "RayCluster", metadata: { name: "m1", namespace: "serving", uid: ray.uid } },
  ["n1", "n2"].map((on, index) =>
    pod(`m1-workers-${["bcdfg", "hjklm"][index]}`, on, { labels: { app: "m1" }, owner: ray }, index),
  ),
  service("m1"),
  budget("m1", shape),
];

const spreadThree = (extra: Fields): readonly (Item | readonly Item[])[] => [
  three,
  deployment("m1", "n1 n2 n3", { spec: spread("m1", extra) }),
  service("m1"),
  budget("m1", { min: 2, status: [3, 3] }),
];
const piled = (withBudget: boolean): readonly (Item | readonly Item[])[] => [
  nodes("n1 n2"),
  deployment("m1", "n1 n2"),
  service("m1"),
  withBudget ? [budget("m1", { min: 1, status: [2, 2] })] : [],
];
const pileUp: readonly Fields[] = [{ drain: "n1" }, all, { uncordon: ["n1"] }, { drain: "n2" }];

const system = [
  nodes("s1 s2", { cpu: "4", memory: "16Gi" }),
  nodes("g1 g2", { gpu: 1, taints: gpuTaint }),
  deployment("gw", "s1"),
  deployment("picker", "s1"),
  deployment("m1", "g1 g2", { gpu: 1, spec: toGpu }),
  service("gw"),
  service("picker"),
  service("m1"),
];

/** Two leaders of one set and a worker set each, as a group controller leaves them. */
function groups(shape: {
  min?: number | string;
  max?: number;
  selector?: Fields;
}): readonly (Item | readonly Item[])[] {
  const meta = (name: string): Fields & { name: string; namespace: string } => ({
    name,
    namespace: "serving",
    uid: uid(`group set ${name}`),
    generation: 1,
  });
  const set = (name: string, replicas: number, labels: Fields): Item => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: meta(name),
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      ...(replicas === 1 ? { ordinals: { start: 1 } } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels: { app: "m1", ...labels } }, spec: podSpec("m1", {}) },
    },
    status: {
      observedGeneration: 1,
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      currentReplicas: replicas,
    },
  });
  const owned = (name: string, on: string, of: string, labels: Fields): Item =>
    pod(name, on, {
      labels: {
        app: "m1",
        ...labels,
        "apps.kubernetes.io/pod-index": name.slice(name.lastIndexOf("-") + 1),
        "statefulset.kubernetes.io/pod-name": name,
      },
      owner: { apiVersion: "apps/v1", kind: "StatefulSet", name: of, uid: uid(`group set ${of}`) },
      spec: { hostname: name, subdomain: of },
    });
  return [
    nodes("n1 n2 n3 n4 n5 n6"),
    set("m1", 2, { role: "leader" }),
    set("m1-0", 1, { role: "worker", group: "g0" }),
    set("m1-1", 1, { role: "worker", group: "g1" }),
    owned("m1-0", "n1", "m1", { role: "leader" }),
    owned("m1-1", "n3", "m1", { role: "leader" }),
    owned("m1-0-1", "n2", "m1-0", { role: "worker", group: "g0" }),
    owned("m1-1-1", "n4", "m1-1", { role: "worker", group: "g1" }),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "m1-leaders", namespace: "serving" },
      spec: { selector: { app: "m1", role: "leader" }, ports: [{ name: "http", port: 8000 }] },
    },
    budget("m1", { ...shape, status: shape.selector === undefined ? [4, 4] : [2, 2] }),
  ];
}
const bothWorkers: readonly Fields[] = [
  { evict: "serving/m1-0-1" },
  { wait: "300ms" },
  { evict: "serving/m1-1-1" },
  { wait: "300ms" },
  { evict: "serving/m1-0" },
];

const standbys = (shape: {
  min?: number;
  max?: number;
  policy?: "AlwaysAllow";
}): readonly (Item | readonly Item[])[] => [
  nodes("s1 s2 s3"),
  deployment("picker", "s1 s2! s3!", { args: ["--ha-enable-leader-election"] }),
  service("picker"),
  budget("picker", { ...shape, status: [3, 1] }),
];

const refused = [
  nodes("n1 n2"),
  daemonSet("agent", "n1 n2"),
  deployment("m1", "n1", { spec: { volumes: [{ name: "shm", emptyDir: { medium: "Memory" } }] } }),
  deployment("gw", "n1"),
  pod("probe", "n1"),
  service("m1"),
  service("gw"),
];

const pulling = [three, deployment("m1", "n1 n2?"), service("m1"), budget("m1", { min: 1, status: [2, 1] })];
const apartOnTwo = (with_: Fields = {}): readonly (Item | readonly Item[])[] => [
  nodes("n1 n2"),
  deployment("m1", "n1 n2", { spec: antiAffinity("m1"), with: with_ }),
  service("m1"),
  budget("m1", { max: 1, status: [2, 2] }),
];
const keyed = (name: string): Fields =>
  patch("m1", {
    spec: {
      template: {
        metadata: { annotations: { touched: name } },
        spec: antiAffinity("m1", { matchLabelKeys: ["pod-template-hash"] }),
      },
    },
  });
const strategy = (maxSurge: number, maxUnavailable: number): Fields => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});

export const reported: readonly Recording[] = [
  recording(
    "reported-two-budgets",
    "Drain of a pod under two budgets fails at once and leaves the node closed.",
    twoBudgets,
    [{ drain: "n1" }],
  ),
  recording("reported-two-budgets-one-deleted", "With one of them deleted it goes.", twoBudgets, [
    deleteObject(budgetRef("all-models")),
    { wait: "1s" },
    { drain: "n1" },
  ]),
  recording(
    "reported-one-of-one-scaled",
    "Scaled to two on the closed node's neighbour first: it finishes.",
    oneOfOne,
    [{ cordon: ["n1"] }, scale("m1", 2), all, { drain: "n1" }],
  ),
  recording("reported-eighty-percent", "80% of three is three.", eighty("80%"), [{ drain: "n1" }]),
  recording("reported-sixty-six-percent", "66% of three is two.", eighty("66%"), [{ drain: "n1" }]),
  recording("reported-all-unready", "Two that are both not Ready block the drain.", bothUnready(), [{ drain: "n1" }]),
  recording("reported-all-unready-allowed", "AlwaysAllow lets them go.", bothUnready("AlwaysAllow"), [{ drain: "n1" }]),
  recording("reported-no-scale", "An owner without scale under maxUnavailable: for ever.", workers({ max: 1 }), [
    { drain: "n1" },
  ]),
  recording(
    "reported-no-scale-integer",
    "The same under an integer minAvailable: it goes, and nobody makes it again.",
    workers({ min: 1, status: [2, 2] }),
    [{ drain: "n1" }],
  ),
  recording(
    "reported-pulling",
    "A pod that still pulls goes without a look at the budget; the ready one waits for the next pull.",
    pulling,
    [{ drain: "n2" }, { drain: "n1" }],
  ),
  recording("reported-spread-cordoned", "A closed, empty node still counts; the next drain stalls.", spreadThree({}), [
    { drain: "n1" },
    { drain: "n2" },
  ]),
  recording(
    "reported-spread-cordoned-honor",
    "With taints honoured both drains finish.",
    spreadThree({ nodeTaintsPolicy: "Honor" }),
    [{ drain: "n1" }, all, { drain: "n2" }],
  ),
  recording(
    "reported-anti-affinity",
    "Kept apart on as many nodes as replicas: no rollout ever finishes.",
    apartOnTwo(),
    [patch("m1", { spec: { template: { metadata: { annotations: { touched: "1" } } } } }), all],
  ),
  recording(
    "reported-anti-affinity-keyed",
    "A template key does not help the rollout that brings it: the old pods' terms still hold.",
    apartOnTwo(),
    [keyed("1"), all],
  ),
  recording(
    "reported-anti-affinity-cured",
    "One less first, with the key; from then on one more works.",
    apartOnTwo(),
    [
      patch("m1", {
        spec: { ...strategy(0, 1), template: { spec: antiAffinity("m1", { matchLabelKeys: ["pod-template-hash"] }) } },
      }),
      all,
      patch("m1", { spec: { ...strategy(1, 0), template: { metadata: { annotations: { touched: "2" } } } } }),
      all,
    ],
  ),
  recording("reported-pile-up", "Two drains one after the other take both replicas at once.", piled(false), pileUp),
  recording("reported-pile-up-budget", "With a budget one is always there.", piled(true), pileUp),
  recording(
    "reported-quota",
    "A quota for the steady state forbids the second replica.",
    [
      nodes("n1 n2", { gpu: 1 }),
      quota("gpus", { "requests.nvidia.com/gpu": "1" }, { "requests.nvidia.com/gpu": "1" }),
      deployment("m1", "n1", { gpu: 1 }),
      service("m1"),
      budget("m1", { min: 1, status: [1, 1] }),
    ],
    [{ cordon: ["n1"] }, scale("m1", 2), { drain: "n1" }],
  ),
  recording("reported-pool-closed", "All system nodes closed first: gateway and picker have nowhere to go.", system, [
    { cordon: ["s1", "s2"] },
    { drain: "s1" },
    { drain: "s2" },
  ]),
  recording("reported-pool-new-node", "A new node joins: both land there.", system, [
    { cordon: ["s1", "s2"] },
    { drain: "s1" },
    { apply: [node("s3", { cpu: "4", memory: "16Gi" })] },
    all,
  ]),
  recording("reported-pool-one-at-a-time", "One node alone: out only while they start.", system, [
    { drain: "s1" },
    all,
  ]),
  recording(
    "reported-groups-half",
    "50% over all pods lets one worker of each group go.",
    groups({ min: "50%" }),
    bothWorkers,
  ),
  recording("reported-groups-three", "Three of four: one worker only.", groups({ min: 3 }), bothWorkers),
  recording(
    "reported-groups-leaders",
    "A budget over leaders does not see workers.",
    groups({ max: 1, selector: { matchLabels: { role: "leader" } } }),
    bothWorkers,
  ),
  recording(
    "reported-one-picker",
    "The only picker's node: none Ready until the next one is.",
    [
      nodes("s1 s2"),
      nodes("g1 g2", { gpu: 1, taints: gpuTaint }),
      deployment("picker", "s1"),
      deployment("m1", "g1 g2", { gpu: 1, spec: toGpu }),
      service("picker"),
      service("m1"),
    ],
    [{ drain: "s1" }, all],
  ),
  recording(
    "reported-standbys",
    "Standbys that are never Ready use the budget up: nobody may go.",
    standbys({ max: 1 }),
    [{ drain: "s2" }, { drain: "s1" }],
  ),
  recording(
    "reported-standbys-allowed",
    "AlwaysAllow frees the standby, not the leader.",
    standbys({ max: 1, policy: "AlwaysAllow" }),
    [{ drain: "s2" }, { drain: "s1" }],
  ),
  recording(
    "reported-standbys-min-one",
    "minAvailable 1: met, so the standby goes; the leader does not.",
    standbys({ min: 1 }),
    [{ drain: "s2" }, { drain: "s1" }],
  ),
  recording(
    "reported-grace",
    "preStop runs within the grace: the endpoint is out at once, the pod stays its whole time.",
    [
      three,
      deployment("m1", "n1 n2", {
        spec: { terminationGracePeriodSeconds: 8 },
        container: { lifecycle: { preStop: { sleep: { seconds: 4 } } } },
      }),
      service("m1"),
    ],
    [{ drain: "n1" }],
    { timing: { podStop: { "*": "30s" } } },
  ),
  recording("reported-refused", "Bare drain: three refusals in one go, nothing evicted, the node closed.", refused, [
    { drain: "n1", flags: [] },
  ]),
  recording("reported-refused-usual", "The usual flags: the bare pod still stops everything.", refused, [
    { drain: "n1" },
  ]),
  recording("reported-refused-forced", "With --force all go but the DaemonSet's.", refused, [
    { drain: "n1", flags: ["--ignore-daemonsets", "--delete-emptydir-data", "--force"] },
    all,
  ]),
];
