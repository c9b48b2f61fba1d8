import { closest } from "../base/closest.ts";
import { actors } from "../maintenance/registry.ts";
import { UsageError } from "./errors.ts";

/** Throws UsageError for a name no actor has. */
export function checkActors(names: readonly string[]): void {
  const known = actors.map((actor) => actor.name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = closest(name, known);
    const hint = near === null ? "`holdfast actors` lists them" : `did you mean ${near}?`;
    throw new UsageError(`there is no actor "${name}"; ${hint}`);
  }
}
