import type { Remedy } from "../remedy.ts";
import { spreadForm } from "../spread-form.ts";

/** A wish only: never in the way of a rollout, and not always granted. */
export const spreadAnyway: Remedy = spreadForm("spread-anyway", "apart where that is easy", {
  whenUnsatisfiable: "ScheduleAnyway",
});
