import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Thing } from "./serving.ts";
import {
  asksForGpus,
  at,
  gpusOf,
  isKind,
  labelsOf,
  list,
  metadataOf,
  nameOf,
  namespaceOf,
  ownerOf,
  selects,
  specOf,
  type Tree,
} from "./trees.ts";

/**
 * The objects of test/systems/NAME, as the system's controllers make them, set up well: two of everything on two nodes,
 * spread so that a rollout finishes, under budgets of one.
 */
export function wellSetUp(system: string): readonly Thing[] {
  const file = join(import.meta.dirname, "..", "systems", system, "cluster.yaml");
  const read: readonly Tree[] = parseAllDocuments(readFileSync(file, "utf8")).flatMap((document) => {
    const value: unknown = document.toJS();
    return list([value]);
  });
  const things = [...read.filter((thing) => !isKind(thing, "PodDisruptionBudget", "Node")), ...twoPools(read)];
  const made = new Set<Tree>();
  const budgets = [
    ...things
      .filter((thing) => isKind(thing, "Deployment", "StatefulSet") && !/^(LeaderWorkerSet|Pod)\//.test(ownerOf(thing)))
      .flatMap((maker) => twoOf(things, maker, made)),
    ...things.filter((thing) => isKind(thing, "LeaderWorkerSet")).map((set) => twoGroups(things, set, made)),
    ...customPods(things, made),
  ];
  for (const scaler of things.filter((thing) => isKind(thing, "HorizontalPodAutoscaler", "PodAutoscaler")))
    specOf(scaler)["minReplicas"] = 2;
  return [...things.filter((thing) => !replaced.has(thing)), ...budgets, ...made];
}

/** Two nodes for what needs no accelerators, and those that have some: `system-1`, `gpu-1` and so on, whatever the cloud. */
function twoPools(things: readonly Tree[]): readonly Tree[] {
  const nodes = things.filter((thing) => isKind(thing, "Node"));
  const isGpu = (node: Tree): boolean => "nvidia.com/gpu" in at(at(node, "status"), "allocatable");
  // Nodes of the control plane come last.
  const system = nodes.filter((node) => !isGpu(node)).sort((a, b) => taintsOf(a) - taintsOf(b));
  const names = new Map<string, string>();
  const named = (pool: string, members: readonly Tree[], count: number): readonly Tree[] =>
    members.flatMap((node, index) => {
      const name = `${pool}-${(index % count) + 1}`;
      names.set(nameOf(node), name);
      if (index >= count) return [];
      const zone = "topology.kubernetes.io/zone";
      const { status } = node;
      return [
        {
          ...{ apiVersion: "v1", kind: "Node", status, spec: pool === "system" ? {} : { taints: [gpuTaint] } },
          metadata: {
            name,
            labels: {
              "kubernetes.io/hostname": name,
              [zone]: index % 2 === 0 ? "a" : "b",
              "node-pool": pool,
            },
          },
        },
      ];
    });
  const gpu = nodes.filter(isGpu);
  // Where every node has accelerators, two more have none.
  const plain = system.length > 0 ? system : gpu.slice(0, 2).map(withoutGpus);
  const pools = [...named("system", plain, 2), ...named("gpu", gpu, gpu.length)];
  for (const pod of things.filter((thing) => isKind(thing, "Pod")))
    specOf(pod)["nodeName"] = names.get(String(specOf(pod)["nodeName"]));
  return pools;
}

const gpuTaint = { key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" };

function withoutGpus(node: Tree): Tree {
  const { "nvidia.com/gpu": _, ...amounts } = at(at(node, "status"), "allocatable");
  const name = `${nameOf(node)}-plain`;
  return {
    ...structuredClone(node),
    metadata: { ...metadataOf(node), name },
    spec: {},
    status: { ...at(node, "status"), allocatable: amounts, capacity: amounts },
  };
}

function taintsOf(node: Tree): number {
  return list(specOf(node)["taints"]).length;
}

/** Pods that were made anew. */
const replaced = new WeakSet<Tree>();

/** Two replicas of a Deployment or StatefulSet, what is between it and its pods, and these; its budget. */
function twoOf(things: readonly Tree[], maker: Tree, made: Set<Tree>): readonly Tree[] {
  const name = nameOf(maker);
  const namespace = namespaceOf(maker);
  const replicaSet = things.find(
    (thing) =>
      isKind(thing, "ReplicaSet") && ownerOf(thing) === `Deployment/${name}` && namespaceOf(thing) === namespace,
  );
  const owner = replicaSet ?? maker;
  const pods = things.filter(
    (thing) =>
      isKind(thing, "Pod") &&
      ownerOf(thing) === `${String(owner["kind"])}/${nameOf(owner)}` &&
      namespaceOf(thing) === namespace,
  );
  const [pod] = pods;
  if (pod === undefined) return [];
  for (const old of pods) replaced.add(old);
  const selector = at(specOf(maker), "selector");
  const makers = new Set([maker, owner]);
  const templates = [...makers].map((one) => specOf(at(specOf(one), "template")));
  const podSpec = specOf(pod);
  const pool = asksForGpus(podSpec) ? "gpu" : "system";
  for (const spec of [...templates, podSpec]) {
    setPlace(spec, pool, selector, labelsOf(pod));
    electNobody(spec);
  }
  for (const one of makers) specOf(one)["replicas"] = 2;
  if (isKind(maker, "Deployment") && !fitsTwice(things, podSpec)) {
    specOf(maker)["strategy"] = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  }
  for (const index of [1, 2]) {
    const one = structuredClone(pod);
    metadataOf(one)["name"] = `${nameOf(owner)}-${index}`;
    specOf(one)["nodeName"] = `${pool}-${index}`;
    one["status"] = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    made.add(one);
  }
  return [budget(name, namespace, { maxUnavailable: 1, selector })];
}

/** All pickers are active. */
function electNobody(podSpec: Tree): void {
  for (const container of list(podSpec["containers"])) {
    const args = container["args"];
    if (Array.isArray(args)) container["args"] = args.filter((arg) => !String(arg).includes("leader-election"));
  }
}

/** On nodes of its pool, apart, so that neither a closed node nor an old pod is in the way of the next. */
function setPlace(podSpec: Tree, pool: string, labelSelector: Tree, labels: Tree): void {
  podSpec["nodeSelector"] = { "node-pool": pool };
  podSpec["affinity"] = {};
  if (pool === "gpu") podSpec["tolerations"] = [...list(podSpec["tolerations"]), { ...gpuTaint, operator: "Equal" }];
  podSpec["topologySpreadConstraints"] = [
    {
      ...{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule", labelSelector },
      ...{ nodeTaintsPolicy: "Honor", matchLabelKeys: ["pod-template-hash"] },
    },
  ];
  // Envoy Gateway gives its proxies five minutes beyond the minute in which they drain.
  if (labels["app.kubernetes.io/managed-by"] === "envoy-gateway") podSpec["terminationGracePeriodSeconds"] = 360;
}

/** A node has the accelerators for two of them. */
function fitsTwice(things: readonly Tree[], podSpec: Tree): boolean {
  const most = Math.max(
    ...things
      .filter((thing) => isKind(thing, "Node"))
      .map((node) => Number(at(at(node, "status"), "allocatable")["nvidia.com/gpu"] ?? 0)),
  );
  return gpusOf(podSpec) * 2 <= most;
}

const ofGroup = "leaderworkerset.sigs.k8s.io/group-index";

/** A second group like the first, each of its pods on a node of its own, where there is one; the budget of both. */
function twoGroups(things: readonly Tree[], set: Tree, made: Set<Tree>): Tree {
  const name = nameOf(set);
  const namespace = namespaceOf(set);
  if (specOf(set)["replicas"] === 1) {
    specOf(set)["replicas"] = 2;
    const first = things.filter(
      (thing) =>
        namespaceOf(thing) === namespace &&
        new RegExp(`^${name}-0(-\\d+)?$`).test(nameOf(thing)) &&
        isKind(thing, "Pod", "StatefulSet"),
    );
    for (const one of first) made.add(secondOf(one, name, things, made));
    for (const leaders of things.filter((thing) => isKind(thing, "StatefulSet") && nameOf(thing) === name))
      specOf(leaders)["replicas"] = 2;
  }
  const matchLabels = { "leaderworkerset.sigs.k8s.io/name": name };
  return budget(name, namespace, { maxUnavailable: 1, selector: { matchLabels } });
}

function secondOf(one: Tree, set: string, things: readonly Tree[], made: Set<Tree>): Tree {
  const text = JSON.stringify(one)
    .replaceAll(`"${set}-0`, `"${set}-1`)
    .replaceAll(`"${ofGroup}":"0"`, `"${ofGroup}":"1"`);
  const second: Tree = JSON.parse(text);
  if (!isKind(second, "Pod")) return second;
  const like = things.find((thing) => isKind(thing, "Node") && nameOf(thing) === specOf(one)["nodeName"]);
  if (like === undefined) return second;
  const node = structuredClone(like);
  metadataOf(node)["name"] = `gpu-for-${nameOf(second)}`;
  labelsOf(node)["kubernetes.io/hostname"] = nameOf(node);
  specOf(second)["nodeName"] = nameOf(node);
  made.add(node);
  return second;
}

/** Labels that tell one pod of a set from another. */
const ofOnePod = /pod-name|pod-index|pod-hash|identifier$/;

/** Pods of custom resources: two of each kind on two nodes; their budgets can only be integers. */
function customPods(things: readonly Tree[], made: Set<Tree>): readonly Tree[] {
  const own = things.filter(
    (thing) =>
      isKind(thing, "Pod") && !/^(ReplicaSet|StatefulSet|DaemonSet|)\//.test(ownerOf(thing)) && ownerOf(thing) !== "",
  );
  const alike = Map.groupBy(own, (pod) => JSON.stringify([ownerOf(pod), sharedLabels(pod)]));
  return [...alike.values()].flatMap((pods) => {
    const [first] = pods;
    if (first === undefined || labelsOf(first)["ray.io/node-type"] === "head") return [];
    const pool = asksForGpus(specOf(first)) ? "gpu" : "system";
    for (const old of pods) replaced.add(old);
    for (const index of [1, 2]) {
      const one = structuredClone(pods[index - 1] ?? first);
      if (index > pods.length) metadataOf(one)["name"] = `${nameOf(first)}-${index}`;
      specOf(one)["nodeName"] = `${pool}-${index}`;
      made.add(one);
    }
    const name = nameOf(first);
    const selector = { matchLabels: sharedLabels(first) };
    const owner = things.find((thing) => `${String(thing["kind"])}/${nameOf(thing)}` === ownerOf(first));
    const scales = owner !== undefined && "replicas" in specOf(owner);
    if (owner !== undefined && scales) specOf(owner)["replicas"] = 2;
    const wanted = scales ? { maxUnavailable: 1 } : { minAvailable: 1 };
    return [budget(name, namespaceOf(first), { ...wanted, selector })];
  });
}

function sharedLabels(pod: Tree): Tree {
  return Object.fromEntries(Object.entries(labelsOf(pod)).filter(([key]) => !ofOnePod.test(key)));
}

function budget(name: string, namespace: string, spec: Tree): Tree {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace }, spec };
}

/** The budgets over a pod. */
export function budgetsOver(things: readonly Tree[], pod: Tree): readonly Tree[] {
  return things.filter(
    (thing) =>
      isKind(thing, "PodDisruptionBudget") &&
      namespaceOf(thing) === namespaceOf(pod) &&
      selects(specOf(thing)["selector"], labelsOf(pod)),
  );
}
