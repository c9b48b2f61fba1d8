import type { PodTemplate } from "../../model/pod-template.ts";
import { type Rejection, rejectForGood } from "../framework.ts";

/**
 * A pod with scheduling gates does not enter the queue until somebody removes them.
 * Mirrors: plugins/schedulinggates PreEnqueue, Kubernetes 1.34 to 1.37.
 */
export const schedulingGates = {
  name: "SchedulingGates",
  messages: { waiting: (gates: readonly string[]) => `waiting for scheduling gates: [${gates.join(" ")}]` },
  /** Null: nothing holds the pod. */
  preEnqueue({ schedulingGates: gates }: PodTemplate): Rejection | null {
    return gates.length === 0
      ? null
      : { ...rejectForGood(schedulingGates.messages.waiting(gates)), plugin: schedulingGates.name };
  },
} as const;
