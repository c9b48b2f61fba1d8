import type { Actor } from "../actor.ts";

/** `kubectl drain NODE…` as people type it. Mirrors kubectl v0.36.3 pkg/cmd/drain and pkg/drain. */
export const kubectlDrain: Actor = {
  name: "kubectl-drain",
  title: "kubectl drain",
  description:
    "Cordons all named nodes first, then drains them one by one. Asks a refused eviction again every 5 s, for ever. Never uncordons.",
  close: { by: "cordon" },
  closeWhen: "all",
  nodesAtOnce: 1,
  surgeNodes: 0,
  order: "any",
  drain: {
    flags: ["--ignore-daemonsets", "--delete-emptydir-data"],
    retryMs: 5_000,
    graceMaxMs: null,
    holdsForMs: null,
    then: "waits",
    deleteGraceMs: null,
    onError: "fails",
  },
  afterDrain: "stays",
  nodeDownMs: 180_000,
  onNodeFailure: "continues",
  signs: [],
  signals: ["spec.unschedulable on all named nodes at once; nothing says who drains"],
  levers: ["a PodDisruptionBudget that allows nothing holds it for ever"],
  notModelled: [],
  sources: ["kubectl v0.36.3 pkg/cmd/drain/drain.go, pkg/drain/{drain,filters,cordon}.go"],
};
