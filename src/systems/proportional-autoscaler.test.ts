import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { knobText, servingCluster, type Thing, workload } from "../../test/support/serving.ts";
import { factsOf } from "./facts.ts";
import { proportionalScaler, type Size } from "./proportional-autoscaler.ts";
import { ruleFor } from "./registry.ts";

/** Read from cluster-proportional-autoscaler pkg/autoscaler/controller/linearcontroller and laddercontroller, v1.9. */

const dns = workload("coredns", { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } });
const scaler = (...args: readonly string[]): Thing =>
  workload("dns-autoscaler", {
    namespace: "kube-system",
    labels: { "k8s-app": "dns-autoscaler" },
    spec: {
      containers: [{ name: "autoscaler", image: "cpa:1", command: ["/cluster-proportional-autoscaler", ...args] }],
    },
  });
const usual = scaler("--namespace=kube-system", "--configmap=dns-autoscaler", "--target=Deployment/coredns");
const map = (data: Thing): Thing => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "dns-autoscaler", namespace: "kube-system" },
  data,
});
const linear = (parameters: Thing): readonly Thing[] => [dns, usual, map({ linear: JSON.stringify(parameters) })];
const ladder = (parameters: Thing): readonly Thing[] => [dns, usual, map({ ladder: JSON.stringify(parameters) })];
const of = (nodes: number, milliCpu = 0): Size => ({ nodes, milliCpu });

function replicas({
  things,
  size,
}: {
  readonly things: readonly Thing[];
  readonly size: Size;
}): number | null | string {
  const facts = factsOf(servingCluster(things));
  const part = facts.partsIn("kube-system").find(({ workload: { ref } }) => ref.name === "coredns");
  assert.ok(part);
  const found = proportionalScaler(facts, part.workload.ref);
  return found === null ? "none" : found.replicasAt(size);
}

const steps = {
  coresToReplicas: [
    [1, 1],
    [64, 3],
  ],
  nodesToReplicas: [
    [1, 1],
    [2, 2],
  ],
};

rows("replicas", replicas, [
  ["nobody sets them", { things: [dns], size: of(3) }, "none"],
  ["one that sets another's", { things: [dns, scaler("--configmap=m", "--target=deployment/x")], size: of(3) }, "none"],
  ["without its ConfigMap it is not known", { things: [dns, usual], size: of(3) }, null],
  ["by nodes, rounded up", { things: linear({ nodesPerReplica: 16 }), size: of(17) }, 2],
  ["by cores, rounded up", { things: linear({ coresPerReplica: 4, nodesPerReplica: 16 }), size: of(3, 8001) }, 3],
  ["at least", { things: linear({ nodesPerReplica: 16, min: 2 }), size: of(1) }, 2],
  ["at most", { things: linear({ nodesPerReplica: 1, max: 4 }), size: of(9) }, 4],
  [
    "two on several nodes",
    { things: linear({ nodesPerReplica: 16, preventSinglePointFailure: true }), size: of(2) },
    2,
  ],
  ["… and one on one", { things: linear({ nodesPerReplica: 16, preventSinglePointFailure: true }), size: of(1) }, 1],
  [
    "… and where it is not set",
    { things: linear({ nodesPerReplica: 16, preventSinglePointFailure: false }), size: of(2) },
    1,
  ],
  ["in steps of nodes", { things: ladder(steps), size: of(2, 1000) }, 2],
  ["in steps of cores", { things: ladder(steps), size: of(2, 64_000) }, 3],
  [
    "below the first step",
    {
      things: ladder({
        nodesToReplicas: [
          [5, 2],
          [9, 3],
        ],
      }),
      size: of(1),
    },
    2,
  ],
]);

test("its ConfigMap is where DNS gets another replica", () => {
  const knob = (things: readonly Thing[]): string => {
    const facts = factsOf(servingCluster(things));
    const part = facts.partsIn("kube-system").find(({ workload: { ref } }) => ref.name === "coredns");
    assert.ok(part);
    return knobText(ruleFor(part).knobs(part, facts).replicas);
  };
  assert.equal(knob(linear({ nodesPerReplica: 16 })), "ConfigMap/dns-autoscaler data.linear min");
  assert.equal(knob(linear({ nodesPerReplica: 16, max: 1 })), "code", "a minimum above the maximum is refused");
  assert.equal(knob(ladder(steps)), "code");
  assert.equal(knob([dns, usual]), "code");
  assert.equal(knob([dns]), "Deployment/coredns spec.replicas");
});
