import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";

const made = 'creationTimestamp: "2026-01-01T00:00:00Z"';

function set(kind: string, namespace: string, status: string): string {
  return `apiVersion: apps/v1
kind: ${kind}
metadata: {name: web, namespace: ${namespace}}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}
status: {${status}}
`;
}

function pod(namespace: string, when = made): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: ${namespace}, labels: {app: web}${when === "" ? "" : `, ${when}`}}
spec: {containers: [{name: web, image: "web:1"}]}
`;
}

const node = `apiVersion: v1
kind: Node
metadata: {name: n1, ${made}}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
`;

/** What the input has, documents, why pods were not seen. */
const rows: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["pods of two namespaces", [node, pod("a"), pod("b")], /^$/],
  ["pods of one namespace alone", [node, pod("a")], /^the input has those of namespace a alone$/],
  ["pods of kube-system alone, as of a new cluster", [node, pod("kube-system")], /^$/],
  ["pods that were only written down", [node, pod("a", "")], /^$/],
  ["workloads that were only written down", [node, set("Deployment", "a", "")], /^$/],
  ["a workload without pods", [node, set("ReplicaSet", "a", "replicas: 0")], /^$/],
  ...(
    [
      ["Deployment", "replicas: 2"],
      ["ReplicaSet", "replicas: 2"],
      ["StatefulSet", "replicas: 2"],
      ["DaemonSet", "currentNumberScheduled: 2"],
    ] as const
  ).map(
    ([kind, status]) =>
      [
        `a ${kind} that runs, and no pods of its namespace`,
        [node, pod("b"), pod("c"), set(kind, "a", status)],
        /^the input has none of namespace a, whose workloads say that some run$/,
      ] as const,
  ),
  [
    "a workload that runs, and a pod of its namespace",
    [node, pod("a"), pod("b"), set("ReplicaSet", "a", "replicas: 2")],
    /^$/,
  ],
];

for (const [name, documents, why] of rows) {
  test(name, () => {
    const { notSeen } = clusterFrom(documents.join("---\n"));
    assert.ok(notSeen.every(({ resource }) => resource === "pods"));
    assert.match(notSeen.map((entry) => entry.why).join(), why);
  });
}
