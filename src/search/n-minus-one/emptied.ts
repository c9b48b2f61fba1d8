import { underKey } from "../../base/under-key.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { stopMostMs, type Timing } from "../../sim/timing.ts";
import type { Ground } from "./ground.ts";
import { holdersOf } from "./held.ts";
import { allLeave, type Loss } from "./loss.ts";

/** Until the last pod that is asked has stopped: each of them is let go at once, or some never is. Null: some may have to wait. */
export function emptyAfterMs(ground: Ground, alone: Loss): number | null {
  return underKey(known, alone, () => foundEmptyAfterMs(ground, alone));
}

const known = new WeakMap<Loss, number | null>();

function foundEmptyAfterMs({ standing, rooms, sim }: Ground, alone: Loss): number | null {
  const { drain, nodes, pods } = alone;
  if (drain === null || nodes.some((node) => drain.isRefusedOn(node))) return null;
  if (holdersOf({ standing, rooms }, alone).size > 0) return Number.POSITIVE_INFINITY;
  const asked = [...pods].filter((pod) => drain.evict.has(pod));
  if (!allLeave(standing, alone, asked)) return null;
  return asked.reduce((most, pod) => Math.max(most, stopMostMs(sim.timing, pod, null)), 0);
}

/** From empty to open again; where it stays closed, to the next node's turn. */
export function awayMs(actor: Actor, { scenario }: Timing): number {
  switch (actor.afterDrain) {
    case "reboots":
      return scenario.nodeDown?.mostMs ?? actor.nodeDownMs;
    case "opens":
      return actor.nodeDownMs;
    default:
      return 0;
  }
}
