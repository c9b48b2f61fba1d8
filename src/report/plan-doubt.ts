import type { NotModelled, Plan } from "./types.ts";

/** What could make a plan that was found break something after all; null: nothing that is known of. */
export function planDoubt({ notModelled }: Pick<Plan, "notModelled">): NotModelled | null {
  return notModelled.find(({ couldChange }) => couldChange !== "") ?? null;
}
