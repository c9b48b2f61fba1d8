import type { Actor } from "../actor.ts";
import { asksForEver, closesNothing } from "../usual.ts";

/** The scheduler making room for a pod of higher priority: part of every simulation, and no actor of its own. */
export const schedulerPreemption: Actor = {
  name: "scheduler-preemption",
  title: "Scheduler preemption",
  description:
    "The scheduler deletes pods of lower priority to make room for one of higher priority. Budgets count as best effort only, grace is honoured, and nothing on a node " +
    "shows it. Every scenario plays it where it happens; it drains no node.",
  kind: "information",
  close: closesNothing,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, by: "nobody" },
  afterDrain: "opens",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [],
  signals: ["pod condition DisruptionTarget with reason PreemptionByScheduler, event Preempted"],
  levers: ["a priority class no lower than that of the others; preemptionPolicy Never on theirs"],
  changed: [],
  notModelled: [],
  sources: [{ mark: "A", from: "kubernetes v1.36.3 pkg/scheduler/framework/{plugins/defaultpreemption,preemption}" }],
};
