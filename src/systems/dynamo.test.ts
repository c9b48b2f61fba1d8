import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, pod, type Thing, workload } from "../../test/support/serving.ts";

const labels = (type: string, name = type) => ({
  "nvidia.com/dynamo-graph-deployment-name": "g",
  "nvidia.com/dynamo-component-type": type,
  "nvidia.com/dynamo-component": name,
});

test("frontend and each kind of worker, scaled in the graph", () => {
  const graph = object("nvidia.com/v1beta1", "DynamoGraphDeployment", "g", {});
  const things = [
    graph,
    workload("g-frontend", { labels: labels("frontend", "Frontend") }),
    workload("g-decode", { labels: labels("decode"), replicas: 2 }),
    workload("g-prefill", { labels: labels("prefill") }),
    workload("g-planner", { labels: labels("planner") }),
  ];
  assert.deepEqual(pathsOf(things), [
    "dynamo ns/g",
    "  frontend Deployment/g-frontend x1; DynamoGraphDeployment/g spec.components[name=Frontend].replicas",
    "  engine(decode) Deployment/g-decode x2; DynamoGraphDeployment/g spec.components[name=decode].replicas",
    "  engine(prefill) Deployment/g-prefill x1; DynamoGraphDeployment/g spec.components[name=prefill].replicas",
  ]);
});

test("the older API maps services by name", () => {
  const graph = object("nvidia.com/v1alpha1", "DynamoGraphDeployment", "g", {});
  assert.deepEqual(
    pathsOf([graph, workload("g-worker", { labels: labels("worker", "VllmWorker") })]).at(-1),
    "  engine Deployment/g-worker x1; DynamoGraphDeployment/g spec.services.VllmWorker.replicas",
  );
});

test("cliques are told not to be modelled", () => {
  const clique = { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name: "g-0-worker" };
  const things = [
    object("grove.io/v1alpha1", "PodClique", "g-0-worker", { replicas: 2 }),
    pod("g-0-worker-a", { labels: labels("worker"), owner: clique }),
    pod("g-0-worker-b", { labels: labels("worker"), owner: clique }),
  ];
  assert.deepEqual(pathsOf(things), [
    "dynamo ns/g",
    "  engine PodClique/g-0-worker x2; DynamoGraphDeployment/g spec.components[name=worker].replicas",
    "  ! PodClique is not modelled",
  ]);
});

test("an engine on several nodes is one unit: a replica of Grove's scaling group", () => {
  const clique = (replica: number, role: string): readonly Thing[] => {
    const name = `g-0-big-${replica}-${role}`;
    const grove = {
      "grove.io/podclique": name,
      "grove.io/podcliquescalinggroup": "g-0-big",
      "grove.io/podcliquescalinggroup-replica-index": String(replica),
    };
    const owner = { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name };
    return [
      object("grove.io/v1alpha1", "PodClique", name, { replicas: 1 }, { labels: grove }),
      pod(`${name}-a`, { labels: { ...labels("worker", "big"), ...grove }, owner }),
    ];
  };
  const things = [0, 1].flatMap((replica) => [...clique(replica, "ldr"), ...clique(replica, "wkr")]);
  assert.deepEqual(pathsOf(things).slice(0, 2), [
    "dynamo ns/g",
    "  engine PodCliqueScalingGroup/g-0-big x2 groups of 2; DynamoGraphDeployment/g spec.components[name=big].replicas",
  ]);
});
