import { rows } from "../../../test/support/rows.ts";
import { incoming, node, object, pod, verdicts } from "../../../test/support/scheduling.ts";

// Read from plugins/noderesources/fit.go, Kubernetes 1.34.4 to 1.37.2. `insufficient` names each resource that is short, in this order.
const sidecar = (cpu: string) => ({
  name: "side",
  image: "registry.test/side:v1",
  restartPolicy: "Always",
  resources: { requests: { cpu } },
});
const gpu = { requests: { "example.com/gpu": "1" } };
const gpuClass = {
  ...object("DeviceClass", "gpu", { spec: { extendedResourceName: "example.com/gpu" } }),
  apiVersion: "resource.k8s.io/v1",
  metadata: { name: "gpu" },
};

rows("NodeResourcesFit", verdicts, [
  [
    "room to the last bit is room",
    { objects: [node("a"), pod("there", { on: "a", requests: { cpu: "3" } }), incoming({ requests: { cpu: "1" } })] },
    { a: "pass" },
  ],
  [
    "a milli too much is too much, for now",
    {
      objects: [node("a"), pod("there", { on: "a", requests: { cpu: "3001m" } }), incoming({ requests: { cpu: "1" } })],
    },
    { a: "for now, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "more than the whole node is for good",
    { objects: [node("a"), incoming({ requests: { cpu: "4001m" } })] },
    { a: "for good, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "all shortages are named, pods first, extended resources last",
    {
      objects: [
        node("a", { allocatable: { pods: "1", "ephemeral-storage": "1Gi", "example.com/gpu": "1" } }),
        pod("there", {
          on: "a",
          requests: { cpu: "4", memory: "8Gi", "ephemeral-storage": "1Gi", "example.com/gpu": "1" },
        }),
        incoming({ requests: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi", "example.com/gpu": "1" } }),
      ],
    },
    {
      a: "for now, NodeResourcesFit: Too many pods; Insufficient cpu; Insufficient memory; Insufficient ephemeral-storage; Insufficient example.com/gpu",
    },
  ],
  [
    "one shortage for good makes all for good",
    {
      objects: [
        node("a"),
        pod("there", { on: "a", requests: { memory: "8Gi" } }),
        incoming({ requests: { cpu: "5", memory: "1Gi" } }),
      ],
    },
    { a: "for good, NodeResourcesFit: Insufficient cpu; Insufficient memory" },
  ],
  [
    "a pod without requests needs only a place among the pods",
    {
      objects: [node("a"), pod("there", { on: "a", requests: { cpu: "5" } }), incoming()],
    },
    { a: "pass" },
  ],
  [
    "a terminating pod still takes its room",
    {
      objects: [
        node("a"),
        pod("there", { on: "a", requests: { cpu: "4" }, terminating: true }),
        incoming({ requests: { cpu: "1" } }),
      ],
    },
    { a: "for now, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "a sidecar counts beside the containers",
    {
      objects: [node("a"), incoming({ requests: { cpu: "2" }, spec: { initContainers: [sidecar("2001m")] } })],
    },
    { a: "for good, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "pod-level resources replace the containers' sum",
    { objects: [node("a"), incoming({ requests: { cpu: "1" }, spec: { resources: { requests: { cpu: "5" } } } })] },
    { a: "for good, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "overhead is added",
    { objects: [node("a"), incoming({ requests: { cpu: "4" }, spec: { overhead: { cpu: "1m" } } })] },
    { a: "for good, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "an extended resource no node knows",
    { objects: [node("a"), incoming(gpu)] },
    { a: "for good, NodeResourcesFit: Insufficient example.com/gpu" },
  ],
  [
    "up to 1.35 a DeviceClass does not stand in for it",
    { objects: [node("a"), gpuClass, incoming(gpu)], minor: 35 },
    { a: "for good, NodeResourcesFit: Insufficient example.com/gpu" },
  ],
  [
    "a node that has the resource counts it, DeviceClass or not",
    {
      objects: [
        node("a", { allocatable: { "example.com/gpu": "1" } }),
        pod("there", { on: "a", ...gpu }),
        gpuClass,
        incoming(gpu),
      ],
    },
    { a: "for now, NodeResourcesFit: Insufficient example.com/gpu" },
  ],
]);
