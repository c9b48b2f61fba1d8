import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, pod, service, workload } from "../../test/support/serving.ts";

const owner = { apiVersion: "ray.io/v1", kind: "RayCluster", name: "s-abc" };
const made = object("ray.io/v1", "RayCluster", "s-abc", {}, { labels: { "ray.io/originated-from-cr-name": "s" } });
const rayPod = (name: string, labels: object) =>
  pod(name, { labels: { "ray.io/cluster": "s-abc", ...labels }, owner, gpus: 1 });
const pods = [
  rayPod("s-head", { "ray.io/node-type": "head" }),
  rayPod("s-w1", { "ray.io/node-type": "worker", "ray.io/group": "big", "ray.io/serve": "true" }),
  rayPod("s-w2", { "ray.io/node-type": "worker", "ray.io/group": "small", "ray.io/serve": "true" }),
];
const rayService = (spec: object, config: object = {}) =>
  object("ray.io/v1", "RayService", "s", {
    ...spec,
    rayClusterConfig: {
      ...config,
      workerGroupSpecs: [
        { groupName: "big", replicas: 1, numOfHosts: 2 },
        { groupName: "small", minReplicas: 3 },
      ],
    },
  });

test("one head and every worker group, and KubeRay is said not to be modelled", () => {
  assert.deepEqual(pathsOf([rayService({}), made, ...pods, service("s-head-svc", { "ray.io/node-type": "head" })]), [
    "ray ns/s",
    "  head RayCluster/s-abc x1; none",
    "  engine RayCluster/s-abc x2; RayCluster/s-abc spec.workerGroupSpecs[groupName=big].replicas",
    "  engine RayCluster/s-abc x3; RayCluster/s-abc spec.workerGroupSpecs[groupName=small].replicas",
    "  ! RayCluster is not modelled",
  ]);
});

/** What came before gcsFaultToleranceOptions. */
const marked = { name: "s", namespace: "ns", annotations: { "ray.io/ft-enabled": "true" } };

test("the head is spared with GCS fault tolerance, whether or not requests go to it too", () => {
  const head = (spec: object, config: object): string | undefined =>
    pathsOf([rayService(spec, config), made, ...pods])[1];
  const tolerant = { gcsFaultToleranceOptions: { redisAddress: "redis:6379" } };
  assert.match(head({ excludeHeadPodFromServeSvc: true }, tolerant) ?? "", /not needed/);
  assert.match(head({}, tolerant) ?? "", /not needed/);
  assert.doesNotMatch(head({ excludeHeadPodFromServeSvc: true }, {}) ?? "", /not needed/);
  const annotated = { ...rayService({ excludeHeadPodFromServeSvc: true }), metadata: marked };
  assert.match(pathsOf([annotated, made, ...pods])[1] ?? "", /not needed/);
});

test("a Redis of this cluster, on which fault tolerance hangs, is named", () => {
  const tolerant = rayService({}, { gcsFaultToleranceOptions: { redisAddress: "redis.ns.svc:6379" } });
  const gaps = (...things: readonly object[]): readonly string[] =>
    pathsOf([tolerant, made, ...pods, ...things.map((thing) => ({ ...thing }))]).filter((line) =>
      line.includes("Redis"),
    );
  assert.deepEqual(gaps(), []);
  assert.equal(gaps(workload("redis"), service("redis", { app: "redis" })).length, 1);
});

test("hosts of one replica are a group once KubeRay labels them so", () => {
  const worker = (name: string, replica: string) =>
    rayPod(name, {
      "ray.io/node-type": "worker",
      "ray.io/group": "big",
      "ray.io/worker-group-replica-name": replica,
    });
  const labelled = [worker("b1", "big-x2k4d"), worker("b2", "big-x2k4d")];
  assert.match(pathsOf([rayService({}), made, ...labelled])[2] ?? "", /x1 groups of 2/);
});

test("the counts are those of the cluster that serves, as its autoscaler set them", () => {
  const group = { groupName: "big", minReplicas: 1, replicas: 4 };
  const scaled = { ...made, spec: { enableInTreeAutoscaling: true, workerGroupSpecs: [group] } };
  const [, , workers, ...gaps] = pathsOf([rayService({}), scaled, ...pods]);
  assert.match(workers ?? "", /engine RayCluster\/s-abc x4/);
  assert.ok(
    gaps.some((gap) => gap.includes("may take the 4 replicas of worker group big down to 1")),
    gaps.join(),
  );
});
