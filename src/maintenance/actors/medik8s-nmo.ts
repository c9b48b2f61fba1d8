import type { Actor } from "../actor.ts";
import { asksForEver } from "../usual.ts";

/** medik8s node-maintenance-operator. Mirrors medik8s/node-maintenance-operator, 2026-05-17. */
export const medik8sNmo: Actor = {
  name: "medik8s-nmo",
  title: "medik8s node-maintenance-operator",
  description:
    "One NodeMaintenance object for each node, without a limit on how many at once: taints and cordons it and drains in attempts of 30 s, for ever. The node is " +
    "opened when the object is deleted.",
  kind: "maintains",
  close: {
    cordon: true,
    taints: [{ key: "medik8s.io/drain", value: "", effect: "NoSchedule" }],
    condition: "",
  },
  closeWhen: "node",
  marks: [],
  nodesAtOnce: "all",
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: {
    ...asksForEver,
    attempts: { lastMs: 30_000, pauseMs: 5_000, longAfterMs: 0, longPauseMs: 5_000 },
  },
  afterDrain: "stays",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [
    { on: "workloadImage", kind: "Deployment", image: "node-maintenance-operator" },
    { on: "workloadImage", kind: "Deployment", image: "node-maintenance-rhel9-operator" },
    { on: "objectKind", group: "nodemaintenance.medik8s.io", selects: "" },
  ],
  signals: [
    "a NodeMaintenance object; taint medik8s.io/drain:NoSchedule with the cordon",
    "events BeginMaintenance, SucceedMaintenance, FailedMaintenance, UncordonNode",
  ],
  levers: ["a budget, for ever", "deleting the NodeMaintenance object"],
  changed: [],
  notModelled: ["more than three errors of the lease end a maintenance"],
  sources: [
    {
      mark: "A",
      from: "medik8s/node-maintenance-operator internal/controller/{nodemaintenance_controller,taint}.go, api/v1beta1, 2026-05-17",
    },
  ],
};
