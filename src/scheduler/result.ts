import type { PodKey } from "../model/key.ts";
import type { Effect } from "../model/view.ts";

/** What one scheduling cycle decides for one pod. Nothing is changed: the caller applies effects and binds. */
export type SchedulingResult =
  | {
      readonly outcome: "bind";
      /** Nodes the real scheduler could pick: the top score, ties in node order. Never empty. */
      readonly top: readonly string[];
      /** Every node that passes all filters, in node order (no sampling): the untimed question's choices. */
      readonly feasible: readonly string[];
      /** What reserving on this node does beside binding (claims allocated, volumes bound). */
      effectsOn(node: string): readonly Effect[];
    }
  | {
      readonly outcome: "unschedulable";
      /** The scheduler's own text, byte for byte for the version. */
      readonly message: string;
      /** Nodes preemption could choose, best first; those after the first are ties. Empty: no preemption helps. */
      readonly preemption: readonly {
        readonly node: string;
        readonly victims: readonly PodKey[];
        /** Other victims, as important, are as possible: the real choice rests on what no input tells. */
        readonly drawn: boolean;
      }[];
      /** True: no event can ever make it schedulable in this model (not the usual case). */
      readonly effects: readonly Effect[];
    }
  | { readonly outcome: "gated"; readonly message: string }
  /** Another schedulerName: not modelled. */
  | { readonly outcome: "notOurs"; readonly schedulerName: string }
  /** A PreFilter error upstream (missing PVC …): retried, message as upstream's. */
  | { readonly outcome: "error"; readonly message: string };

/** Starts the text of an error that is ours, not the scheduler's: the real one would have decided. */
export const notModelledPrefix = "not modelled: ";

/** Why the model cannot tell what the scheduler would do with the pod; null: it can. */
export function notModelledIn(result: SchedulingResult): string | null {
  if (result.outcome !== "error") return null;
  const at = result.message.indexOf(notModelledPrefix);
  return at < 0 ? null : result.message.slice(at + notModelledPrefix.length);
}
