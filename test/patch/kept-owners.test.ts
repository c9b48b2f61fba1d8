import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Change, FixReport } from "../../src/report/types.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";
import { node, service, workload } from "./small-cluster.ts";

// Owners whose operator makes the pods itself: a change of theirs is played as the operator carries it out.

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

interface Storm {
  /** Role → node of each of its pods. */
  readonly roles: { readonly [role: string]: readonly string[] };
  readonly nodes: readonly string[];
  readonly updateStrategy?: JsonObject;
}

function aibrix({ roles, nodes, updateStrategy = {} }: Storm): readonly WireObject[] {
  const template = {
    roles: Object.entries(roles).map(([name, on]) => ({
      name,
      replicas: on.length,
      template: { metadata: { labels: { app: name } }, spec: gpu },
    })),
  };
  return [
    ...nodes.map((name) => node(name, 4000)),
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
        replicas: 1,
        selector: { matchLabels: { app: "pd" } },
        updateStrategy,
        template: { metadata: { labels: { app: "pd" } }, spec: template },
      },
    },
    {
      ...roleSet,
      metadata: {
        name: "pd-roleset-0",
        namespace: "models",
        uid: "pd-roleset-0",
        labels: { "storm-service-name": "pd" },
        ownerReferences: [{ ...storm, name: "pd", uid: "pd", controller: true }],
      },
      spec: template,
    },
    service("models", "pd", { "storm-service-name": "pd" }),
    ...Object.entries(roles).flatMap(([role, on]) =>
      on.map((nodeName, index) =>
        pod(
          "models",
          `pd-roleset-0-${role}-${index}`,
          nodeName,
          { app: role, "storm-service-name": "pd", "roleset-name": "pd-roleset-0", "role-name": role },
          { ...roleSet, name: "pd-roleset-0" },
        ),
      ),
    ),
  ];
}

function shown({ do: what, target, fields }: Change): string {
  const set = fields.map(({ path, value }) => `${path}=${typeof value === "object" ? "…" : String(value)}`);
  return `${what} ${target.kind} ${target.name}${what === "create" ? "" : ` ${set.join(" ")}`}`;
}

const rayCluster = { apiVersion: "ray.io/v1", kind: "RayCluster" };

interface Ray {
  /** Nodes of the workers. */
  readonly workers: readonly string[];
  readonly nodes: readonly string[];
  readonly config?: JsonObject;
  readonly service?: JsonObject;
}

/** A head that may go, and one group of workers. */
function ray({ workers, nodes, config = {}, service: more = {} }: Ray): readonly WireObject[] {
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
      on: ["calm-1"],
      milliCpu: 100,
      pod: { nodeSelector: { "kubernetes.io/hostname": "calm-1" } },
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

/** Nodes are closed one after the other, and come back. */
const oneByOne = { actors: ["openshift-mco"] };

describe("a StormService", () => {
  test("of one set gets a second one: no rollout goes with it, and it has one more of every role", () => {
    const objects = aibrix({ roles: { prefill: ["n-1"], decode: ["n-2"] }, nodes: ["n-1", "n-2", "n-3", "n-4"] });
    const { changes, after, rollout, cost } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), ["edit StormService pd spec.replicas=2"]);
    assert.deepEqual(cost, { milliCpu: 6000, memoryBytes: 0, gpus: 0 });
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), Array(2).fill("RoleSet.orchestration.aibrix.ai/models/pd-~1"));
  });

  test("changed in place gets one more of the role that is one, and nothing else", () => {
    const objects = aibrix({
      roles: { prefill: ["n-1"], decode: ["n-2", "n-3"] },
      nodes: ["n-1", "n-2", "n-3", "n-4"],
      updateStrategy: { type: "InPlaceUpdate" },
    });
    const { changes, cost, rollout } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), ["edit StormService pd spec.template.spec.roles[name=prefill].replicas=2"]);
    assert.deepEqual(cost, { milliCpu: 3000, memoryBytes: 0, gpus: 0 });
    assert.deepEqual(madeBy(rollout), ["RoleSet.orchestration.aibrix.ai/models/pd-roleset-0"]);
  });

  test("that has no room for one more set is not changed", () => {
    const objects = aibrix({ roles: { prefill: ["n-1"], decode: ["n-2"] }, nodes: ["n-1", "n-2"] });
    const { changes, cannot } = fixReport(snapshotOf(objects), oneByOne);
    assert.deepEqual(changes.map(shown), []);
    assert.match(cannot[0]?.leastHelp ?? "", /^One more node like .* With changes of StormService models\/pd/);
  });
});

describe("a RayService", () => {
  test("gets a second worker where it holds: in the cluster that serves, and in the service for the next one", () => {
    const objects = ray({ workers: ["n-1"], nodes: ["n-1", "n-2", "n-3"] });
    const { changes, after, rollout } = fixReport(snapshotOf(objects), oneByOne);
    const group = "workerGroupSpecs[groupName=gpu]";
    assert.deepEqual(changes.map(shown), [
      `edit RayCluster serve-a spec.${group}.replicas=2 spec.${group}.maxReplicas=2`,
      `edit RayService serve spec.rayClusterConfig.${group}.replicas=2 spec.rayClusterConfig.${group}.maxReplicas=2`,
    ]);
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), ["RayCluster.ray.io/models/serve-a"]);
  });

  const together = { workers: ["calm-1", "calm-1"], nodes: ["n-1", "n-2", "n-3"] };

  test("whose workers stand together gets a whole new cluster, which keeps apart what carries its own name", () => {
    const { changes, after, rollout } = fixReport(snapshotOf(ray(together)), oneByOne);
    assert.deepEqual(changes.map(shown), [
      "edit RayService serve spec.rayClusterConfig.workerGroupSpecs[groupName=gpu].template.spec.affinity.podAntiAffinity=…",
    ]);
    assert.deepEqual(changes[0]?.fields[0]?.value, {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          labelSelector: { matchLabels: { "ray.io/group": "gpu" } },
          topologyKey: "kubernetes.io/hostname",
          matchLabelKeys: ["ray.io/cluster"],
        },
      ],
    });
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["undecided", "safe"]);
    assert.deepEqual(madeBy(rollout), Array(3).fill("RayCluster.ray.io/models/serve-~1"));
  });

  test("without room for a whole new cluster is not changed: the new one would never be ready", () => {
    const { changes, cannot } = fixReport(snapshotOf(ray({ ...together, nodes: ["n-1", "n-2"] })), oneByOne);
    assert.deepEqual(changes.map(shown), []);
    assert.match(cannot[0]?.leastHelp ?? "", /^One more node like/);
  });

  test("that makes no new cluster for a change is not changed either", () => {
    const service = { upgradeStrategy: { type: "None" } };
    assert.deepEqual(fixReport(snapshotOf(ray({ ...together, service })), oneByOne).changes.map(shown), []);
  });
});

function madeBy({ timeline }: FixReport["rollout"]): readonly string[] {
  return timeline.flatMap((each) => (each.type === "pod-created" ? [each.owner] : []));
}
