import type { Effect } from "../../../model/view.ts";
import type { PostFilter, PostFilterOutcome } from "../../framework.ts";
import { claimKey } from "./pod-claims.ts";
import { workOf } from "./work.ts";

const messages = {
  nothingToDeallocate: "no new claims to deallocate",
  stillNot: "still not schedulable",
  deallocated: "deallocation of ResourceClaim completed",
  /** The plugin's state is, when another plugin's PreFilter ended the cycle. */
  notFound: "not found",
} as const;

/**
 * Takes the devices from an idle claim that some node could not reach, so that the next try may give it others. Upstream picks
 * any of them; here it is the first in the pod's spec.
 */
export const deallocateIdleClaims = {
  name: "DynamicResources",
  messages,
  run(cycle) {
    const work = workOf(cycle);
    if (work === undefined) return outcome("Error", [messages.notFound]);
    // From 1.37 on nothing is said when there was nothing to do.
    const quiet = (message: string): readonly string[] => (cycle.minor >= 37 ? [] : [message]);
    if (work.claims.length === 0 && work.extended.size === 0) {
      return outcome("Unschedulable", quiet(messages.nothingToDeallocate));
    }
    const idle = work.claims.find(
      (claim) =>
        work.unavailable.has(claim) &&
        (claim.reservedFor.length === 0 || (claim.reservedFor.length === 1 && claim.reservedFor[0] === cycle.pod.key)),
    );
    if (idle === undefined) return outcome("Unschedulable", quiet(messages.stillNot));
    return outcome("Unschedulable", [messages.deallocated], [{ do: "deallocateClaim", claim: claimKey(idle) }]);
  },
} satisfies PostFilter & { messages: unknown };

function outcome(
  code: "Unschedulable" | "Error",
  reasons: readonly string[],
  effects: readonly Effect[] = [],
): PostFilterOutcome {
  return { code, reasons, candidates: [], effects };
}
