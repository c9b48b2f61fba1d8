import { invariant } from "../base/invariant.ts";
import type { Lane } from "./lanes.ts";
import { flagsFor, type MaintenanceOptions } from "./maintenance-options.ts";
import { isBusy, type LanePhase, type MaintenanceState, type NodeRun } from "./maintenance-state.ts";
import { passedOver } from "./passing-over.ts";
import type { Refusal } from "./trace.ts";
import { unavailableNodes } from "./unavailable-nodes.ts";
import type { World } from "./world.ts";

export function phaseOf(state: MaintenanceState, index: number): LanePhase {
  return state.lanes[index] ?? "ahead";
}

export function withPhase(
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
  phase: LanePhase,
): MaintenanceState {
  return { ...state, lanes: options.lanes.map((_, at) => (at === index ? phase : phaseOf(state, at))) };
}

/** Lanes that are not over; of lanes in turn only the first of them. */
export function activeLanes(state: MaintenanceState, { lanes, inTurn }: MaintenanceOptions): readonly number[] {
  const active: number[] = [];
  for (let index = 0; index < lanes.length && (!inTurn || active.length === 0); index += 1)
    if (phaseOf(state, index) !== "over") active.push(index);
  return active;
}

export function laneOf(
  state: MaintenanceState,
  { lanes }: MaintenanceOptions,
  node: string,
): { readonly lane: Lane; readonly index: number } {
  const found =
    lanes.length === 1 ? 0 : (state.joined.get(node) ?? lanes.findIndex((lane) => lane.nodes.includes(node)));
  const lane = lanes[found];
  invariant(lane !== undefined, "a node of the maintenance is in a lane");
  return { lane, index: found };
}

/** A node that is worked on, and by whom. */
export interface Post {
  readonly world: World;
  readonly options: MaintenanceOptions;
  readonly node: string;
  readonly lane: Lane;
  readonly index: number;
}

export function postOf(world: World, state: MaintenanceState, options: MaintenanceOptions, node: string): Post {
  return { world, options, node, ...laneOf(state, options, node) };
}

export function aheadOf(state: MaintenanceState, options: MaintenanceOptions, index: number): readonly string[] {
  if (options.lanes.length === 1) return state.ahead;
  const own = state.ahead.filter((node) => laneOf(state, options, node).index === index);
  // Each lane has an order of its own.
  const order = options.lanes[index]?.nodes ?? [];
  return own.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

export function runsOf(state: MaintenanceState, options: MaintenanceOptions, index: number): readonly NodeRun[] {
  if (options.lanes.length === 1) return [...state.runs.values()];
  return [...state.runs].filter(([node]) => laneOf(state, options, node).index === index).map(([, run]) => run);
}

export function isFree({ actor }: Lane, { anyOrder }: MaintenanceOptions): boolean {
  return anyOrder && actor.order !== "zone-then-oldest" && actor.order !== "name";
}

export function isFailure({ outcome }: NodeRun): boolean {
  return outcome === "failed" || outcome === "refused";
}

export function candidatesOf(
  world: World,
  lane: Lane,
  ahead: readonly string[],
  options: MaintenanceOptions,
): readonly string[] {
  const flags = flagsFor(lane.actor, options);
  return ahead.filter((node) => passedOver(world.ledger, lane, node, flags) === null);
}

/** Nodes of the pool nobody of the maintenance works on, that use up what is allowed at once. */
export function unavailable(world: World, state: MaintenanceState, lane: Lane): number {
  if (lane.actor.usesUp.length === 0) return 0;
  let count = 0;
  for (const name of unavailableNodes(world.ledger, lane)) {
    const run = state.runs.get(name);
    if ((run === undefined || !isBusy(run)) && !state.batch.includes(name)) count += 1;
  }
  return count;
}

export function usedUp(world: World, state: MaintenanceState, lane: Lane): Refusal | null {
  const count = unavailable(world, state, lane);
  if (count < lane.nodesAtOnce) return null;
  const its = count === 1 ? "one of its nodes is" : `${count} of its nodes are`;
  const message = `pool ${lane.pool} may take ${lane.nodesAtOnce} at once, and ${its} cordoned or not available already`;
  return { pod: "", code: 0, message, cause: "" };
}
