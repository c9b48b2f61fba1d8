import { test } from "node:test";
import {
  budget,
  customResource,
  deployment,
  type Fields,
  nodes,
  pod,
  service,
  uid,
} from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, recorded, written } from "./case.ts";

const two = nodes("n1 n2");
const engine = { gpu: 1, spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } };
const gpuNodes = nodes("g1 g2", { gpu: 1, taints: [{ key: "gpu", value: "x", effect: "NoSchedule" }] });
const beside = (annotations: Fields): Case["cluster"] => [
  ...two,
  ...gpuNodes,
  ...deployment("gw", "n1"),
  ...deployment("m1", "g1 g2", engine),
  { ...service("gw"), metadata: { name: "gw", namespace: "serving", annotations } },
  service("m1"),
];
const ray = { apiVersion: "example.com/v1", kind: "Engine", name: "m1", uid: uid("engine m1") };

/** What a maintenance costs where no endpoint says so: the verdict and its reason name it. */
const cases: readonly Case[] = [
  recorded(
    "volume-pins-zone",
    {
      verdict: "unsafe",
      because: ["Service serving/m1 has nothing ready from", "serving/m1-0 has no place at the end: 0/3"],
    },
    [{ drain: "a1" }],
  ),
  recorded("reported-pile-up", { verdict: "unsafe", because: ["Service serving/m1 has nothing ready for 30 s"] }),
  recorded("reported-pile-up-budget", { verdict: "safe" }),
  recorded(
    "reported-anti-affinity",
    { verdict: "stalls", because: ["The rollout of Deployment serving/m1 cannot go on", "has no place at the end"] },
    [
      {
        patch: { spec: { template: { metadata: { annotations: { touched: "1" } } } } },
        target: "Deployment/serving/m1",
        type: "merge",
      },
    ],
  ),
  recorded(
    "reported-spread-cordoned",
    { verdict: "safe", because: ["serving/m1-6d4b75cb6d-~1 has no place at the end"] },
    [{ drain: "n1" }],
  ),
  written("a neighbour of a plain Service that may or may not be in front of it", beside({}), [{ drain: "n1" }], {
    verdict: "undecided",
    because: [
      "Service serving/gw, which has nothing ready for a time",
      "Service serving/gw has nothing ready for 30 s from 0 s",
    ],
  }),
  written(
    "a neighbour that is said to be nobody's way in",
    beside({ "holdfast.dev/endpoint": "false" }),
    [{ drain: "n1" }],
    {
      verdict: "safe",
      because: ["Service serving/gw has nothing ready"],
    },
  ),
  written(
    "pods whose owner is not modelled: it may have made them again",
    [
      customResource("example.com", "v1", "Engine", "engines"),
      ...two,
      { apiVersion: ray.apiVersion, kind: ray.kind, metadata: { name: "m1", namespace: "serving", uid: ray.uid } },
      pod("m1-a", "n1", { owner: ray }),
      service("m1", "m1-a"),
    ],
    [{ drain: "n1" }],
    { verdict: "undecided", because: ["the owner of the pods behind Service serving/m1"] },
  ),
  written(
    "a limit that ends after the horizon: what it does then is not known",
    [two, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ drain: "n1", forceAfter: "30h" }],
    { verdict: "undecided", drains: { n1: "stalled" }, because: ["what comes after 24 h, the horizon"] },
  ),
  written(
    "a limit within the horizon",
    [two, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ drain: "n1", forceAfter: "20h" }],
    { verdict: "unsafe", drains: { n1: "forced" } },
  ),
  written(
    "nothing is lost",
    [nodes("n1 n2 n3"), deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [{ drain: "n1" }],
    { verdict: "safe", because: ["no Service is left with nothing ready"] },
  ),
];

for (const made of cases) test(made.name, async () => compare(await outcomeOf(made), made.expect));
