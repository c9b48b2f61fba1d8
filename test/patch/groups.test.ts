import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noTiming } from "../../src/cli/timing-fields.ts";
import type { CheckOptions } from "../../src/report/options.ts";
import type { Change } from "../../src/report/types.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { groupKey } from "../../src/workload/group-pod.ts";
import { fixReport, snapshotOf } from "../support/fix.ts";
import { budget, node, service } from "./small-cluster.ts";

// Engines in groups under budgets that count pods: which of them holds is played, and was seen on a running LeaderWorkerSet
// controller (v0.10) with 2 groups of 4.

const prefix = "leaderworkerset.sigs.k8s.io";
const lws = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };
const sets = { apiVersion: "apps/v1", kind: "StatefulSet" };

interface Groups {
  /** Nodes of each group's pods, the leader's first. */
  readonly on: readonly (readonly string[])[];
  readonly nodes: readonly WireObject[];
  readonly more?: readonly WireObject[];
  readonly leaderTemplate?: boolean;
  /** An LLMInferenceService made it. */
  readonly kserve?: boolean;
}

const revision = { [`${prefix}/template-revision-hash`]: "1" };
const engine = { containers: [{ name: "engine", image: "x", resources: { requests: { cpu: "3" } } }] };

const kserveLabels = {
  "app.kubernetes.io/name": "deep",
  "app.kubernetes.io/part-of": "llminferenceservice",
  "app.kubernetes.io/component": "llminferenceservice-workload-leader",
};

function owned(owner: JsonObject, name: string): JsonObject {
  return { ownerReferences: [{ ...owner, name, uid: name, controller: true }] };
}

function cluster({ on, nodes, more = [], leaderTemplate = false, kserve = false }: Groups): readonly WireObject[] {
  const size = on[0]?.length ?? 0;
  const app = kserve ? kserveLabels : { app: "deep" };
  const labels = { [`${prefix}/name`]: "deep", ...revision, ...app };
  const template = { metadata: { labels: app }, spec: engine };
  const namespace = "models";
  const owner = { apiVersion: "serving.kserve.io/v1alpha2", kind: "LLMInferenceService" };
  const above = { ...owner, metadata: { name: "deep", namespace, uid: "llm" }, spec: { replicas: on.length } };
  return [
    ...nodes,
    ...(kserve ? [above] : []),
    {
      ...lws,
      metadata: { name: "deep", namespace, uid: "deep", labels: app, ...(kserve ? owned(owner, "deep") : {}) },
      spec: {
        replicas: on.length,
        leaderWorkerTemplate: {
          size,
          workerTemplate: template,
          ...(leaderTemplate ? { leaderTemplate: template } : {}),
        },
      },
    },
    {
      ...sets,
      metadata: { name: "deep", namespace, uid: "set-deep", labels, ...owned(lws, "deep") },
      spec: {
        replicas: on.length,
        podManagementPolicy: "Parallel",
        serviceName: "deep",
        selector: { matchLabels: { [`${prefix}/name`]: "deep", [`${prefix}/worker-index`]: "0" } },
        template: {
          metadata: { labels: { ...labels, [`${prefix}/worker-index`]: "0" } },
          spec: engine,
        },
      },
    },
    ...on.flatMap((places, group) => groupOf(group, places, { namespace, labels })),
    ...(kserve ? [] : [service(namespace, "deep", { app: "deep" }, "deep")]),
    ...more,
  ];
}

function groupOf(
  group: number,
  places: readonly string[],
  { namespace, labels }: { readonly namespace: string; readonly labels: JsonObject },
): readonly WireObject[] {
  const leader = `deep-${group}`;
  const own = {
    app: "deep",
    ...labels,
    [`${prefix}/group-index`]: `${group}`,
    [`${prefix}/group-key`]: groupKey(namespace, leader),
  };
  const pod = (name: string, index: number, nodeName: string, owner: JsonObject): WireObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: name, labels: { ...own, [`${prefix}/worker-index`]: `${index}` }, ...owner },
    spec: { ...engine, nodeName },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  const [first = "", ...rest] = places;
  return [
    pod(leader, 0, first, { ownerReferences: [{ ...sets, name: "deep", uid: "set-deep", controller: true }] }),
    {
      ...sets,
      metadata: {
        name: leader,
        namespace,
        uid: `set-${leader}`,
        labels: own,
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: leader, uid: leader, controller: true }],
      },
      spec: {
        replicas: rest.length,
        podManagementPolicy: "Parallel",
        serviceName: "deep",
        ordinals: { start: 1 },
        selector: { matchLabels: { [`${prefix}/name`]: "deep", [`${prefix}/group-index`]: `${group}` } },
        template: { metadata: { labels: own }, spec: engine },
      },
    },
    ...rest.map((nodeName, at) =>
      pod(`${leader}-${at + 1}`, at + 1, nodeName, {
        ownerReferences: [{ ...sets, name: leader, uid: `set-${leader}`, controller: true }],
      }),
    ),
  ];
}

function nodes(count: number): readonly WireObject[] {
  return Array.from({ length: count }, (_, at) => node(`n-${at + 1}`, 4000));
}

