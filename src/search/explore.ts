import type { SettledChoice } from "../sim/scenario.ts";
import { optionCount, type Simulation } from "../sim/simulation.ts";
import { StateKeys } from "../sim/state-key.ts";
import type { Choice } from "../sim/world.ts";
import { settledOption } from "./settled-choices.ts";

export interface ExploreLimits {
  /** States at which something is chosen; more ends the search. */
  readonly states: number;
  /** Choices settled beforehand. */
  readonly choices: readonly SettledChoice[];
}

export interface Explored {
  readonly states: number;
  /** Every order and every choice was followed to its end. */
  readonly exhaustive: boolean;
  /** enough: somebody had seen what they looked for. */
  readonly ended: "whole" | "enough" | "limit";
  /** Some trace ran into the horizon. */
  readonly horizon: boolean;
}

/** Fewer orders than all: only so many drains, of chosen nodes. */
export interface Narrowing {
  readonly drainsMax: number;
  /** Whether this node is worth taking as the next one, which is the last or not. */
  mayTake(sim: Simulation, node: string, isLast: boolean): boolean;
  /** Where a start may take a range of times: whether it takes the least. */
  startsSoon(sim: Simulation, pod: string): boolean;
}

/** on: look further. hurt: the same, and what led here is worth being led to with less. enough: stop. */
export type Look = "on" | "hurt" | "enough";

/**
 * Follows a simulation through every choice to every end, depth first, in a fixed order. A state seen before is not
 * followed again, unless it led to harm and less led to it now; nor is a node that nothing tells from one already tried.
 * `onEnd` sees the simulation at each end, `onChoice` wherever something is chosen; both say whether to go on.
 */
export function explore(
  sim: Simulation,
  limits: ExploreLimits,
  onEnd: (sim: Simulation) => Look,
  onChoice: (sim: Simulation) => "on" | "enough" = () => "on",
  narrowing: Narrowing | null = null,
): Explored {
  const keys = new StateKeys(sim.ledger.cluster);
  const seen = new Map<string, { efforts: readonly number[]; hurt: boolean }>();
  let states = 0;
  let again = 0;
  let horizon = false;
  const state: { stopped: Explored["ended"] } = { stopped: "whole" };

  /** Whether harm was found from here on. */
  const visit = (): boolean => {
    const stop = sim.run();
    if (stop.kind === "end") {
      horizon ||= stop.horizon;
      const look = onEnd(sim);
      if (look === "enough") state.stopped = "enough";
      return look === "hurt";
    }
    if (onChoice(sim) === "enough") {
      state.stopped = "enough";
      return false;
    }
    const ahead = narrowing === null ? null : drainsAhead(sim, narrowing);
    if (ahead === 0 && stop.choice.kind === "next-node" && !stop.choice.nodes.includes("")) return false;
    const key = (ahead ?? "") + keys.of(sim) + JSON.stringify(openChoice(sim, keys, stop.choice));
    const efforts = effortsOf(sim);
    const before = seen.get(key);
    const isLess = before?.efforts.some((effort, index) => (efforts[index] ?? 0) < effort) === true;
    if (before !== undefined && !(before.hurt && isLess && again < limits.states)) return before.hurt;
    const here = {
      efforts: before?.efforts.map((effort, at) => Math.min(effort, efforts[at] ?? effort)) ?? efforts,
      hurt: false,
    };
    seen.set(key, here);
    if (before === undefined) states += 1;
    else again += 1;
    if (states > limits.states) {
      state.stopped = "limit";
      return false;
    }
    for (const option of optionsTried(sim, keys, stop.choice, { settled: limits.choices, narrowing })) {
      if (ahead !== null && stop.choice.kind === "next-node") {
        const node = stop.choice.nodes[option] ?? "";
        const mayTake = node === "" || (ahead > 0 && narrowing?.mayTake(sim, node, ahead === 1) === true);
        if (!mayTake) continue;
      }
      const mark = sim.journal.mark();
      sim.choose(option);
      here.hurt = visit() || here.hurt;
      sim.journal.undoTo(mark);
      if (state.stopped !== "whole") break;
    }
    return here.hurt;
  };
  visit();
  return { states, exhaustive: state.stopped !== "limit", ended: state.stopped, horizon };
}

/**
 * What it took for each endpoint to get here: choices, or what it took to break, or to go down where it is still to be seen whether
 * that lasts. Of two courses to one state the lesser one makes the smaller counterexample.
 */
function effortsOf({ monitor, choicesTaken }: Simulation): readonly number[] {
  return monitor.endpoints.map(({ down, brokenAfter, downAfter }) => {
    const after = brokenAfter ?? (down === null ? null : downAfter);
    return after === null ? choicesTaken.length : after.drains * choicesMax + after.choices;
  });
}

/** More than are taken in any course. */
const choicesMax = 1e6;

function drainsAhead(sim: Simulation, { drainsMax }: Narrowing): number {
  const taken = sim.choicesTaken.filter(({ choice, taken: node }) => choice.kind === "next-node" && node !== "").length;
  return Math.max(0, drainsMax - taken);
}

/** What is open, without names that differ between like states. */
function openChoice(sim: Simulation, keys: StateKeys, choice: Choice): unknown {
  if (choice.kind === "place" || choice.kind === "preempt") {
    return [choice.kind, sim.ledger.pod(choice.pod)?.template.id, choice.nodes.length];
  }
  return choice.kind === "start" ? [choice.kind, podClass(sim, keys, choice.pod)] : [choice.kind];
}

/** What is settled, else one option of each class of nodes that nothing tells apart. */
function optionsTried(
  sim: Simulation,
  keys: StateKeys,
  choice: Choice,
  { settled, narrowing }: { readonly settled: ExploreLimits["choices"]; readonly narrowing: Narrowing | null },
): readonly number[] {
  const all = Array.from({ length: optionCount(choice) }, (_, index) => index);
  const option = settledOption(choice, settled, sim.choicesTaken);
  if (option >= 0) return [option];
  if (choice.kind === "start" && narrowing !== null) return [Number(narrowing.startsSoon(sim, choice.pod))];
  if (choice.kind === "start-up" || choice.kind === "start") return all;
  const seen = new Set<string>();
  return all.filter((index) => {
    const key =
      choice.kind === "next-eviction"
        ? podClass(sim, keys, choice.pods[index])
        : nodeClass(sim, keys, choice.nodes[index]);
    if (key === null) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function nodeClass(sim: Simulation, keys: StateKeys, name = ""): string | null {
  const node = sim.ledger.node(name);
  return node === undefined ? null : keys.nodeClass(sim, node);
}

/** Pods of one class that leave like nodes. */
function podClass(sim: Simulation, keys: StateKeys, key = ""): string | null {
  const pod = sim.ledger.pod(key);
  return pod === undefined ? null : `${keys.podClass(sim, pod)}/${nodeClass(sim, keys, pod.node?.name)}`;
}
