import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import { type DrainFlags, parseDrainFlags } from "../eviction/drain-flags.ts";
import type { Actor } from "../maintenance/actor.ts";
import type { Lane } from "./lanes.ts";
import type { MaintenanceState } from "./maintenance-state.ts";
import type { Choice } from "./world.ts";

/** How a maintenance is played. */
export interface MaintenanceOptions {
  /** Empty: no node is named. */
  readonly lanes: readonly Lane[];
  /** One lane after the other; else all by themselves. */
  readonly inTurn: boolean;
  /** Replaces the actor's own flags. */
  readonly flags: readonly string[] | null;
  readonly anyOrder: boolean;
  /** Null: the actor's own. Given limits end with `stopped` (give up) or `forced` (delete). */
  readonly stopAfterMs: number | null;
  readonly forceAfterMs: number | null;
  /** A node that is done may be taken again, without end: more than any one maintenance does, for proofs. */
  readonly again: boolean;
}

export type Progress =
  | { readonly did: "nothing" }
  | { readonly did: "something"; readonly state: MaintenanceState }
  | { readonly did: "ask"; readonly choice: Choice };

export const nothing: Progress = { did: "nothing" };

/** --disable-eviction and the like are flags of the drain; unreadable ones were refused when the scenario was read. */
export function flagsFor(actor: Actor, options: MaintenanceOptions): DrainFlags {
  return underKey(parsedFlags, options.flags ?? actor.drain.flags, (flags) => {
    const parsed = parseDrainFlags(flags);
    invariant(parsed.ok, "drain flags were checked when the scenario was read");
    return parsed.flags;
  });
}

const parsedFlags = new WeakMap<readonly string[], DrainFlags>();
