import { answer } from "../../../src/search/answer.ts";
import {
  type EndpointOutcome,
  judgeUntimed,
  mixedPaces,
  newJudgement,
  pacesOf,
  playTimed,
  type Question,
} from "../../../src/search/judge.ts";
import { mixedMore, type Tried, tryTimed, tryUntimed } from "./brute-force.ts";
import { tinyPools } from "./tiny-pools.ts";

export interface Held {
  /** `seed 17: undecided, trying everything says stalls` */
  readonly differences: readonly string[];
  /** Seeds of which everything was tried in the scenario's times. */
  readonly timed: number;
  /** The same of start-ups of any length and any place that fits. */
  readonly untimed: number;
  readonly verdicts: ReadonlyMap<string, number>;
}

/** Of pools with more states than this, as the search tells them apart or as the twin does, fewer nodes are maintained. */
const statesMax = 34;
/** The whole answer, proofs and all, is asked of one seed in so many: it takes as long as many a pool. */
const answersEvery = 100;

/**
 * Holds the search to trying everything, on these seeds: each endpoint's verdict, and how many drains and choices the smallest
 * counterexample takes.
 */
export function heldToTwin({
  from,
  to,
  isRestless = false,
}: {
  readonly from: number;
  readonly to: number;
  readonly isRestless?: boolean;
}): Held {
  const differences: string[] = [];
  const verdicts = new Map<string, number>();
  let [timed, untimed] = [0, 0];
  for (let seed = from; seed <= to; seed += 1) {
    const pools = tinyPools(seed, isRestless);
    const tried = firstOf(pools, triedTimed);
    if (tried !== null) {
      timed += 1;
      for (const { verdict } of tried.truth) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      differences.push(...differing(seed, tried.said.map(inWhole), tried.truth.map(truthInWhole)));
      if (seed % answersEvery === 0) {
        const { endpoints } = answer(tried.question).judgement;
        // Which choices it takes there depends on what it tells apart.
        differences.push(...differing(seed, endpoints.map(inDrains), tried.truth.map(truthInDrains)));
      }
    }
    const hurt = firstOf(pools, triedUntimed);
    if (hurt === null) continue;
    untimed += 1;
    differences.push(...differing(seed, hurt.said, hurt.truth));
  }
  return { differences, timed, untimed, verdicts };
}

function firstOf<T>(pools: readonly Question[], tried: (question: Question) => T | null): T | null {
  for (const pool of pools) {
    const found = tried(pool);
    if (found !== null) return found;
  }
  return null;
}

interface Timed {
  readonly question: Question;
  readonly said: readonly EndpointOutcome[];
  readonly truth: readonly Tried[];
}

/** Null: it has too many states. */
function triedTimed(question: Question): Timed | null {
  const judgement = newJudgement(question);
  const play = { placement: "top", onlyShown: false, evictions: "every" } as const;
  playTimed(question, judgement, { ...play, states: statesMax, paces: pacesOf(question, "alike") });
  playTimed(question, judgement, { ...play, states: mixedMore * statesMax, paces: mixedPaces(question) });
  const truth = judgement.exhaustive ? tryTimed(question, statesMax) : null;
  return truth === null ? null : { question, said: judgement.endpoints, truth };
}

function triedUntimed(
  question: Question,
): { readonly said: readonly string[]; readonly truth: readonly string[] } | null {
  const { broken, exhaustive } = judgeUntimed({ ...question, states: statesMax });
  const truth = exhaustive ? tryUntimed(question, statesMax) : null;
  if (truth === null) return null;
  const name = (isHurt: boolean): string => `untimed ${isHurt ? "hurt" : "safe"}`;
  return {
    said: question.endpoints.map((endpoint) => name(broken.has(endpoint))),
    truth: truth.map(({ verdict }) => name(verdict !== "safe")),
  };
}

function differing(seed: number, said: readonly string[], truth: readonly string[]): readonly string[] {
  return said.flatMap((text, index) =>
    text === truth[index] ? [] : [`seed ${seed}: ${text}, trying everything says ${truth[index]}`],
  );
}

function inWhole({ verdict, effort }: EndpointOutcome): string {
  return effort === null ? verdict : `${verdict} by ${effort.drains} drains and ${effort.choices} choices`;
}

function truthInWhole({ verdict, least }: Tried): string {
  return least === null ? verdict : `${verdict} by ${least.drains} drains and ${least.choices} choices`;
}

function inDrains({ verdict, effort }: EndpointOutcome): string {
  return drainsTold(verdict, effort?.drains);
}

function truthInDrains({ verdict, least }: Tried): string {
  return drainsTold(verdict, least?.drains);
}

function drainsTold(verdict: string, drains: number | undefined): string {
  return verdict === "unsafe" ? `${verdict} by ${drains} drains` : verdict;
}
