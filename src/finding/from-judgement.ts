import type { Judgement } from "../search/judge.ts";
import type { ScenarioOutcome } from "./outcome.ts";

/** What a played scenario showed, as findings read it. */
export function outcomeOf(name: string, partOfVerdict: boolean, judgement: Judgement): ScenarioOutcome {
  return {
    name,
    partOfVerdict,
    verdicts: new Map(judgement.endpoints.map(({ endpoint, verdict }) => [endpoint, verdict])),
    hops: new Map(judgement.hops.map(({ hop, wasZero, stalled }) => [hop, { wasDown: wasZero, stalled }])),
  };
}
