import { test } from "node:test";
import {
  budget,
  customResource,
  deployment,
  type Fields,
  type Item,
  nodes,
  pod,
  podSpec,
  service,
  uid,
} from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, written } from "./case.ts";

const owner = { apiVersion: "ray.io/v1", kind: "RayCluster", name: "m1", uid: uid("ray m1") };

/** A RayCluster with one worker on each place, and its Service. */
const ray = (places: string, spec: Fields = {}, worker: Fields = {}, replicaLabel = ""): readonly Item[] => [
  customResource("ray.io", "v1", "RayCluster", "rayclusters"),
  {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    metadata: { name: "m1", namespace: "serving", uid: owner.uid },
    spec,
  },
  ...places.split(" ").map((on, index) => {
    const labels = { app: "m1", ...(replicaLabel === "" ? {} : { [replicaLabel]: "m1-a", host: `${index}` }) };
    return pod(`m1-worker-${index}`, on, { labels, owner, spec: worker }, index);
  }),
  service("m1"),
];
const operator = (on: string): readonly Item[] =>
  deployment("kuberay-operator", on, { labels: { "app.kubernetes.io/name": "kuberay-operator" } });

/** Engines whose pods wait for somebody else before they get a node; those that are there got theirs. */
const waiting = (spec: Fields, places: string): readonly Item[] => {
  const { schedulingGates: _, ...placed } = spec;
  return [
    ...deployment("m1", places, { gpu: 1, spec }).map((item) =>
      item.kind === "Pod"
        ? { ...item, spec: { ...podSpec("m1", { gpu: 1, spec: placed }), nodeName: nodeOf(item) } }
        : item,
    ),
    service("m1"),
    budget("m1", { max: 1, status: [places.split(" ").length, places.split(" ").length] }),
  ];
};
const engineOf = (app: string): unknown => Reflect.get(podSpec(app, { gpu: 1 }), "containers");
const nodeOf = ({ spec }: Item): unknown => (spec instanceof Object && "nodeName" in spec ? spec.nodeName : "");
const inTurn: readonly Fields[] = [{ drain: "n1" }, { uncordon: ["n1"] }, { drain: "n2" }];

/** Pods that a custom resource owns itself: its operator makes them again, if there is one. */
const cases: readonly Case[] = [
  written(
    "a worker is made again once the old one is gone",
    [nodes("n1 n2 n3"), operator("n3"), ray("n1 n2")],
    [{ drain: "n1" }],
    { evictions: ["m1-worker-0 201"], bound: ["m1-~1 n2|n3"], ready: { m1: [2, 1, 2] }, drains: { n1: "completed" } },
  ),
  written("nobody in the input makes it again", [nodes("n1 n2 n3"), ray("n1 n2")], [{ drain: "n1" }], {
    bound: [],
    ready: { m1: [2, 1, 1] },
  }),
  written(
    "an operator that is evicted too comes back first",
    [nodes("n1 n2"), operator("n1"), ray("n1")],
    [{ drain: "n1" }],
    { bound: ["kuberay-operator-~1 n2", "m1-~1 n2"], ready: { m1: [1, 0, 1] }, verdict: "unsafe" },
  ),
  written(
    "hosts of one replica go together, and all are made anew",
    [
      nodes("n1 n2 n3 n4"),
      operator("n4"),
      ray("n1 n2", { workerGroupSpecs: [{ groupName: "g", numOfHosts: 2 }] }, {}, "ray.io/worker-group-replica-name"),
    ],
    [{ drain: "n1" }],
    {
      deletions: ["m1-worker-1 by operator"],
      bound: ["m1-~1 n2|n3|n4", "m1-~2 n2|n3|n4"],
      ready: { m1: [2, 0, 2] },
      drains: { n1: "completed" },
    },
  ),
  written(
    "without the label that tells replicas apart each host is made by itself",
    [nodes("n1 n2 n3"), operator("n3"), ray("n1 n2", { workerGroupSpecs: [{ groupName: "g", numOfHosts: 2 }] })],
    [{ drain: "n1" }],
    { deletions: [], bound: ["m1-~1 n2|n3"], ready: { m1: [2, 1, 2] } },
  ),
  written(
    "nor is it known where another scheduler puts them",
    [nodes("n1 n2 n3"), operator("n3"), ray("n1 n2", {}, { schedulerName: "kai-scheduler" })],
    [{ drain: "n1" }],
    { bound: [], ready: { m1: [2, 1, 1] } },
  ),
  written(
    "a scheduler that is not played may place what the budget waits for",
    [nodes("n1 n2 n3", { gpu: 1 }), waiting({ schedulerName: "kai-scheduler" }, "n1 n2")],
    inTurn,
    { bound: [], ready: { m1: [2, 1, 1] }, drains: { n1: "completed", n2: "stalled" }, verdict: "undecided" },
  ),
  written(
    "and a gate may be taken off",
    [nodes("n1 n2 n3", { gpu: 1 }), waiting({ schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] }, "n1 n2")],
    inTurn,
    { bound: [], drains: { n1: "completed", n2: "stalled" }, verdict: "undecided" },
  ),
  written(
    "a budget that never lets one go holds whoever makes them",
    [nodes("n1 n2 n3", { gpu: 1 }), ray("n1 n2", {}, { containers: engineOf("m1") }), budget("m1", { max: 1 })],
    [{ drain: "n1" }],
    { bound: [], drains: { n1: "stalled" }, verdict: "stalls" },
  ),
  written(
    "but nobody places one before the only one is gone",
    [nodes("n1 n2 n3", { gpu: 1 }), waiting({ schedulerName: "kai-scheduler" }, "n1")],
    inTurn,
    { bound: [], verdict: "unsafe", because: ["down, for how long is not known"] },
  ),
];

for (const made of cases) test(made.name, async () => compare(await outcomeOf(made), made.expect));
