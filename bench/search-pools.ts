import { join } from "node:path";
import { noTiming } from "../src/cli/timing-fields.ts";
import { loadPaths } from "../src/load/from-files.ts";
import { buildCluster } from "../src/model/build.ts";
import { endpointsOf } from "../src/route/build.ts";
import { answer } from "../src/search/answer.ts";
import type { Judgement, Question } from "../src/search/judge.ts";
import { actorsOfPools, namedScenarios } from "../src/search/named-scenarios.ts";
import { timingOf } from "../src/sim/timing.ts";
import { questionOf } from "../test/search/fixture-question.ts";
import { type Fixture, fixtures } from "../test/search/fixtures.ts";
import { root } from "./root.ts";

/** What a fixture should give; null: nothing is known of it. */
export type Known = Fixture["verdicts"] | null;

/** A pool whose search is timed, cluster read before. */
export interface SearchedPool {
  readonly name: string;
  readonly question: Question;
  readonly known: Known;
}

/** The incident and the fixtures whose name has this in it. */
export function searchedPools(only: string): readonly SearchedPool[] {
  const chosen = fixtures.filter(({ name }) => name.includes(only));
  const made = chosen.map((fixture) => ({
    name: fixture.name,
    question: questionOf(fixture),
    known: fixture.verdicts,
  }));
  return "incident".includes(only) ? [{ name: "incident", question: incident(), known: null }, ...made] : made;
}

export function answered(
  question: Question,
  known: Known,
): { readonly judgement: Judgement; readonly cpuSeconds: number; readonly wrong: number } {
  const before = process.threadCpuUsage();
  const { judgement } = answer(question);
  const { user, system } = process.threadCpuUsage(before);
  const wrong = judgement.endpoints.filter(
    ({ endpoint, verdict }) => known !== null && verdict !== (known[endpoint.namespace] ?? "safe"),
  );
  return { judgement, cpuSeconds: (user + system) / 1e6, wrong: wrong.length };
}

function incident(): Question {
  const cluster = buildCluster(loadPaths([join(root, "examples", "modelplane-incident", "cluster")]));
  const scenarios = namedScenarios(cluster, ["pool-maintenance"], actorsOfPools(cluster, []));
  const system = scenarios.find(({ name }) => name.endsWith("/system")) ?? scenarios[0];
  return {
    cluster,
    steps: system?.variants[0]?.steps ?? [],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, noTiming),
    states: 1_000_000,
    horizonMs: 86_400_000,
    choices: [],
  };
}
