import { seededRandom } from "../../../src/base/random.ts";
import { noTiming } from "../../../src/cli/timing-fields.ts";
import { actors } from "../../../src/maintenance/registry.ts";
import { endpointsOf } from "../../../src/route/build.ts";
import type { Question } from "../../../src/search/judge.ts";
import { maintenanceOf } from "../../../src/sim/plan-scenario.ts";
import { timingOf } from "../../../src/sim/timing.ts";
import { built } from "../built.ts";
import { poolCluster, type Shape } from "../pool-cluster.ts";
import { withUnrest } from "../restless.ts";

/**
 * A pool of five or six nodes of which a few are maintained, by an actor and with times of the seed's choice: the question, and
 * the same about fewer and fewer of the nodes. `isRestless`: with others in it that are not at rest.
 */
export function tinyPools(seed: number, isRestless = false): readonly Question[] {
  const random = seededRandom(seed);
  const among = <T>(...items: readonly T[]): T => random.pick(items);
  const shape: Shape = {
    nodes: 5 + random.below(2),
    endpoints: 1,
    others: among(0, 0, 1, 2, 4),
    fill: among(0.3, 0.6, 0.93, 0.99),
    free: random.next(),
    budgets: among(0, 0, 0.5, 1),
    spread: among(0, 0, 0.5, 1),
    alike: random.next() < 0.3,
    kured: false,
  };
  const objects = poolCluster(seed, shape);
  const cluster = built(isRestless ? withUnrest(seededRandom(-seed), objects) : objects);
  const { endpoints, supporting } = endpointsOf(cluster);
  const playable = actors.filter(({ kind }) => kind === "maintains");
  const actor = random.pick(playable);
  const taken = cluster.nodes.filter(() => random.next() < 0.55).slice(0, among(1, 2, 2, 3, 3));
  const maintained = taken.length > 0 ? taken : cluster.nodes.slice(0, 1);
  const mostMs = among(30_000, 600_000, 7_200_000, 7_200_000);
  const span = { leastMs: among(mostMs, mostMs, 10_000), mostMs };
  const timing = { ...noTiming, podStart: [{ pattern: "team-0/*", span }] };
  // In one order more starts can be tried.
  const order = span.leastMs < span.mostMs && random.next() < 0.5 ? "given" : "any";
  const pool = {
    cluster,
    endpoints,
    supporting,
    timing: timingOf(cluster, timing),
    states: 100_000,
    horizonMs: 86_400_000,
    choices: [],
  };
  return maintained.map((_, dropped) => {
    const nodes = maintained.slice(0, maintained.length - dropped);
    return { ...pool, steps: [maintenanceOf(cluster, actor, nodes, order)] };
  });
}
