import type { Remedy } from "../remedy.ts";
import { spreadForm } from "../spread-form.ts";

/**
 * Tainted nodes count as empty places, so that no node takes a second pod: a replacement waits for a free node and the
 * pods end apart again. Bars more replicas than nodes.
 */
export const spreadKeys: Remedy = spreadForm("spread-keys", "one pod a node, always", {
  whenUnsatisfiable: "DoNotSchedule",
});
