import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";

const made = (kind: string, name: string, owner: string): string => `apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, namespace: ns, ownerReferences: [{ ${owner}, uid: "", controller: true }] }
spec: { selector: { matchLabels: { app: a } }, template: { metadata: { labels: { app: a } }, spec: { containers: [{ name: c, image: i }] } } }
`;
const by = (kind: string, name: string, apiVersion = "apps/v1"): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}`;

function owners(...texts: readonly string[]): readonly string[] {
  const cluster = clusterFrom(texts.join("---\n"), { problemsAllowed: true });
  return [
    ...[...cluster.workloads.values()].map(({ ref, owner }) => `${ref.name} < ${owner ?? "nobody"}`),
    ...cluster.problems.map(({ message }) => message).filter((message) => message.includes("lead back")),
  ];
}

test("a chain that ends stays as it is", () => {
  assert.deepEqual(
    owners(made("ReplicaSet", "r", by("Deployment", "d")), made("Deployment", "d", by("Other", "o", "x/v1"))),
    ["r < Deployment.apps/ns/d", "d < Other.x/ns/o", "o < nobody"],
  );
});

test("one that bites its own tail is cut once, and told", () => {
  assert.deepEqual(owners(made("ReplicaSet", "r", by("ReplicaSet", "r"))), [
    "r < nobody",
    "the owners of ReplicaSet ns/r lead back to itself; taken as owned by nobody",
  ]);
  assert.deepEqual(
    owners(made("ReplicaSet", "r", by("StatefulSet", "s")), made("StatefulSet", "s", by("ReplicaSet", "r"))),
    [
      "r < nobody",
      "s < ReplicaSet.apps/ns/r",
      "the owners of ReplicaSet ns/r lead back to itself; taken as owned by nobody",
    ],
  );
});

test("also through a pod", () => {
  const pod = `apiVersion: v1
kind: Pod
metadata: { name: p, namespace: ns, ownerReferences: [{ ${by("StatefulSet", "s")}, uid: "", controller: true }] }
spec: { containers: [{ name: c, image: i }] }
`;
  assert.deepEqual(owners(made("StatefulSet", "s", by("Pod", "p", "v1")), pod), [
    "s < nobody",
    "the owners of StatefulSet ns/s lead back to itself; taken as owned by nobody",
  ]);
});
