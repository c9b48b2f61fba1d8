import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amounts,
  deployment,
  labels,
  leaderWorkerSet,
  pod,
  replicaSet,
  selects,
  statefulSet,
  template,
} from "../../test/support/tiny.ts";
import { asAdmitted, learntFrom, whatIsAdded } from "./changed-on-admission.ts";
import type { PodTemplate, Toleration } from "./pod-template.ts";
import type { Workload } from "./workload.ts";

const gpu: Toleration = {
  key: "nvidia.com/gpu",
  operator: "Exists",
  value: "",
  effect: "NoSchedule",
  tolerationMs: null,
};
const web = template("web", { requests: amounts({ milliCpu: 1000 }) });
const hashed = { ...web, labels: labels({ app: "web", "pod-template-hash": "h1" }) };

function became(change: Partial<PodTemplate>, base: PodTemplate = hashed): PodTemplate {
  return { ...base, id: base.id + 1000, ...change };
}

function byKey(...workloads: readonly Workload[]): Map<string, Workload> {
  return new Map(workloads.map((workload) => [workload.key, workload]));
}

const top = deployment("web", { template: web });
const set = replicaSet("web-h1", { owner: top.key, template: hashed });

function learnt(change: Partial<PodTemplate>): readonly string[] {
  const changed = learntFrom(byKey(top, set), [pod("web-h1-a", { owner: set.key, template: became(change) })]);
  const { template: of } = changed.get(set.key) ?? { template: null };
  return of === null ? [] : whatIsAdded(of);
}

const spread: PodTemplate["topologySpread"][number] = {
  maxSkew: 1,
  topologyKey: "zone",
  whenUnsatisfiable: "DoNotSchedule",
  selector: selects({ app: "web" }),
  minDomains: null,
  nodeAffinityPolicy: "Honor",
  nodeTaintsPolicy: "Ignore",
  matchLabelKeys: [],
};

for (const [what, change, said] of [
  ["a toleration", { tolerations: [gpu] }, ["tolerations"]],
  ["a node selector", { nodeSelector: labels({ pool: "gpu" }) }, ["node selector"]],
  ["another scheduler", { schedulerName: "hami-scheduler" }, ["scheduler"]],
  ["more asked for", { requests: amounts({ milliCpu: 1100 }) }, ["containers or requests"]],
  ["a spread", { topologySpread: [spread] }, ["spread"]],
  ["a readiness gate", { readinessGates: ["target-health.elbv2.k8s.aws/web"] }, ["readiness gates"]],
  ["a class of priority", { priority: 5, priorityClassName: "high" }, ["priority"]],
  ["a grace period", { terminationGraceMs: 90_000 }, ["grace period"]],
  ["a volume", { volumes: [{ kind: "emptyDir", volume: "certs" }] }, ["volumes"]],
  ["labels and annotations, which change while it lives", { labels: labels({ app: "web", role: "leader" }) }, []],
  ["less asked for, as before there was a LimitRange", { requests: amounts({ milliCpu: 10 }) }, []],
  ["no class of priority, as before there was one by default", { priority: 9 }, []],
] as const satisfies readonly (readonly [string, Partial<PodTemplate>, readonly string[]])[]) {
  test(`learnt from a pod: ${what}`, () => assert.deepEqual(learnt(change), said));
}

test("the newest pod tells, and its Deployment and the sets beside it get the same", () => {
  const beside = replicaSet("web-h2", { owner: top.key, template: became({ terminationGraceMs: 1 }) });
  const workloads = byKey(top, set, beside);
  const changed = learntFrom(workloads, [
    pod("web-h1-a", { owner: set.key, createdAtMs: 1, template: became({ schedulerName: "old" }) }),
    pod("web-h1-b", { owner: set.key, createdAtMs: 2, template: became({ tolerations: [gpu] }) }),
  ]);
  for (const { key } of [top, set, beside]) {
    const workload = workloads.get(key);
    assert.ok(workload?.kind === "Deployment" || workload?.kind === "ReplicaSet");
    const admitted = asAdmitted(workload, changed, (made) => made);
    assert.ok("template" in admitted);
    assert.deepEqual(admitted.template.tolerations, [gpu], key);
    assert.equal(admitted.template.schedulerName, "default-scheduler");
    assert.equal(admitted.template.terminationGraceMs, workload.template.terminationGraceMs);
  }
});

test("what an edit says itself is kept, and what admission adds comes beside it", () => {
  const own: Toleration = { ...gpu, key: "dedicated" };
  const changed = learntFrom(byKey(top, set), [
    pod("web-h1-a", { owner: set.key, template: became({ tolerations: [gpu], terminationGraceMs: 90_000 }) }),
  ]);
  const edited = { ...top, template: { ...web, tolerations: [own], terminationGraceMs: 5000 } };
  const admitted = asAdmitted(edited, changed, (made) => made);
  assert.ok(admitted.kind === "Deployment");
  assert.deepEqual(admitted.template.tolerations, [own, gpu]);
  assert.equal(admitted.template.terminationGraceMs, 5000);
});

test("of a StatefulSet, pods of an older revision tell nothing", () => {
  const at = (revision: string): number => {
    const sets = statefulSet("db", { template: web, updateRevision: "db-2" });
    const old = pod("db-0", { owner: sets.key, revision, template: became({ tolerations: [gpu] }, web) });
    return learntFrom(byKey(sets), [old]).size;
  };
  assert.deepEqual([at("db-1"), at("db-2")], [0, 1]);
});

test("a LeaderWorkerSet's leaders and workers are each told by their own", () => {
  const group = leaderWorkerSet("big", { leaderTemplate: web, workerTemplate: web });
  const leaders = statefulSet("big", { owner: group.key, template: web, updateRevision: "r" });
  const name = labels({ "leaderworkerset.sigs.k8s.io/name": "big" });
  const workers = statefulSet("big-0", { owner: "Pod./ns/big-0", labels: name, template: web, updateRevision: "r" });
  const changed = learntFrom(byKey(group, leaders, workers), [
    pod("big-0", { owner: leaders.key, revision: "r", template: became({ schedulerName: "other" }, web) }),
    pod("big-0-1", { owner: workers.key, revision: "r", template: became({ tolerations: [gpu] }, web) }),
  ]);
  const admitted = asAdmitted(group, changed, (made) => made);
  assert.ok(admitted.kind === "LeaderWorkerSet");
  assert.equal(admitted.leaderTemplate.schedulerName, "other");
  assert.deepEqual(admitted.leaderTemplate.tolerations, []);
  assert.deepEqual(admitted.workerTemplate.tolerations, [gpu]);
});

test("a pod that waits tells nothing, nor one of a ReplicaSet that nobody owns", () => {
  const changed = became({ tolerations: [gpu] });
  const waiting = pod("web-h1-a", { owner: set.key, template: changed, nodeName: "" });
  assert.equal(learntFrom(byKey(top, set), [waiting]).size, 0);
  const alone = replicaSet("alone", { template: hashed });
  assert.equal(learntFrom(byKey(alone), [pod("alone-a", { owner: alone.key, template: changed })]).size, 0);
});

test("where pods are what their template says, nothing is learnt", () => {
  assert.equal(learntFrom(byKey(top, set), [pod("web-h1-a", { owner: set.key, template: hashed })]).size, 0);
});
