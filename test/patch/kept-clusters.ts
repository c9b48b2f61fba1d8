import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { node, service, workload } from "./small-cluster.ts";

const storm = { apiVersion: "orchestration.aibrix.ai/v1alpha1", kind: "StormService" };
const roleSet = { ...storm, kind: "RoleSet" };
const gpu = { containers: [{ name: "engine", image: "x", resources: { requests: { cpu: "3" } } }] };

function pod(namespace: string, name: string, on: string, labels: JsonObject, owner: JsonObject): WireObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels,
      ownerReferences: [{ ...owner, uid: String(owner["name"]), controller: true }],
    },
    spec: { ...gpu, nodeName: on },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** A StormService and its sets, all alike. */
export interface Storm {
  /** Role → node of each of its pods. */
  readonly roles: { readonly [role: string]: readonly string[] };
  readonly nodes: readonly string[];
  readonly updateStrategy?: JsonObject;
  readonly sets?: number;
  readonly nodeMilliCpu?: number;
}

export function aibrix({
  roles,
  nodes,
  updateStrategy = {},
  sets = 1,
  nodeMilliCpu = 4000,
}: Storm): readonly WireObject[] {
  const names = Array.from({ length: sets }, (_, at) => `pd-roleset-${at}`);
  const template = {
    roles: Object.entries(roles).map(([name, on]) => ({
      name,
      replicas: on.length,
      template: { metadata: { labels: { app: name } }, spec: gpu },
    })),
  };
  return [
    ...nodes.map((name) => node(name, nodeMilliCpu)),
    node("calm-1", 4000),
    ...workload({
      namespace: "aibrix-system",
      name: "aibrix-controller-manager",
      on: ["calm-1"],
      milliCpu: 100,
      pod: { nodeSelector: { "kubernetes.io/hostname": "calm-1" } },
    }),
    {
      ...storm,
      metadata: { name: "pd", namespace: "models", uid: "pd" },
      spec: {
        replicas: sets,
        selector: { matchLabels: { app: "pd" } },
        updateStrategy,
        template: { metadata: { labels: { app: "pd" } }, spec: template },
      },
    },
    ...names.map((name) => ({
      ...roleSet,
      metadata: {
        name,
        namespace: "models",
        uid: name,
        labels: { "storm-service-name": "pd" },
        ownerReferences: [{ ...storm, name: "pd", uid: "pd", controller: true }],
      },
      spec: template,
    })),
    service("models", "pd", { "storm-service-name": "pd" }),
    ...names.flatMap((set) =>
      Object.entries(roles).flatMap(([role, on]) =>
        on.map((nodeName, index) =>
          pod(
            "models",
            `${set}-${role}-${index}`,
            nodeName,
            { app: role, "storm-service-name": "pd", "roleset-name": set, "role-name": role },
            { ...roleSet, name: set },
          ),
        ),
      ),
    ),
  ];
}

const rayCluster = { apiVersion: "ray.io/v1", kind: "RayCluster" };

export interface Ray {
  /** Nodes of the workers. */
  readonly workers: readonly string[];
  readonly nodes: readonly string[];
  readonly config?: JsonObject;
  readonly service?: JsonObject;
  /** Node of the operator, which runs nowhere else. */
  readonly operatorOn?: string;
}

/** A head that may go, and one group of workers. */
export function ray({
  workers,
  nodes,
  config = {},
  service: more = {},
  operatorOn = "calm-1",
}: Ray): readonly WireObject[] {
  const labels = (kind: string, group: string): JsonObject => ({
    "ray.io/cluster": "serve-a",
    "ray.io/node-type": kind,
    "ray.io/group": group,
    "ray.io/serve": String(kind === "worker"),
  });
  const groups = [
    {
      groupName: "gpu",
      replicas: workers.length,
      minReplicas: 0,
      maxReplicas: workers.length,
      template: { spec: gpu },
    },
  ];
  const spec = {
    gcsFaultToleranceOptions: { redisAddress: "redis:6379" },
    headGroupSpec: { template: { spec: gpu } },
    workerGroupSpecs: groups,
    ...config,
  };
  const owner = { ...rayCluster, name: "serve-a" };
  return [
    ...nodes.map((name) => node(name, 4000)),
    node("calm-1", 8000),
    ...workload({
      namespace: "kuberay",
      name: "kuberay-operator",
      on: [operatorOn],
      milliCpu: 100,
      pod: { nodeSelector: { "kubernetes.io/hostname": operatorOn } },
      labels: { "app.kubernetes.io/name": "kuberay-operator" },
    }).map((object) =>
      object.kind === "Deployment"
        ? { ...object, metadata: { ...object.metadata, labels: { "app.kubernetes.io/name": "kuberay-operator" } } }
        : object,
    ),
    {
      apiVersion: "ray.io/v1",
      kind: "RayService",
      metadata: { name: "serve", namespace: "models", uid: "serve" },
      spec: { excludeHeadPodFromServeSvc: true, rayClusterConfig: spec, ...more },
      status: { activeServiceStatus: { rayClusterName: "serve-a" } },
    },
    {
      ...rayCluster,
      metadata: {
        name: "serve-a",
        namespace: "models",
        uid: "serve-a",
        labels: { "ray.io/originated-from-cr-name": "serve" },
        ownerReferences: [
          { apiVersion: "ray.io/v1", kind: "RayService", name: "serve", uid: "serve", controller: true },
        ],
      },
      spec,
    },
    pod("models", "serve-a-head", "calm-1", labels("head", "headgroup"), owner),
    ...workers.map((on, index) => pod("models", `serve-a-gpu-${index}`, on, labels("worker", "gpu"), owner)),
    service("models", "serve-serve-svc", { "ray.io/cluster": "serve-a", "ray.io/serve": "true" }),
  ];
}
