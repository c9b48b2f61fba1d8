import type { Question } from "../../src/search/judge.ts";
import type { Effort } from "../../src/sim/monitor.ts";
import { optionCount, Simulation, type SimulationOptions } from "../../src/sim/simulation.ts";

/** What trying everything says of one endpoint. */
export interface Tried {
  verdict: "unsafe" | "stalls" | "safe";
  /** The least it takes to break it, or to stall on it. */
  least: Effort | null;
}

/**
 * The plainest search there is: every sequence of choices is played from the very beginning by a new simulation. Nothing
 * is undone, remembered, or held to be like something else.
 */
export function tryTimed(
  question: Question,
  coursesMax: number,
): { readonly endpoints: readonly Tried[]; readonly whole: boolean } {
  const endpoints = question.endpoints.map((): Tried => ({ verdict: "safe", least: null }));
  let courses = 0;
  for (const span of ["most", "least"] as const) {
    courses += eachCourse(question, { timed: true, placement: "top", span }, coursesMax - courses, (end) => {
      for (const [index, record] of end.monitor.endpoints.entries()) {
        const tried = endpoints[index];
        const verdict = record.broken ? "unsafe" : record.stalledBy.length > 0 ? "stalls" : "safe";
        if (tried === undefined || verdict === "safe" || record.now === "idle") continue;
        const effort = record.brokenAfter ?? wholeOf(end);
        if (tried.verdict !== verdict && tried.verdict === "unsafe") continue;
        if (tried.verdict !== verdict || isLess(effort, tried.least)) tried.least = effort;
        tried.verdict = verdict;
      }
    });
  }
  return { endpoints, whole: courses < coursesMax };
}

/** Endpoints that some order, placement and timing breaks or stalls on, as far as so many courses tell. */
export function tryUntimed(
  question: Question,
  coursesMax: number,
): { readonly hurt: readonly boolean[]; readonly whole: boolean } {
  const hurt = question.endpoints.map(() => false);
  const courses = eachCourse(question, { timed: false, placement: "feasible", span: "most" }, coursesMax, (end) => {
    for (const [index, record] of end.monitor.endpoints.entries()) {
      if (record.broken || record.stalledBy.length > 0) hurt[index] = true;
    }
  });
  return { hurt, whole: courses < coursesMax };
}

/** Counts in the next sequence of choices like a clock: the last place first. */
function eachCourse(
  question: Question,
  how: Pick<SimulationOptions, "timed" | "placement" | "span">,
  coursesMax: number,
  onEnd: (sim: Simulation) => void,
): number {
  const { cluster, steps, endpoints, supporting, timing, horizonMs } = question;
  let taken: number[] = [];
  for (let courses = 1; courses <= coursesMax; courses += 1) {
    const options = { ...how, startUps: "all", evictions: "every", timing, horizonMs } as const;
    const sim = new Simulation(cluster, steps, { endpoints, supporting }, options);
    const counts: number[] = [];
    for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
      counts.push(optionCount(stop.choice));
      sim.choose(taken[counts.length - 1] ?? 0);
    }
    onEnd(sim);
    const sequence = counts.map((_, at) => taken[at] ?? 0);
    const at = sequence.findLastIndex((option, place) => option + 1 < (counts[place] ?? 0));
    if (at < 0) return courses;
    taken = [...sequence.slice(0, at), (sequence[at] ?? 0) + 1];
  }
  return coursesMax;
}

function wholeOf(sim: Simulation): Effort {
  return { drains: sim.drains.length, choices: sim.choicesTaken.length, atMs: sim.ledger.nowMs };
}

function isLess(a: Effort, b: Effort | null): boolean {
  return b === null || a.drains < b.drains || (a.drains === b.drains && a.choices < b.choices);
}
