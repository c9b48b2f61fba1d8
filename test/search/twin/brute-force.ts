import { type Pace, pacesOf, type Question } from "../../../src/search/judge.ts";
import type { Effort } from "../../../src/sim/monitor.ts";
import { optionCount, Simulation, type SimulationOptions } from "../../../src/sim/simulation.ts";
import { stateText } from "./state-text.ts";

/** What trying everything says of one endpoint. */
export interface Tried {
  readonly verdict: "unsafe" | "stalls" | "safe";
  /** The least it takes to break it, or to stall on it: fewest drains, then fewest choices. */
  readonly least: Least | null;
}

type Least = Pick<Effort, "drains" | "choices">;

/** One for each endpoint; null: there is more than was to be tried. */
export type Outcome = readonly Tried[] | null;

/** The scenario's times and the scheduler's own places; of ranges of times both ends, for all alike and for each start. */
export function tryTimed(question: Question, statesMax: number): Outcome {
  const outcomes: (readonly Tried[])[] = [];
  for (const pace of pacesOf(question, "mixed")) {
    const max = pace.span === "each" ? mixedMore * statesMax : statesMax;
    const outcome = new Trying(question, { timed: true, placement: "top", ...pace }, max).outcome();
    if (outcome === null) return null;
    outcomes.push(outcome);
  }
  return outcomes.reduce((all, one) => all.map((tried, index) => worse(tried, one[index] ?? tried)));
}

/** With starts to choose there are more states by so much. */
export const mixedMore = 4;

/** Any place that fits, start-ups of any length. */
export function tryUntimed(question: Question, statesMax: number): Outcome {
  const { timing } = question;
  return new Trying(question, { timed: false, placement: "feasible", timing, span: "most" }, statesMax).outcome();
}

/** What it takes at least from some state on; null: it never happens. */
interface Ahead {
  unsafe: Least | null;
  stalls: Least | null;
}

/**
 * The plainest search there is: every option of every choice is taken, each in a new simulation that plays all choices before
 * it again. Nothing is undone, and nothing is held to be like something else; only what comes of a state that is the same to the
 * last name is not worked out twice.
 */
class Trying {
  readonly #question: Question;
  readonly #options: SimulationOptions;
  readonly #statesMax: number;
  readonly #known = new Map<string, readonly Ahead[]>();

  constructor(question: Question, how: Pick<SimulationOptions, "timed" | "placement"> & Pace, statesMax: number) {
    const { horizonMs } = question;
    this.#question = question;
    this.#options = { ...how, startUps: "all", evictions: "every", horizonMs };
    this.#statesMax = statesMax;
  }

  outcome(): Outcome {
    const ahead = this.#from(this.#played([]), [], 0);
    if (ahead === null) return null;
    return ahead.map(({ unsafe, stalls }): Tried => {
      if (unsafe !== null) return { verdict: "unsafe", least: unsafe };
      return { verdict: stalls === null ? "safe" : "stalls", least: stalls };
    });
  }

  #played(taken: readonly number[]): Simulation {
    const { cluster, steps, endpoints, supporting } = this.#question;
    const sim = new Simulation(cluster, steps, { endpoints, supporting }, this.#options);
    for (const option of taken) {
      sim.run();
      sim.choose(option);
    }
    return sim;
  }

  /** The simulation has taken these options and nothing since; so many of them count as choices. It is used up. */
  #from(sim: Simulation, taken: readonly number[], counted: number): readonly Ahead[] | null {
    const stop = sim.run();
    const isBroken = sim.monitor.endpoints.map(({ broken }) => broken);
    const ahead = sim.monitor.endpoints.map(({ now, broken, brokenAfter, stalledBy }): Ahead => {
      if (now === "idle") return { unsafe: null, stalls: null };
      const { drains, choices } = brokenAfter ?? { drains: sim.drains.length, choices: sim.choicesTaken.length };
      const least = { drains, choices: choices - counted };
      const isStalled = stop.kind === "end" && stalledBy.length > 0;
      return { unsafe: broken ? least : null, stalls: isStalled && !broken ? least : null };
    });
    if (stop.kind === "end" || isBroken.every((broken) => broken)) return ahead;
    const text = stateText(sim, stop.choice);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#statesMax) return null;
    this.#known.set(text, ahead);
    for (let option = 0; option < optionCount(stop.choice); option += 1) {
      const options = [...taken, option];
      const counts = Number(stop.choice.kind !== "start" || option > 0);
      if (option === 0) sim.choose(0);
      const after = this.#from(option === 0 ? sim : this.#played(options), options, counted + counts);
      if (after === null) return null;
      const isAnswered =
        !this.#options.timed && after.every(({ unsafe, stalls }) => unsafe !== null || stalls !== null);
      for (const [index, endpoint] of ahead.entries()) {
        if (isBroken[index] === true) continue;
        endpoint.unsafe = lesser(endpoint.unsafe, choicesOn(after[index]?.unsafe, counts));
        endpoint.stalls = lesser(endpoint.stalls, choicesOn(after[index]?.stalls, counts));
      }
      // Of the untimed question only the answer is asked, not how little it takes.
      if (isAnswered) break;
    }
    return ahead;
  }
}

function choicesOn(least: Least | null | undefined, more: number): Least | null {
  return least ? { drains: least.drains, choices: least.choices + more } : null;
}

function lesser(a: Least | null, b: Least | null): Least | null {
  if (a === null || b === null) return a ?? b;
  return b.drains < a.drains || (b.drains === a.drains && b.choices < a.choices) ? b : a;
}

function worse(a: Tried, b: Tried): Tried {
  if (a.verdict === b.verdict) return { verdict: a.verdict, least: lesser(a.least, b.least) };
  return a.verdict === "unsafe" || b.verdict === "safe" ? a : b;
}
