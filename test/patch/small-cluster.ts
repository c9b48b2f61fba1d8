import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";

/** A Deployment with its ReplicaSet and pods, placed. */
export interface Part {
  readonly namespace: string;
  readonly name: string;
  /** Node of each pod; as many as are wanted. */
  readonly on: readonly string[];
  readonly milliCpu: number;
  /** More of the pod's spec. */
  readonly pod?: JsonObject;
  readonly strategy?: JsonObject;
  readonly labels?: JsonObject;
}

export function node(name: string, milliCpu: number, more: JsonObject = {}): WireObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec: more,
    status: {
      allocatable: { cpu: `${milliCpu}m`, memory: "64Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

export function workload({
  namespace,
  name,
  on,
  milliCpu,
  pod = {},
  strategy,
  labels: more = {},
}: Part): readonly WireObject[] {
  const labels = { app: name, ...more };
  const hashed = { ...labels, "pod-template-hash": "1" };
  const container = { name: "main", image: "x", resources: { requests: { cpu: `${milliCpu}m` } } };
  const spec = { ...pod, containers: [container] };
  const owner = (kind: string, uid: string): JsonObject => ({
    apiVersion: "apps/v1",
    kind,
    name: uid,
    uid,
    controller: true,
  });
  const set = `${name}-1`;
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, uid: name },
      spec: {
        replicas: on.length,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
        ...(strategy === undefined ? {} : { strategy }),
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: set, namespace, uid: set, labels: hashed, ownerReferences: [owner("Deployment", name)] },
      spec: {
        replicas: on.length,
        selector: { matchLabels: hashed },
        template: { metadata: { labels: hashed }, spec },
      },
    },
    ...on.map((nodeName, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${set}-${index}`, namespace, labels: hashed, ownerReferences: [owner("ReplicaSet", set)] },
      spec: { ...spec, nodeName },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    })),
  ];
}

/** A Service in front; `endpoint`: what a model is called that it leads to. */
export function service(namespace: string, name: string, selector: JsonObject, endpoint = ""): WireObject {
  const annotations = endpoint === "" ? {} : { annotations: { "holdfast.dev/endpoint": endpoint } };
  const labels = name === "kube-dns" ? { labels: { "k8s-app": "kube-dns" } } : {};
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, ...annotations, ...labels },
    spec: { selector, ports: [{ port: 80 }] },
  };
}

export function budget(namespace: string, name: string, spec: JsonObject): WireObject {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace }, spec };
}
