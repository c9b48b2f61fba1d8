import type { Remedy } from "../remedy.ts";
import { spreadForm } from "../spread-form.ts";

/**
 * Counts only nodes the pods may use, and only pods of the same generation: its own rollout finishes. After a maintenance that
 * closes all its nodes at once the pods may pile up on the first one back.
 */
export const spreadHonor: Remedy = spreadForm("spread-honor", "one pod a node, over nodes the pods tolerate", {
  whenUnsatisfiable: "DoNotSchedule",
  nodeTaintsPolicy: "Honor",
});
