import type { Actor } from "../actor.ts";
import { asksForEver, cordons } from "../usual.ts";

/** `kubectl drain NODE…` as people type it. Mirrors kubectl v0.36.3 pkg/cmd/drain and pkg/drain. */
export const kubectlDrain: Actor = {
  name: "kubectl-drain",
  title: "kubectl drain",
  description:
    "Cordons all named nodes first, then drains them one by one. Asks a refused eviction again every 5 s, for ever. Never uncordons.",
  kind: "maintains",
  close: cordons,
  closeWhen: "all",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, flags: ["--ignore-daemonsets", "--delete-emptydir-data"], onError: "fails" },
  afterDrain: "stays",
  nodeDownMs: 180_000,
  onNodeFailure: "continues",
  signs: [],
  signals: ["spec.unschedulable on all named nodes at once; nothing says who drains"],
  levers: ["a PodDisruptionBudget that allows nothing holds it for ever; --timeout ends that for one node"],
  changed: [
    {
      what: "pause between tries of a refused eviction in programs built on kubectl's drain package",
      from: "5 s, fixed",
      to: "a field that is no pause unless set; kubectl sets 5 s",
      at: "kubectl 0.35",
    },
  ],
  notModelled: [],
  sources: [{ mark: "A", from: "kubectl v0.36.3 pkg/cmd/drain/drain.go, pkg/drain/{drain,filters,cordon}.go" }],
};
