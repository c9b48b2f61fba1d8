import type { EvictionOrders } from "../sim/rivals.ts";
import type { SettledChoice } from "../sim/scenario.ts";
import type { Simulation } from "../sim/simulation.ts";
import {
  type Course,
  courseOf,
  type EndpointOutcome,
  isLess,
  mixedPaces,
  type Pace,
  pacesOf,
  type Question,
  simulationOf,
  wholeEffort,
} from "./judge.ts";
import { settledBy, settledOption } from "./settled-choices.ts";

/** What a course does where something is chosen; elsewhere the first option is taken. */
interface Plan {
  /** What is taken next, choice by choice. */
  readonly nodes: readonly string[];
  readonly settled: readonly SettledChoice[];
}

interface Shrunk {
  readonly question: Question;
  readonly evictions: EvictionOrders;
  readonly outcome: EndpointOutcome;
  readonly pace: Pace;
}

interface Played {
  readonly plan: Plan;
  readonly course: Course;
  readonly effort: NonNullable<EndpointOutcome["effort"]>;
}

/**
 * Makes the course that hurts an endpoint smaller: nodes drained before the harm are left for later, and choices to chance, wherever
 * it still comes, with no more drains, choices and time. Each try is played from the beginning; what is shown is the last that hurt.
 * `podPlaysMax`: of a cluster with more pods so many fewer tries are made.
 */
export function shrink(
  question: Question,
  evictions: EvictionOrders,
  outcome: EndpointOutcome,
  podPlaysMax: number,
): void {
  const { course } = outcome;
  // A scenario that settles choices itself is shown as it is.
  if (course === null || outcome.effort === null || question.choices.length > 0) return;
  const playsMax = Math.min(playsAtMost, Math.floor(podPlaysMax / (question.cluster.pods.length + 1)));
  const nodes = course.choices.flatMap(({ choice, taken }) => (choice.kind === "next-node" ? [taken] : []));
  const whole: Plan = { nodes, settled: settledBy(course.choices) };
  for (const pace of pacesFor(question, course)) {
    const shrinking = new Shrinking({ question, evictions, outcome, pace }, playsMax);
    const smallest = shrinking.smallest(whole, settledBy(course.choices.filter(isNotFirst)));
    if (smallest === null) continue;
    outcome.course = { ...smallest.course, settled: smallest.plan.settled };
    outcome.effort = smallest.effort;
    return;
  }
}

/** More tries are not worth what they take. */
const playsAtMost = 200;

function pacesFor(question: Question, { choices }: Course): readonly Pace[] {
  return choices.some(({ choice }) => choice.kind === "start") ? mixedPaces(question) : pacesOf(question, "alike");
}

function isNotFirst({ choice, taken }: Course["choices"][number]): boolean {
  if (choice.kind === "start" || choice.kind === "start-up") return true;
  return taken !== (choice.kind === "next-eviction" ? choice.pods[0] : choice.nodes[0]);
}

class Shrinking {
  readonly #of: Shrunk;
  #left: number;

  constructor(of: Shrunk, plays: number) {
    this.#of = of;
    this.#left = plays;
  }

  /** Null: the plan does not do what the course did. */
  smallest(whole: Plan, unlikely: readonly SettledChoice[]): Played | null {
    const { effort } = this.#of.outcome;
    let best = this.#played({ ...whole, settled: unlikely });
    if (best === null || (effort !== null && isLess(effort, best.effort))) best = this.#played(whole);
    if (best === null || (effort !== null && isLess(effort, best.effort))) return null;
    for (let at = 0; at < Math.min(best.plan.nodes.length, best.effort.drains); ) {
      const fewer = this.#noWorse(best, { ...best.plan, nodes: best.plan.nodes.toSpliced(at, 1) });
      if (fewer !== null && fewer.effort.drains < best.effort.drains) best = fewer;
      else at += 1;
    }
    for (let at = 0; at < best.plan.settled.length; ) {
      const fewer = this.#noWorse(best, { ...best.plan, settled: best.plan.settled.toSpliced(at, 1) });
      if (fewer === null) at += 1;
      else best = fewer;
    }
    return best;
  }

  #noWorse(than: Played, plan: Plan): Played | null {
    const played = this.#played(plan);
    return played === null || isLess(than.effort, played.effort) ? null : played;
  }

  /** Null: it does not hurt as much. */
  #played(plan: Plan): Played | null {
    if (this.#left <= 0) return null;
    this.#left -= 1;
    const { question, evictions, outcome, pace } = this.#of;
    const sim = simulationOf(question, { timed: true, placement: "top", evictions, ...pace });
    playOut(sim, plan);
    const record = sim.monitor.endpoint(outcome.endpoint);
    const isStalled = record !== undefined && record.stalledBy.length > 0;
    if (record === undefined || (outcome.verdict === "unsafe" ? !record.broken : !isStalled)) return null;
    return { plan, course: courseOf(sim), effort: record.brokenAfter ?? wholeEffort(sim) };
  }
}

function playOut(sim: Simulation, { nodes, settled }: Plan): void {
  let taken = 0;
  for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
    const { choice } = stop;
    if (choice.kind === "next-node") {
      sim.choose(Math.max(0, choice.nodes.indexOf(nodes[taken] ?? "")));
      taken += 1;
    } else sim.choose(Math.max(0, settledOption(choice, settled, sim.choicesTaken)));
  }
}
