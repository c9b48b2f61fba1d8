import { oneCourse, Simulation } from "../../sim/simulation.ts";
import type { Watch } from "../judge.ts";
import { standingOf } from "../proof/standing.ts";
import { fastScheduling } from "./places/schedule.ts";
import { Rooms } from "./rooms.ts";
import { Standing } from "./standing.ts";

/** A cluster that has settled, and what is looked up of it. Whoever plays on the simulation takes it back. */
export interface Ground {
  readonly sim: Simulation;
  readonly standing: Standing;
  readonly rooms: Rooms;
}

export function groundOf({ cluster, endpoints, supporting, timing, horizonMs }: Watch): Ground {
  const sim = new Simulation(
    cluster,
    [],
    { endpoints, supporting, services: false },
    { ...oneCourse, span: "most", scheduling: fastScheduling("first"), timing, horizonMs },
  );
  sim.settle();
  const standing = new Standing(sim, { endpoints, supporting }, () => standingOf(cluster, timing).newcomers);
  return { sim, standing, rooms: new Rooms(standing) };
}
