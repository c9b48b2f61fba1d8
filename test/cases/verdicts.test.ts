import { budget, deployment, type Fields, node, nodes, pod, service } from "../../scripts/recordings/objects.ts";
import type { Items } from "../../scripts/recordings/recording.ts";
import { testAll } from "./judged.ts";

const gpus = nodes("g1 g2 g3", { gpu: 1 });
const engines = (places: string, shape: Fields = {}): readonly Items[] => [
  deployment("m1", places, { gpu: 1, ...shape }),
  service("m1"),
];
const oneAtATime = budget("m1", { max: 1, status: [2, 2] });
const everything = (apiVersion: string): Items => ({ ...budget("all", { max: 1, selector: {} }), apiVersion });
/** Stops for nearly two hours when it is told to. */
const slowToStop: Fields = {
  spec: { terminationGracePeriodSeconds: 7200 },
  container: { lifecycle: { preStop: { exec: { command: ["sleep", "7000"] } } } },
};
/** Somebody else's finalizer on every pod. */
const kept = (items: Items): readonly Items[] =>
  (Array.isArray(items) ? items.flat() : [items]).map((item) =>
    item.kind === "Pod" ? { ...item, metadata: { ...item.metadata, finalizers: ["example.com/hold"] } } : item,
  );

testAll([
  {
    name: "an engine that stops for longer than the actor waits: the upgrade fails at its node",
    cluster: [gpus, engines("g1 g2", slowToStop), oneAtATime],
    actor: "aks-upgrade",
    verdict: "stalls",
    codes: ["HF024"],
  },
  {
    name: "an actor that waits for ever lets it",
    cluster: [gpus, engines("g1 g2", slowToStop), oneAtATime],
    actor: "kubectl-drain-in-turn",
    verdict: "safe",
    codes: [],
  },
  {
    name: "a second engine that nobody owns: its node is refused",
    cluster: [gpus, engines("g1"), pod("extra", "g2", { gpu: 1, labels: { app: "m1" } }), oneAtATime],
    verdict: "stalls",
    codes: ["HF026"],
  },
  {
    name: "an empty selector of the old kind of budget guards nothing",
    cluster: [node("g9", { gpu: 2 }), gpus, engines("g9 g9"), everything("policy/v1beta1")],
    verdict: "unsafe",
    codes: ["HF005", "HF008"],
  },
  {
    name: "and of the new kind everything",
    cluster: [node("g9", { gpu: 2 }), gpus, engines("g9 g9"), everything("policy/v1")],
    verdict: "safe",
    codes: [],
  },
  {
    name: "a finalizer that nobody takes off: the pod stops, and its node is never empty",
    why: "kubectl waits for the object to go (pkg/drain/drain.go waitForDelete); the API server keeps one with finalizers.",
    cluster: [gpus, engines("g1 g2").flatMap(kept), oneAtATime],
    verdict: "stalls",
  },
  {
    name: "an actor that kills after an hour does not wait for it",
    cluster: [gpus, engines("g1 g2").flatMap(kept), oneAtATime],
    actor: "gke-surge",
    verdict: "undecided",
    gaps: ["who takes the finalizer example.com/hold off"],
  },
]);
