import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { endpointsOf } from "../route/build.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { componentOf } from "./component.ts";

const node = (name: string, zone: string): string => `
apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { kubernetes.io/hostname: ${name}, topology.kubernetes.io/zone: ${zone} } }
status: { allocatable: { cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "8" }, conditions: [ { type: Ready, status: "True" } ] }
`;
const pod = (name: string, on: string, ready: boolean): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: ns
  labels: { app: llm }
  ownerReferences: [ { apiVersion: apps/v1, kind: StatefulSet, name: llm, controller: true } ]
spec: { ${on === "" ? "" : `nodeName: ${on},`} containers: [ { name: c, image: vllm/vllm-openai, resources: { limits: { nvidia.com/gpu: "1" } } } ] }
status: { phase: ${on === "" ? "Pending" : "Running"}, conditions: [ { type: Ready, status: "${ready ? "True" : "False"}" } ] }
`;
const serving = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: llm, namespace: ns }
spec:
  replicas: 3
  selector: { matchLabels: { app: llm } }
  template:
    metadata: { labels: { app: llm } }
    spec: { containers: [ { name: c, image: vllm/vllm-openai, resources: { limits: { nvidia.com/gpu: "1" } } } ] }
---
apiVersion: v1
kind: Service
metadata: { name: llm, namespace: ns, annotations: { holdfast.dev/endpoint: "true" } }
spec: { selector: { app: llm } }
`;
const budget = (status: string): string => `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: llm, namespace: ns, generation: 1 }
spec: { minAvailable: 1, selector: { matchLabels: { app: llm } } }
${status}
`;

function engine(status = ""): ReturnType<typeof componentOf> {
  const documents = [
    node("n1", "a"),
    node("n2", "b"),
    pod("llm-0", "n2", true),
    pod("llm-1", "n1", true),
    pod("llm-2", "", false),
    serving,
    budget(status),
  ];
  const cluster = clusterFrom(documents.join("\n---\n"));
  const hop = endpointsOf(cluster).endpoints[0]?.hops.find((each) => each.hop === "engine");
  assert.ok(hop);
  return componentOf(new Ledger(cluster, new Journal()), hop, {
    drainOneNode: "unknown",
    cordonAll: "unknown",
    zoneLoss: "unknown",
  });
}

test("a budget without status allows what its arithmetic says", () => {
  assert.deepEqual(engine().budgets, [{ name: "llm", minAvailable: 1, maxUnavailable: null, disruptionsAllowed: 1 }]);
});

test("a budget with a status allows what that says", () => {
  const status =
    "status: { observedGeneration: 1, expectedPods: 3, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 }";
  assert.equal(engine(status).budgets[0]?.disruptionsAllowed, 0);
});

test("pods are counted node by node, in order of zones, those without a node first", () => {
  assert.deepEqual(engine().placed, [
    { node: "", zone: "", pods: 1, ready: 0 },
    { node: "n1", zone: "a", pods: 1, ready: 1 },
    { node: "n2", zone: "b", pods: 1, ready: 1 },
  ]);
});