const apart = [
  ["n-1", "n-2"],
  ["n-3", "n-4"],
];

function overSet(name: string, numbers: JsonObject): WireObject {
  return budget("models", name, { ...numbers, selector: { matchLabels: { [`${prefix}/name`]: "deep" } } });
}

function overGroup(group: number, numbers: JsonObject): WireObject {
  return budget("models", `group-${group}`, {
    ...numbers,
    selector: { matchLabels: { [`${prefix}/name`]: "deep", [`${prefix}/group-index`]: `${group}` } },
  });
}

function shown({ do: what, target, fields }: Change): string {
  const set = fields.map(
    ({ path, value }) =>
      `${path}=${typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)}`,
  );
  return `${what} ${target.kind} ${target.name}${what === "edit" ? ` ${set.join(" ")}` : ""}`;
}

describe("groups of engines on nodes of their own, drained faster than they load", () => {
  const whole = `{"matchLabels":{"${prefix}/name":"deep"}}`;
  const rows: readonly (readonly [string, readonly WireObject[], string, readonly string[]])[] = [
    ["no budget lets both go", [], "unsafe", ["create PodDisruptionBudget deep-maintenance"]],
    ["one over the set holds", [overSet("all", { maxUnavailable: 1 })], "safe", []],
    [
      "one a group with maxUnavailable never allows an eviction: one over the set instead, the other off",
      [overGroup(0, { maxUnavailable: 1 }), overGroup(1, { maxUnavailable: 1 })],
      "stalls",
      [`edit PodDisruptionBudget group-0 spec.selector=${whole}`, "delete PodDisruptionBudget group-1"],
    ],
    [
      "one a group with minAvailable lets both go: one over the set instead, the other off",
      [overGroup(0, { minAvailable: 1 }), overGroup(1, { minAvailable: 1 })],
      "unsafe",
      [
        `edit PodDisruptionBudget group-0 spec.selector=${whole} spec.minAvailable=null spec.maxUnavailable=1`,
        "delete PodDisruptionBudget group-1",
      ],
    ],
    [
      "one over leaders guards no worker: over all of them",
      [
        budget("models", "leaders", {
          maxUnavailable: 1,
          selector: { matchLabels: { [`${prefix}/worker-index`]: "0" } },
        }),
      ],
      "unsafe",
      [`edit PodDisruptionBudget leaders spec.selector=${whole}`],
    ],
  ];
  for (const [name, more, before, changes] of rows) {
    test(name, () => {
      const report = fixReport(snapshotOf(cluster({ on: apart, nodes: nodes(6), more })), slow("openshift-mco"));
      assert.equal(report.before[0]?.verdict, before);
      assert.deepEqual(report.changes.map(shown), changes);
      assert.deepEqual([report.after[0]?.verdict, report.secondMaintenance[0]?.verdict], ["safe", "safe"]);
    });
  }
});

describe("groups of engines that share nodes", () => {
  const on = [
    ["n-1", "n-2"],
    ["n-1", "n-2"],
  ];
  const large = ["n-1", "n-2", "n-3", "n-4"].map((name) => node(name, 8000));
  const term =
    `{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"${prefix}/name":"deep"}},` +
    `"mismatchLabelKeys":["${prefix}/group-index"],"topologyKey":"kubernetes.io/hostname"}]}`;

  test("are kept apart for whoever asks no budget, in the templates of leaders and workers", () => {
    const objects = cluster({ on, nodes: large, leaderTemplate: true });
    const { changes, after, rollout } = fixReport(snapshotOf(objects), slow("gke-host-maintenance"));
    const template = "spec.leaderWorkerTemplate";
    assert.deepEqual(changes.map(shown), [
      `edit LeaderWorkerSet deep ${template}.workerTemplate.spec.affinity.podAntiAffinity=${term} ${template}.leaderTemplate.spec.affinity.podAntiAffinity=${term}`,
    ]);
    assert.deepEqual([after[0]?.verdict, rollout.verdict], ["safe", "safe"]);
  });

  test("are kept apart in the fields of the LLMInferenceService that made them", () => {
    const objects = cluster({ on, nodes: large, leaderTemplate: true, kserve: true });
    const { changes } = fixReport(snapshotOf(objects), slow("gke-host-maintenance"));
    assert.deepEqual(changes.map(shown), [
      `edit LLMInferenceService deep spec.template.affinity.podAntiAffinity=${term} spec.worker.affinity.podAntiAffinity=${term}`,
    ]);
  });

  test("need only a budget where evictions are asked for and there is room", () => {
    const { changes, after } = fixReport(snapshotOf(cluster({ on, nodes: large })), slow("openshift-mco"));
    assert.deepEqual(changes.map(shown), ["create PodDisruptionBudget deep-maintenance"]);
    assert.equal(after[0]?.verdict, "safe");
  });
});

/** An engine takes a quarter of an hour to load. */
function slow(actor: string): Partial<CheckOptions> {
  const podStart = [{ pattern: "models/*", span: { leastMs: 900_000, mostMs: 900_000 } }];
  return { actors: [actor], timing: { ...noTiming, podStart } };
}
