import { seededRandom } from "../../src/base/random.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadText } from "../../src/load/from-files.ts";
import { actors } from "../../src/maintenance/registry.ts";
import { buildCluster } from "../../src/model/build.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Question } from "../../src/search/judge.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { poolCluster, type Shape } from "./pool-cluster.ts";

/** A pool of five or six nodes of which a few are maintained, by an actor and with times of the seed's choice. */
export function tinyPool(seed: number): Question {
  const random = seededRandom(seed);
  const among = <T>(...items: readonly T[]): T => random.pick(items);
  const shape: Shape = {
    nodes: 5 + random.below(2),
    endpoints: 1,
    others: among(0, 1, 2, 4, 8),
    fill: among(0.3, 0.6, 0.8, 0.93, 0.99),
    free: random.next(),
    budgets: among(0, 0.5, 1),
    spread: among(0, 0.5, 1),
    alike: random.next() < 0.3,
    kured: false,
  };
  const text = poolCluster(seed, shape).map((object) => JSON.stringify(object));
  const cluster = buildCluster(loadText(text.join("\n"), `seed-${seed}.ndjson`));
  const { endpoints, supporting } = endpointsOf(cluster);
  const playable = actors.filter(({ kind }) => kind === "maintains");
  const actor = random.pick(playable);
  const taken = cluster.nodes.filter(() => random.next() < 0.55).slice(0, 3);
  const nodes = taken.length > 0 ? taken : cluster.nodes.slice(0, 1);
  const startMs = among(10_000, 30_000, 600_000, 7_200_000);
  const timing = { ...noTiming, podStart: [{ pattern: "team-0/*", span: { leastMs: startMs, mostMs: startMs } }] };
  return {
    cluster,
    steps: [maintenanceOf(cluster, actor, nodes, "any")],
    endpoints,
    supporting,
    timing: timingOf(cluster, timing),
    states: 100_000,
    horizonMs: 86_400_000,
    choices: [],
  };
}
