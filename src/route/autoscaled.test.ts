import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, type Fields, type Item, nodes, service } from "../../scripts/recordings/objects.ts";
import { type Items, recording } from "../../scripts/recordings/recording.ts";
import { nodeOf, running, twoOf } from "../../test/support/findings.ts";
import { object, service as serviceOf, servingCluster, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "./build.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "m1" };
const scaler = (apiVersion: string, kind: string, spec: Fields, annotations: Fields = {}): Item => ({
  apiVersion,
  kind,
  metadata: { name: "scaler", namespace: "serving", annotations },
  spec: { scaleTargetRef, maxReplicas: 8, ...spec },
});
const hpa = (minReplicas?: number): Item =>
  scaler("autoscaling/v2", "HorizontalPodAutoscaler", minReplicas === undefined ? {} : { minReplicas });
const keda = (spec: Fields, annotations: Fields = {}): Item =>
  scaler("keda.sh/v1alpha1", "ScaledObject", spec, annotations);
const neverDown = scaler("autoscaling/v2", "HorizontalPodAutoscaler", {
  behavior: { scaleDown: { selectPolicy: "Disabled" } },
});
const three: Items = [nodes("g1 g2 g3"), deployment("m1", "g1 g2 g3", { gpu: 1 }), service("m1")];

/** What is left open because of who scales. */
function openFor(...things: readonly Items[]): readonly string[] {
  const { cluster } = recording("", "", things, []);
  const [endpoint] = endpointsOf(servingCluster(JSON.parse(JSON.stringify(cluster)))).endpoints;
  return endpoint?.notModelled.map(({ couldChange }) => couldChange) ?? [];
}

const lastOne = ["whether anything serves while the last one moves"];
const stuck = ["whether budget serving/m1 lets any of them go"];

const rows: readonly (readonly [name: string, things: readonly Items[], open: readonly string[]])[] = [
  ["nobody scales", [three], []],
  ["down to one, also where no minimum is stated", [three, hpa()], lastOne],
  ["down to two", [three, hpa(2)], []],
  ["not below what there is", [three, hpa(3)], []],
  ["one that takes none away", [three, neverDown], []],
  ["… and whose maker goes to zero by itself", [three, neverDown, keda({})], lastOne],
  ["KEDA, before it has made its autoscaler", [three, keda({})], lastOne],
  ["KEDA, down to two", [three, keda({ minReplicaCount: 2 })], []],
  ["KEDA goes to zero where its autoscaler keeps two", [three, hpa(2), keda({ minReplicaCount: 0 })], lastOne],
  ["KEDA, idle at zero", [three, keda({ minReplicaCount: 2, idleReplicaCount: 0 })], lastOne],
  ["KEDA, paused", [three, keda({}, { "autoscaling.keda.sh/paused": "true" })], []],
  ["KEDA, no longer paused", [three, keda({}, { "autoscaling.keda.sh/paused": "false" })], lastOne],
  ["KEDA, paused at three", [three, keda({}, { "autoscaling.keda.sh/paused-replicas": "3" })], []],
  ["KEDA, paused at one", [three, keda({}, { "autoscaling.keda.sh/paused-replicas": "1" })], lastOne],
  ["AIBrix", [three, scaler("autoscaling.aibrix.ai/v1alpha1", "PodAutoscaler", { minReplicas: 1 })], lastOne],
  ["a budget that lets one of two go", [three, hpa(2), budget("m1", { max: 1 })], []],
  [
    "one that wants two of what another part has pods of too",
    [
      [three, hpa(2), deployment("m2", "g1", { labels: { tier: "m" } })],
      budget("m1", { min: 2, selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }),
    ],
    [],
  ],
  ["one that wants two of two", [three, hpa(2), budget("m1", { min: 2 })], stuck],
  ["one that wants all, now as then", [three, hpa(2), budget("m1", { min: "100%" })], []],
  ["a part that stands in for it", [three, hpa(), deployment("m2", "g1", { gpu: 1, labels: { app: "m1" } })], []],
];

for (const [name, things, open] of rows) test(name, () => assert.deepEqual(openFor(...things), open));

test("DNS whose replicas go with the nodes that take pods", () => {
  const dns = twoOf("coredns", "kube-system", ["s1", "s2"]);
  dns.labels["k8s-app"] = "kube-dns";
  const command = ["--configmap=dns-autoscaler", "--target=deployment/coredns"];
  const open = (parameters: string): readonly string[] => {
    const things = [
      ...["s1", "s2"].map((name) => nodeOf({ name, pool: "s", zone: "a", gpus: 0, cpu: "4" })),
      ...running("coredns", dns),
      ...running("m", twoOf("m", "ns", ["s1", "s2"])),
      serviceOf("m", { app: "m" }, { annotations: { "holdfast.dev/endpoint": "m" } }),
      serviceOf("kube-dns", { "k8s-app": "kube-dns" }, { namespace: "kube-system" }),
      workload("dns-autoscaler", { namespace: "kube-system", spec: { containers: [{ name: "a", command }] } }),
      {
        ...object("v1", "ConfigMap", "dns-autoscaler", {}, { namespace: "kube-system" }),
        data: { linear: parameters },
      },
    ];
    const [endpoint] = endpointsOf(servingCluster(things)).endpoints;
    return endpoint?.notModelled.map(({ what }) => what) ?? [];
  };
  const may =
    "the number of nodes that take pods, by which ConfigMap kube-system/dns-autoscaler may take its 2 replicas down to 1";
  assert.deepEqual(open('{"nodesPerReplica":1}'), [may]);
  assert.deepEqual(open('{"coresPerReplica":4}'), [may]);
  assert.deepEqual(open('{"nodesPerReplica":1,"min":2}'), []);
  assert.deepEqual(open(""), []);
});
