import { noTiming } from "../../src/cli/timing-fields.ts";
import { kured } from "../../src/maintenance/actors/kured.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Question } from "../../src/search/judge.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { built } from "./built.ts";
import { poolCluster } from "./pool-cluster.ts";

/** Five nodes of 16 cores; every part under a budget and kept apart. Nothing moves by itself. */
export const settledPool: readonly WireObject[] = poolCluster(3, {
  nodes: 5,
  endpoints: 1,
  others: 0,
  fill: 0.5,
  free: 1,
  budgets: 1,
  spread: 1,
  alike: true,
  kured: true,
});

/** What comes of it when kured restarts every node. */
export function kuredQuestion(objects: readonly WireObject[]): Question {
  const cluster = built(objects);
  return {
    cluster,
    steps: [maintenanceOf(cluster, kured, cluster.nodes, "any")],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, noTiming),
    states: 150,
    horizonMs: 86_400_000,
    choices: [],
  };
}
