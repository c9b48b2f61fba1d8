import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Change, FixReport } from "../../src/report/types.ts";
import { readExample } from "../support/assess.ts";
import { fixReport } from "../support/fix.ts";

// What the recorded control plane did with the same clusters and several forms of the fix: test/recordings, gateway-*.

function verdicts(pairs: FixReport["after"]): readonly string[] {
  return pairs.map(({ endpoint, verdict }) => `${endpoint} ${verdict}`);
}

function shown({ do: what, holds, target, fields }: Change): string {
  const list = what === "create" ? "" : ` ${fields.map(({ path }) => path).join(" ")}`;
  return `${holds} ${what} ${target.kind}/${target.name}${list}`;
}

function fieldValue(report: FixReport, kind: string, path: string): unknown {
  return report.changes.find(({ target }) => target.kind === kind)?.fields.find((field) => field.path === path)?.value;
}

describe("the gateway incident", () => {
  const report = fixReport(readExample("modelplane-incident"));

  test("is put right at the owners, the picker in the composition", () => {
    assert.deepEqual(report.changes.map(shown), [
      "live edit Deployment/coredns spec.template.spec.topologySpreadConstraints",
      "live edit EnvoyProxy/cluster-gateway spec.provider.kubernetes.envoyDeployment.replicas spec.provider.kubernetes.envoyPDB.maxUnavailable spec.provider.kubernetes.envoyDeployment.pod.topologySpreadConstraints",
      "composition edit Deployment/chat-0-epp spec.replicas spec.template.spec.topologySpreadConstraints",
      "composition create PodDisruptionBudget/chat-0-epp-maintenance",
      "live edit Deployment/chat-0-main-7c5d9f spec.template.spec.affinity.podAntiAffinity spec.strategy",
    ]);
  });

  test("is unsafe before and with the live changes alone, safe with all, a second time too", () => {
    const chat = "mp-ml-team-5f2a9c/chat-0";
    assert.deepEqual(verdicts(report.before), [`${chat} unsafe`]);
    assert.deepEqual(verdicts(report.afterLiveOnly), [`${chat} unsafe`]);
    assert.match(report.afterLiveOnly[0]?.because ?? "", /Endpoint picker/);
    assert.deepEqual(verdicts(report.after), [`${chat} safe`]);
    assert.deepEqual(verdicts(report.secondMaintenance), [`${chat} safe`]);
    assert.equal(report.rollout.verdict, "safe");
    assert.deepEqual(report.cannot, []);
  });

  test("gives the picker as it should be made, whole", () => {
    const picker = report.changes.find(({ target, holds }) => target.kind === "Deployment" && holds === "composition");
    assert.equal(picker?.manager, "provider-kubernetes");
    const spec = picker?.object?.["spec"];
    assert.ok(typeof spec === "object" && spec !== null && !Array.isArray(spec) && "replicas" in spec);
    assert.equal(spec["replicas"], 2);
  });

  test("never proposes the spread that holds its own rollout up", () => {
    for (const { changes } of [report, ...report.alternatives]) {
      for (const { path, value } of changes.flatMap(({ fields }) => fields)) {
        if (!path.endsWith("topologySpreadConstraints") || !Array.isArray(value)) continue;
        for (const constraint of value) {
          assert.ok(
            constraint.whenUnsatisfiable !== "DoNotSchedule" || constraint.matchLabelKeys?.[0] === "pod-template-hash",
          );
        }
      }
    }
  });

  test("costs one more picker and one more proxy", () => {
    assert.deepEqual(report.cost, { milliCpu: 610, memoryBytes: 1_644_167_168, gpus: 0 });
  });
});

describe("the page's selectors", () => {
  const report = fixReport(readExample("openshift-as-written"));

  test("become ones that select, with a rollout that finishes", () => {
    assert.deepEqual(report.changes.map(shown), [
      "live edit PodDisruptionBudget/chat-pdb spec.selector",
      "live edit LLMInferenceService/chat spec.template.affinity.podAntiAffinity spec.rolloutStrategy",
      "live edit PodDisruptionBudget/rank-pdb spec.selector",
      "live edit InferenceService/rank spec.predictor.deploymentStrategy",
    ]);
    assert.deepEqual(fieldValue(report, "LLMInferenceService", "spec.rolloutStrategy"), {
      maxSurge: 0,
      maxUnavailable: 1,
    });
    const rank = report.changes.find(({ target }) => target.name === "rank-pdb");
    assert.deepEqual(rank?.fields, [{ path: "spec.selector", value: { matchLabels: { app: "isvc.rank-predictor" } } }]);
  });

  test("hold then", () => {
    assert.deepEqual(verdicts(report.after), ["demo-models/chat safe", "demo-models/rank safe"]);
    assert.deepEqual(verdicts(report.secondMaintenance), ["demo-models/chat safe", "demo-models/rank safe"]);
  });
});

test("one replica under a budget: the second one is said to cost a GPU", () => {
  const report = fixReport(readExample("openshift-one-replica"));
  assert.deepEqual(report.changes.map(shown), [
    "live edit LLMInferenceService/chat spec.replicas",
    "live edit InferenceService/rank spec.predictor.minReplicas spec.predictor.maxReplicas",
  ]);
  assert.equal(report.cost.gpus, 2);
  assert.deepEqual(verdicts(report.after), ["demo-models/chat safe", "demo-models/rank safe"]);
});

test("no room for what is wanted: one more node of that shape is the least help", () => {
  const report = fixReport(readExample("openshift-no-room"));
  assert.deepEqual(report.changes, []);
  for (const { leastHelp } of report.cannot) assert.match(leastHelp, /^One more node like ip-10-0-(?:51-34|75-166)\./);
  assert.equal(report.cannot.length, 2);
});

test("pickers that elect a leader are told to stop doing so, in the composition", () => {
  const report = fixReport(readExample("modelplane-standby"));
  const composed = ["composition edit Deployment/chat-0-epp spec.template.spec.containers spec.strategy"];
  assert.deepEqual(report.changes.map(shown), composed);
  assert.deepEqual(report.cannot, []);
  // Told to take all nodes in one command, kubectl drain opens none of them again.
  const byCommand = fixReport(readExample("modelplane-standby"), { actors: ["kubectl-drain"] });
  assert.deepEqual(byCommand.changes.map(shown), composed);
  assert.match(byCommand.cannot[0]?.leastHelp ?? "", /one node at a time/);
});

test("what is safe is left as it is", () => {
  const report = fixReport(readExample("openshift-two-replicas"));
  assert.deepEqual(report.changes, []);
  assert.deepEqual(report.cannot, []);
});
