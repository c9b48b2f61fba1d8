import { test } from "node:test";
import { deployment, type Fields, type Item, node, nodes, statefulSet } from "../../scripts/recordings/objects.ts";
import { type Case, compare, outcomeOf, written } from "./case.ts";

/** The pods as a webhook made them, which their owner's template does not tell of. */
function admitted(items: readonly Item[], change: (spec: Fields) => Fields): readonly Item[] {
  return items.map((item) => {
    const spec = item["spec"];
    return item.kind === "Pod" && isFields(spec) ? { ...item, spec: { ...spec, ...change(spec) } } : item;
  });
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const gpuTaint = { key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" };
const tolerated = { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] };
const sidecar = { name: "proxy", image: "proxy:1", resources: { requests: { cpu: "1" } } };
const withSidecar = ({ containers }: Fields): Fields => ({
  containers: [...(Array.isArray(containers) ? containers : []), sidecar],
});

/** GKE and AKS run ExtendedResourceToleration, and sidecars come by webhook: the API server adds it again to the next pod. */
const cases: readonly Case[] = [
  written(
    "pods that the server gives a toleration for GPUs find the other tainted node",
    [nodes("g1 g2", { gpu: 1, taints: [gpuTaint] }), admitted(deployment("m1", "g1", { gpu: 1 }), () => tolerated)],
    [{ drain: "g1" }],
    { bound: ["m1-~1 g2"], drains: { g1: "completed" } },
  ),
  written(
    "where none ever got it, the template is all there is",
    [[node("n1"), ...nodes("g1", { gpu: 1, taints: [gpuTaint] })], deployment("m1", "n1")],
    [{ drain: "n1" }],
    { bound: [], drains: { n1: "completed" } },
  ),
  written(
    "what a sidecar asks for has to find room too",
    [node("n1"), node("n2", { cpu: "1500m" }), admitted(deployment("m1", "n1"), withSidecar)],
    [{ drain: "n1" }],
    { bound: [], drains: { n1: "completed" } },
  ),
  written(
    "the same pod without it",
    [node("n1"), node("n2", { cpu: "1500m" }), deployment("m1", "n1")],
    [{ drain: "n1" }],
    { bound: ["m1-~1 n2"], drains: { n1: "completed" } },
  ),
  written(
    "a template that is edited gets it too",
    [nodes("g1 g2", { gpu: 1, taints: [gpuTaint] }), admitted(deployment("m1", "g1", { gpu: 1 }), () => tolerated)],
    [
      {
        patch: {
          spec: { template: { spec: { terminationGracePeriodSeconds: 7 }, metadata: { annotations: { a: "1" } } } },
        },
        target: "Deployment/serving/m1",
        type: "strategic",
      },
      { waitReady: "all" },
      { drain: "g1" },
    ],
    { bound: ["m1-~1-~1 g2"] },
  ),
  written(
    "a StatefulSet's pods of its present revision tell it as well",
    [nodes("g1 g2", { gpu: 1, taints: [gpuTaint] }), admitted(statefulSet("m1", "g1", { gpu: 1 }), () => tolerated)],
    [{ drain: "g1" }],
    { bound: ["m1-0 g2"], drains: { g1: "completed" } },
  ),
];

for (const made of cases) test(made.name, async () => compare(await outcomeOf(made), made.expect));
