import type { Actor } from "../../maintenance/actor.ts";
import type { PodView } from "../../model/view.ts";
import type { Timing } from "../../sim/timing.ts";
import { podStopMs } from "../../workload/termination.ts";
import type { Ground } from "./ground.ts";
import { allLeave, type Loss } from "./loss.ts";

/** Until the last pod that is asked has stopped, each of them let go at once; null: some may have to wait. */
export function emptyAfterMs({ standing, sim }: Pick<Ground, "standing" | "sim">, alone: Loss): number | null {
  const { drain, nodes, pods } = alone;
  if (drain === null || nodes.some((node) => drain.refusedOn.has(node))) return null;
  const asked = [...pods].filter((pod) => drain.evict.has(pod));
  if (!allLeave(standing, alone, asked)) return null;
  return asked.reduce((most, pod) => Math.max(most, stopMsOf(sim.timing, pod)), 0);
}

function stopMsOf(timing: Timing, pod: PodView): number {
  return Math.min(timing.podStop(pod)?.mostMs ?? podStopMs(pod, null), pod.template.terminationGraceMs);
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
