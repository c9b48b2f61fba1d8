import { type PreEnqueue, rejectForGood } from "../framework.ts";

const messages = {
  waiting: (gates: readonly string[]) => `waiting for scheduling gates: [${gates.join(" ")}]`,
} as const;

/**
 * A pod with scheduling gates does not enter the queue until somebody removes them.
 * Mirrors: plugins/schedulinggates PreEnqueue, Kubernetes 1.34 to 1.37.
 */
export const schedulingGates = {
  name: "SchedulingGates",
  messages,
  preEnqueue(_view, { template: { schedulingGates: gates } }) {
    return gates.length === 0 ? null : rejectForGood(messages.waiting(gates));
  },
} satisfies PreEnqueue & { messages: unknown };
