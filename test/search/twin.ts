import { answerTimed } from "../../src/search/answer.ts";
import { tryTimed } from "./brute-force.ts";
import { tinyPool } from "./tiny-pools.ts";

export interface Told {
  /** `seed 17: undecided, trying everything says stalls` */
  readonly differences: readonly string[];
  /** Seeds of which everything was tried. */
  readonly whole: number;
  readonly verdicts: ReadonlyMap<string, number>;
}

/** Holds the timed verdicts of these seeds to those of trying everything; what is too large is held to what was tried of it. */
export function heldToTwin({
  from,
  to,
  coursesMax,
}: {
  readonly from: number;
  readonly to: number;
  readonly coursesMax: number;
}): Told {
  const differences: string[] = [];
  const verdicts = new Map<string, number>();
  let whole = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const question = tinyPool(seed);
    const tried = tryTimed(question, coursesMax);
    if (!tried.whole) continue;
    whole += 1;
    for (const [index, { verdict }] of answerTimed(question).endpoints.entries()) {
      const truth = tried.endpoints[index]?.verdict;
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      if (truth !== verdict) differences.push(`seed ${seed}: ${verdict}, trying everything says ${truth}`);
    }
  }
  return { differences, whole, verdicts };
}
