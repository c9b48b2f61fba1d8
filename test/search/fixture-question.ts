import { noTiming } from "../../src/cli/timing-fields.ts";
import { kured } from "../../src/maintenance/actors/kured.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { type Answer, answer } from "../../src/search/answer.ts";
import type { Question } from "../../src/search/judge.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "./built.ts";
import type { Fixture } from "./fixtures.ts";

/** The whole pool by kured: one node at a time, in any order. */
export function questionOf({ objects, podStartMs }: Fixture): Question {
  const cluster = built(objects());
  const span = podStartMs === null ? null : { leastMs: podStartMs, mostMs: podStartMs };
  const timing = { ...noTiming, podStart: span === null ? [] : [{ pattern: "*", span }] };
  return {
    cluster,
    steps: [maintenanceOf(cluster, kured, cluster.nodes, "any")],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, timing),
    states: 1_000_000,
    horizonMs: 86_400_000,
    choices: [],
  };
}

export function answerOf(fixture: Fixture): Answer {
  return answer(questionOf(fixture));
}
