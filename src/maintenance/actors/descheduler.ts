import type { Actor } from "../actor.ts";
import { asksForEver, closesNothing, minuteMs } from "../usual.ts";

/** The descheduler evicting pods that it thinks stand in the wrong place. Mirrors kubernetes-sigs/descheduler, 2026-06-30. */
export const descheduler: Actor = {
  name: "descheduler",
  title: "descheduler",
  description:
    "Evicts pods that stand badly by its strategies, and closes no node: a pod may come back to where it was. One try a cycle; a refused eviction waits for the next.",
  kind: "removes",
  close: closesNothing,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, barePods: "skipped", retryMs: 5 * minuteMs },
  afterDrain: "opens",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [
    { on: "workloadImage", kind: "Deployment", image: "descheduler" },
    { on: "workloadImage", kind: "Job", image: "descheduler" },
  ],
  signals: ["pod condition DisruptionTarget; nothing on the node"],
  levers: [
    "annotation descheduler.alpha.kubernetes.io/prefer-no-eviction, its limits by node, namespace and in all",
    "a budget, until the next cycle",
  ],
  changed: [],
  notModelled: [
    "its strategies and protections (local storage, critical pods): every pod of the named nodes that has a controller is evicted once",
    "a cycle is taken as 5 minutes",
  ],
  sources: [
    {
      mark: "A",
      from: "kubernetes-sigs/descheduler pkg/descheduler/evictions, pkg/framework/plugins/defaultevictor, 2026-06-30",
    },
  ],
};
