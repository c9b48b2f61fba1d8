import { readdirSync } from "node:fs";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadPaths } from "../../src/load/from-files.ts";
import { buildCluster } from "../../src/model/build.ts";
import { endpointsOf } from "../../src/route/build.ts";
import type { Question } from "../../src/search/judge.ts";
import { actorsOfPools, namedScenarios } from "../../src/search/named-scenarios.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { questionOf } from "./fixture-question.ts";
import { fixtures } from "./fixtures.ts";

interface Named {
  readonly name: string;
  readonly question: Question;
}

/** Every maintenance that `check` plays of the examples. */
export function exampleQuestions(): readonly Named[] {
  const root = new URL("../../examples/", import.meta.url).pathname;
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const cluster = buildCluster(loadPaths([`${root}${name}/cluster`]));
      const kinds = ["drain-one-node", "pool-maintenance"] as const;
      const { endpoints, supporting } = endpointsOf(cluster);
      return namedScenarios(cluster, kinds, actorsOfPools(cluster, [])).flatMap((scenario) =>
        scenario.variants.map(
          ({ steps }, index): Named => ({
            name: `${name} ${scenario.name} ${index}`,
            question: {
              cluster,
              steps,
              endpoints,
              supporting,
              timing: timingOf(cluster, noTiming),
              states: 20_000,
              horizonMs: 86_400_000,
              choices: [],
            },
          }),
        ),
      );
    });
}

export function fixtureQuestions(): readonly Named[] {
  return fixtures
    .filter(({ name }) => name.startsWith("unlike-"))
    .map((fixture) => ({ name: fixture.name, question: questionOf(fixture) }));
}
