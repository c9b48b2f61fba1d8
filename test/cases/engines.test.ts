import {
  budget,
  daemonSet,
  deployment,
  type Fields,
  type Item,
  loneSet,
  nodes,
  pod,
  service,
  statefulSet,
  uid,
} from "../../scripts/recordings/objects.ts";
import type { Items } from "../../scripts/recordings/recording.ts";
import { testAll } from "./judged.ts";

// What counts as a model's engine, and what becomes of it, by the kind of what makes its pods.

const gpus: Items = nodes("g1 g2 g3", { gpu: 1 });
const oneAtATime = budget("m1", { max: 1, status: [2, 2] });
const inside = service("m1");
const headless: Item = { ...inside, spec: { clusterIP: "None", selector: { app: "m1" }, ports: [{ port: 8000 }] } };
const toService: Item = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "m1", namespace: "serving" },
  spec: { defaultBackend: { service: { name: "m1", port: { number: 8000 } } } },
};

/** Nodes with so many of a resource each, and a container that asks for one. */
const withResource = (resource: string, count: number): Items =>
  nodes("g1 g2 g3").map((node) => {
    const size = { cpu: "8", memory: "32Gi", pods: "110", [resource]: String(count) };
    return { ...node, status: { ...Object(node["status"]), capacity: size, allocatable: size } };
  });
const asksFor = (resource: string): Fields => ({
  container: { resources: { requests: { cpu: "1", [resource]: "1" }, limits: { [resource]: "1" } } },
});

const staticPod = (on: string): Item =>
  pod(`m1-${on}`, on, {
    ...{ gpu: 1, labels: { app: "m1" }, annotations: { "kubernetes.io/config.mirror": "x" } },
    owner: { apiVersion: "v1", kind: "Node", name: on, uid: uid(`node ${on}`) },
  });

const rollout: Item = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Rollout",
  metadata: { name: "m1", namespace: "serving", uid: uid("rollout m1") },
  spec: { replicas: 2, selector: { matchLabels: { app: "m1" } } },
  status: { replicas: 2 },
};
const underRollout = (item: Item): Item => {
  if (item.kind !== "ReplicaSet") return item;
  const { apiVersion, kind } = rollout;
  const owner = { apiVersion, kind, name: "m1", uid: uid("rollout m1"), controller: true };
  return { ...item, metadata: { ...item.metadata, ownerReferences: [owner] } };
};

/** A webhook gave the one that waits a gate, as Kueue's does; the template has none. */
const gated = (item: Item): Item => {
  const spec = Object(item["spec"]);
  if (item.kind !== "Pod" || "nodeName" in spec) return item;
  const conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }];
  const schedulingGates = [{ name: "kueue.x-k8s.io/admission" }];
  return { ...item, spec: { ...spec, schedulingGates }, status: { phase: "Pending", conditions } };
};

function managed(item: Item): Item {
  const labels = { ...Object(item.metadata["labels"]), "kueue.x-k8s.io/managed": "true" };
  return item.kind === "Pod" ? { ...item, metadata: { ...item.metadata, labels } } : item;
}

const oneGated = deployment("m1", "g1 g2 ?", { gpu: 1 }).map(gated);

