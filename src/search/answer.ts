import type { Endpoint } from "../systems/endpoint.ts";
import { type Judgement, judgeTimed, judgeUntimed, type Question } from "./judge.ts";
import { proveParts } from "./part/prove-parts.ts";
import { prove } from "./proof/prove.ts";
import { type Rest, restsOn } from "./rests-on.ts";

/** A judgement, and what the safe ones of it rest on. */
export interface Answer {
  readonly judgement: Judgement;
  /** Safe endpoints that are not here rest on nothing: no order, placement or start-up breaks them. */
  readonly rests: ReadonlyMap<Endpoint, readonly Rest[]>;
}

/** The untimed question follows at most so many states: past that an answer rests on the scenario's times. */
const untimedStatesMax = 3_000;

/** The timed question alone: what it says without asking what `safe` rests on. */
export function answerTimed(question: Question): Judgement {
  return judgeTimed(question, "top", new Set(proofsOf(question).keys()));
}

/** Both questions about one maintenance: proofs where they hold, else every order and choice. */
export function answer(question: Question): Answer {
  const proved = proofsOf(question);
  const judgement = judgeTimed(question, "top", new Set(proved.keys()));
  const rests = new Map<Endpoint, readonly Rest[]>();
  const open: Endpoint[] = [];
  for (const { endpoint, verdict, now } of judgement.endpoints) {
    if (verdict !== "safe" || now === "idle") continue;
    const proof = proved.get(endpoint);
    if (proof === undefined) open.push(endpoint);
    else if (proof.length > 0) rests.set(endpoint, proof);
  }
  if (open.length === 0) return { judgement, rests };
  const states = Math.min(untimedStatesMax, question.states);
  const untimed = judgeUntimed({ ...question, endpoints: open, supporting: [], states });
  for (const endpoint of open) {
    if (untimed.exhaustive && !untimed.broken.has(endpoint)) continue;
    rests.set(endpoint, restsOn(question, endpoint));
  }
  return { judgement, rests };
}

/** Endpoints that are safe whatever the order, with what that rests on. */
function proofsOf(question: Question): ReadonlyMap<Endpoint, readonly Rest[]> {
  const proved = new Map([...prove(question)].map(([endpoint, { rests }]) => [endpoint, rests]));
  const open = question.endpoints.filter((endpoint) => !endpoint.idle && !proved.has(endpoint));
  for (const [endpoint, { rests }] of proveParts(question, open)) proved.set(endpoint, rests);
  return proved;
}