testAll([
  {
    name: "a pod behind Kueue's gate: who lifts it is not played, and it waits for no node",
    why: "schedulinggates/scheduling_gates.go PreEnqueue; Kueue lifts the gate once its quota admits the pod.",
    cluster: [gpus, oneGated, inside, budget("m1", { max: 1, status: [3, 2] })],
    verdict: "undecided",
    gaps: ["its pods wait for scheduling gates kueue.x-k8s.io/admission"],
    codes: [],
  },
  {
    name: "pods that Kueue let run: the next ones wait for it again",
    why: "Kueue's webhook gates every pod it manages as it is made, and labels it kueue.x-k8s.io/managed.",
    cluster: [gpus, deployment("m1", "g1 g2", { gpu: 1 }).map(managed), inside, oneAtATime],
    verdict: "undecided",
    gaps: ["its pods wait for scheduling gates kueue.x-k8s.io/admission"],
    codes: [],
  },
  {
    name: "the same behind a budget that lets none go even when all are Ready",
    why: "eviction.go checkAndDecrement: disruptionsAllowed stays 0, whoever lifts the gate.",
    cluster: [gpus, oneGated, inside, budget("m1", { max: 0, status: [3, 2] })],
    verdict: "stalls",
  },
  {
    name: "the same without a gate: no node has room",
    why: "noderesources/fit.go: two of three accelerators are taken, and the third is on nobody's node.",
    cluster: [
      nodes("g1 g2", { gpu: 1 }),
      deployment("m1", "g1 g2 ?", { gpu: 1 }),
      [inside, budget("m1", { max: 1, status: [3, 2] })],
    ],
    verdict: "stalls",
    told: ["HF013"],
  },
  ...["nvidia.com/mig-3g.40gb", "nvidia.com/gpu.shared", "volcano.sh/vgpu-number"].map((resource) => ({
    name: `a share of an accelerator makes an engine too: ${resource}`,
    why: "Extended resources are counted by name (noderesources/fit.go): a slice is one like any other.",
    cluster: [withResource(resource, 1), deployment("m1", "g1 g2", asksFor(resource)), inside, oneAtATime],
    verdict: "safe" as const,
  })),
  {
    name: "a model server without an accelerator, known by its image: one of it",
    cluster: [
      gpus,
      deployment("m1", "g1", { container: { image: "ghcr.io/huggingface/text-embeddings-inference:cpu-1.7" } }),
      inside,
    ],
    verdict: "unsafe",
    codes: ["HF001"],
  },
  {
    name: "a Service with an address of its own that names unready pods too is a way in",
    why: "endpointslice utils.go podToEndpoint: publishNotReadyAddresses makes every endpoint ready; peers look each other up behind headless ones.",
    cluster: [
      gpus,
      deployment("m1", "g1", { gpu: 1 }),
      [{ ...inside, spec: { ...Object(inside["spec"]), publishNotReadyAddresses: true } }],
    ],
    verdict: "unsafe",
  },
  {
    name: "a headless Service that an Ingress names is a way in",
    why: "Ingress and Gateway controllers send to the ready addresses of its EndpointSlices.",
    cluster: [gpus, statefulSet("m1", "g1 g2", { gpu: 1 }), headless, toService, oneAtATime],
    verdict: "undecided",
    gaps: ["whether requests reach the model"],
  },
  {
    name: "an engine a node: drains leave DaemonSet pods, and the machines go down one after the other",
    why: "pkg/drain/filters.go daemonSetFilter; nothing waits for such a pod before the next node.",
    cluster: [gpus, daemonSet("m1", "g1 g2 g3", { gpu: 1, container: { image: "vllm/vllm-openai:v0.11.0" } }), inside],
    verdict: "unsafe",
    codes: ["HF034"],
  },
  {
    name: "static pods: their mirrors are not evicted, and no budget helps",
    why: "pkg/drain/filters.go mirrorPodFilter.",
    cluster: [gpus, staticPod("g1"), staticPod("g2"), inside],
    verdict: "unsafe",
    codes: [],
  },
  {
    name: "a ReplicaSet that nobody owns",
    cluster: [gpus, loneSet("ReplicaSet", "m1", "g1 g2", { gpu: 1 }), inside, oneAtATime],
    verdict: "safe",
  },
  {
    name: "a paused Deployment: its ReplicaSet replaces pods all the same",
    why: "Paused holds rollouts only (pkg/controller/deployment/sync.go); the ReplicaSet's controller knows nothing of it.",
    cluster: [gpus, deployment("m1", "g1 g2", { gpu: 1, with: { paused: true } }), inside, oneAtATime],
    verdict: "safe",
  },
  {
    name: "Redis beside the engines is on nobody's path",
    cluster: [
      gpus,
      deployment("m1", "g1 g2", { gpu: 1 }),
      inside,
      oneAtATime,
      deployment("redis", "g3"),
      service("redis"),
    ],
    verdict: "safe",
    endpoints: ["m1 safe"],
  },
  {
    name: "half of three may go: two at once from one node, and only one can be spared",
    why: "maxUnavailable percentages round up (disruption.go, GetScaledValueFromIntOrPercent roundUp): 50% of 3 is 2.",
    cluster: [
      [nodes("g9", { gpu: 3 }), nodes("g1 g2 g3 g4", { gpu: 1 })],
      deployment("m1", "g9 g9 g1", { gpu: 1 }),
      [inside, budget("m1", { max: "50%", status: [3, 3] })],
    ],
    verdict: "unsafe",
    codes: ["HF033"],
  },
  {
    name: "60% of three must stay: two, so that one goes at a time",
    cluster: [
      [nodes("g9", { gpu: 3 }), nodes("g1 g2 g3 g4", { gpu: 1 })],
      deployment("m1", "g9 g9 g1", { gpu: 1 }),
      [inside, budget("m1", { min: "60%", status: [3, 3] })],
    ],
    verdict: "safe",
    codes: [],
  },
  {
    name: "a ReplicaSet under Argo's Rollout makes its pods again like any other",
    why: "The ReplicaSet controller does not ask who owns the set; the Rollout's controller only sets its replicas.",
    cluster: [gpus, rollout, loneSet("ReplicaSet", "m1", "g1 g2", { gpu: 1 }).map(underRollout), inside, oneAtATime],
    verdict: "safe",
  },
  {
    name: "engines of one Service in two Deployments, and a budget over one of them",
    cluster: [
      nodes("g1 g2 g3 g4", { gpu: 1 }),
      deployment("m1", "g1", { gpu: 1, labels: { model: "x" } }),
      deployment("m2", "g2", { gpu: 1, labels: { model: "x" } }),
      { ...service("x"), spec: { selector: { model: "x" }, ports: [{ port: 80 }] } },
      budget("m1", { max: 1, status: [1, 1] }),
    ],
    verdict: "unsafe",
    codes: ["HF002"],
  },
]);
