import { invariant, unreachable } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import { afterDrain, nodeBack, restart } from "./after-drain.ts";
import { askAgain, askNext, podsAsked } from "./asking.ts";
import { nodesThatMatter } from "./idle-nodes.ts";
import type { Lane } from "./lanes.ts";
import {
  activeLanes,
  aheadOf,
  candidatesOf,
  isFailure,
  isFree,
  laneOf,
  phaseOf,
  postOf,
  runsOf,
  unavailable,
  usedUp,
  withPhase,
} from "./maintenance-lanes.ts";
import { flagsFor, type MaintenanceOptions, nothing, type Progress } from "./maintenance-options.ts";
import { blockersOf, isBusy, type MaintenanceState, type NodeRun, withRun } from "./maintenance-state.ts";
import { joinLike, joinSurge, orderNode } from "./new-nodes.ts";
import { closeNode, markNode } from "./node-closing.ts";
import { complete, deleteEarly, noteGone, onLimit, startDrain } from "./node-drain.ts";
import { passedOver } from "./passing-over.ts";
import { isTakenFirst } from "./rivals.ts";
import type { Refusal } from "./trace.ts";
import type { ProgramTimer, World } from "./world.ts";

/**
 * Does the next immediate thing an actor would do, if there is one: close a node, start a drain, ask for one eviction,
 * note that a drain is complete. The cluster settles between any two.
 */
export function progress(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress {
  if (state.over) return nothing;
  const again = options.again ? takenBack(world, state) : null;
  if (again !== null) return { did: "something", state: again };
  // Of nodes that are closed beforehand, drains that go on at once have all begun before the first pod is asked.
  const active = activeLanes(state, options);
  const together = active.filter(
    (index) => phaseOf(state, index) === "ahead" || options.lanes[index]?.actor.closeWhen !== "node",
  );
  const begun = stepLanes(world, state, options, together);
  if (begun.did !== "nothing") return begun;
  const beside = state.asksFirst ? nothing : takesBeside(world, state, options, active);
  if (beside.did !== "nothing") return beside;
  const moved = moveRuns(world, state, options);
  if (moved.did !== "nothing") return moved;
  // The others have had nothing to do, and nothing has changed since.
  const others = active.filter((index) => !together.includes(index));
  const stepped = stepLanes(world, state, options, others);
  if (stepped.did !== "nothing") return stepped;
  return options.lanes.every((_, index) => phaseOf(state, index) === "over")
    ? { did: "something", state: { ...state, over: true } }
    : nothing;
}

/** A node that is done stands ahead again, as if nothing had been done to it. */
function takenBack(world: World, state: MaintenanceState): MaintenanceState | null {
  for (const [node, run] of state.runs) {
    if (isBusy(run) || world.ledger.node(node)?.unschedulable !== false) continue;
    const runs = new Map([...state.runs].filter(([other]) => other !== node));
    const closed = state.closed.filter((other) => other !== node);
    return { ...state, runs, closed, closedAhead: 0, ahead: [...state.ahead, node] };
  }
  return null;
}

/** The actor takes this node next; "": it asks a pod of those it has taken first. */
export function take(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  if (node === "") return { ...state, asksFirst: true };
  const { lane, index } = laneOf(state, options, node);
  const { actor } = lane;
  const ahead = state.ahead.filter((other) => other !== node);
  const taken = { ...state, ahead, closedAhead: Math.max(0, state.closedAhead - 1) };
  const surge = state.joined.has(node) ? null : actor.surge;
  const first = surge?.when === "before-each" || surge?.when === "between";
  const replacing = [...runsOf(state, options, index)].filter((run) => isBusy(run) && run.replacement !== "none");
  if (first && replacing.length < lane.surgeNodes) {
    const closed = surge.when === "between" ? closing(world, taken, lane, node) : taken;
    return orderNode(world, closed, lane, node);
  }
  const closed = closing(world, taken, lane, node);
  if (actor.closeWhen === "batch") return { ...closed, batch: [...closed.batch, node] };
  return startDrain(world, closed, options, node);
}

/** A timer of this maintenance went off. */
export function onTimer(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  timer: ProgramTimer,
): MaintenanceState {
  switch (timer.what) {
    case "retry": {
      const run = state.runs.get(timer.node);
      const leaving = run?.pods.get(timer.pod);
      if (run === undefined || leaving === undefined || leaving.retryAtMs !== world.ledger.nowMs) return state;
      return askAgain(world, state);
    }
    case "drain-limit": {
      const run = state.runs.get(timer.node);
      if (run === undefined || run.fromMs !== timer.fromMs) return state;
      if (run.phase === "waiting") return afterDrain(postOf(world, state, options, timer.node), state, run);
      return run.phase === "draining" ? onLimit(world, state, options, timer.node, run) : state;
    }
    case "pod-limit":
      return deleteEarly(world, state, options, timer);
    case "pod-ends":
      world.failPod(timer.pod, timer.uid);
      return state;
    case "surge-joins":
      return surgeJoins(world, state, options, timer.lane);
    case "node-joins":
      return nodeJoins(world, state, options, timer.node);
    case "node-back":
      return nodeBack(world, state, options, timer.node);
    case "wait":
      return state;
    default:
      return unreachable(timer);
  }
}

/** Nothing more can happen: what still waits has stalled. */
export function stall(world: World, state: MaintenanceState, options: MaintenanceOptions): MaintenanceState {
  const fromMs = world.ledger.nowMs;
  const note = (node: string, sinceMs: SimMs, blockedBy: readonly Refusal[]): void => {
    world.tell({ type: "drain-stalled", node, blockedBy });
    world.record({ node, outcome: "stalled", fromMs: sinceMs, toMs: null, blockedBy, refusedFor: [] });
  };
  for (const [node, run] of state.runs) {
    if (run.phase === "draining") note(node, run.fromMs, blockersOf(world.ledger, run));
  }
  for (const index of activeLanes(state, options)) {
    for (const node of aheadOf(state, options, index)) {
      const { lane } = laneOf(state, options, node);
      const why = passedOver(world.ledger, lane, node, flagsFor(lane.actor, options)) ?? usedUp(world, state, lane);
      if (why !== null) note(node, fromMs, [why]);
    }
  }
  return { ...state, over: true };
}

/** Whether any pod may be asked to go from now on. */
export function mayAsk(state: MaintenanceState, { again }: MaintenanceOptions): boolean {
  if (again || state.ahead.length > 0 || state.batch.length > 0 || state.joined.size > 0) return true;
  return [...state.runs.values()].some(
    (run) => isBusy(run) && (run.phase !== "draining" || [...run.pods.values()].some(({ state: s }) => s !== "going")),
  );
}

function stepLanes(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  indexes: readonly number[],
): Progress {
  for (const index of indexes) {
    const stepped = stepLane(world, state, options, index);
    if (stepped.did !== "nothing") return stepped;
  }
  return nothing;
}

function stepLane(world: World, state: MaintenanceState, options: MaintenanceOptions, index: number): Progress {
  const phase = phaseOf(state, index);
  switch (phase) {
    case "ahead":
      return { did: "something", state: beginLane(world, state, options, index) };
    case "awaits":
    case "over":
      return nothing;
    case "open":
    case "leaves":
      return workLane(world, state, options, index);
    default:
      return unreachable(phase);
  }
}

function beginLane(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
): MaintenanceState {
  const lane = options.lanes[index];
  invariant(lane !== undefined, "a lane that begins exists");
  if (lane.held !== "") {
    world.missing(lane.held, "what happens to its nodes when that ends");
    const ahead = state.ahead.filter((node) => !lane.nodes.includes(node));
    return withPhase({ ...state, ahead }, options, index, "over");
  }
  for (const node of lane.nodes) markNode(world, node, lane.actor);
  // Another step may have taken a node away before.
  const isThere = (node: string): boolean => world.ledger.node(node) !== undefined || !lane.nodes.includes(node);
  const begun = { ...state, ahead: state.ahead.filter(isThere) };
  const { surge } = lane.actor;
  if (surge?.when !== "before-all" || lane.surgeNodes === 0) return withPhase(begun, options, index, "open");
  const timer: ProgramTimer = { what: "surge-joins", lane: index };
  world.setAlarm(world.ledger.nowMs + surge.joinMs, { kind: "program", timer });
  return withPhase(begun, options, index, "awaits");
}

function workLane(world: World, state: MaintenanceState, options: MaintenanceOptions, index: number): Progress {
  const lane = options.lanes[index];
  invariant(lane !== undefined, "a lane under work exists");
  const something = (next: MaintenanceState): Progress => ({ did: "something", state: next });
  const ahead = aheadOf(state, options, index);
  if (lane.actor.closeWhen === "all") {
    const place = nextOpen(state, options, ahead);
    const open = ahead[place];
    if (open !== undefined) {
      const closedAhead = options.lanes.length === 1 ? place + 1 : 0;
      return something({ ...close(world, state, lane, open), closedAhead });
    }
  }
  const runs = runsOf(state, options, index);
  const batch = state.batch.filter((node) => laneOf(state, options, node).index === index);
  const busy = runs.filter(isBusy).length + batch.length;
  const failed = lane.actor.onNodeFailure === "stops" && runs.some(isFailure);
  if (ahead.length === 0 || failed) {
    const [next] = batch;
    if (next !== undefined) return something(startBatched(world, state, options, next));
    if (busy > 0) return nothing;
    return something(restartTogether(world, state, options, index) ?? endLane(state, options, index, failed));
  }
  const isFull = (): boolean => busy + unavailable(world, state, lane) >= lane.nodesAtOnce;
  // Asked at every step of a drain: what comes next need not be known then.
  if (lane.actor.closeWhen !== "batch" && isFull()) return nothing;
  const candidates = thatMatter(world, state, lane, candidatesOf(world, lane, ahead, options), options);
  if (lane.actor.closeWhen === "batch") {
    const [next] = batch;
    const full = batch.length >= lane.nodesAtOnce || candidates.length === 0;
    const begun = runs.some(isBusy);
    if (next !== undefined && (full || begun)) return something(startBatched(world, state, options, next));
    if (begun) return nothing;
  }
  const [first] = candidates;
  if (first === undefined || isFull()) return nothing;
  if (isFree(lane, options) && candidates.length > 1)
    return { did: "ask", choice: { kind: "next-node", nodes: candidates } };
  return something(take(world, state, options, first));
}

/** Nodes that are closed and go at once when they are drained are taken last, in one order, where that changes nothing. */
function thatMatter(
  world: World,
  state: MaintenanceState,
  { actor }: Lane,
  candidates: readonly string[],
  options: MaintenanceOptions,
): readonly string[] {
  if (world.evictions === "every" || actor.closeWhen !== "all" || actor.drain.by !== "eviction") return candidates;
  const leave = candidates.filter((node) => state.joined.has(node) || actor.afterDrain === "removed");
  if (leave.length < 2) return candidates;
  const matter = nodesThatMatter(world.ledger, leave, actor, flagsFor(actor, options));
  const others = candidates.filter((node) => matter.includes(node) || !leave.includes(node));
  return others.length > 0 ? others : candidates.slice(0, 1);
}

/**
 * Nodes that are worked on side by side and closed each in its turn: another may be taken before the next pod of the first is
 * asked, or after.
 */
function takesBeside(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  active: readonly number[],
): Progress {
  // Taken before or after the next pod is asked is one and the same then.
  if (world.evictions === "by-name") return nothing;
  const asked = podsAsked(world, state, options);
  if (asked.length === 0) return nothing;
  const nodes = active.flatMap((index) => nextBeside(world, state, options, index));
  const view = world.ledger;
  const matters = nodes.filter((node) => isTakenFirst(view, asked, view.node(node)?.pods ?? [], world.evictions));
  return matters.length === 0 ? nothing : { did: "ask", choice: { kind: "next-node", nodes: ["", ...matters] } };
}

/** Nodes of a lane that may be taken while others are drained. */
function nextBeside(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
): readonly string[] {
  const lane = options.lanes[index];
  const phase = phaseOf(state, index);
  if (lane === undefined || lane.actor.closeWhen !== "node" || (phase !== "open" && phase !== "leaves")) return [];
  const runs = runsOf(state, options, index);
  if (runs.some(isFailure) && lane.actor.onNodeFailure === "stops") return [];
  if (runs.filter(isBusy).length + unavailable(world, state, lane) >= lane.nodesAtOnce) return [];
  const candidates = candidatesOf(world, lane, aheadOf(state, options, index), options);
  return isFree(lane, options) ? candidates : candidates.slice(0, 1);
}

/** Which of a lane's nodes is to be closed next; none behind the last: all are. */
function nextOpen(
  { closed, closedAhead }: MaintenanceState,
  { lanes }: MaintenanceOptions,
  ahead: readonly string[],
): number {
  // Of several lanes each has an order of its own.
  const from = lanes.length === 1 ? closedAhead : 0;
  for (let at = from; at < ahead.length; at += 1) {
    const node = ahead[at];
    // None but those before, mostly.
    if (node !== undefined && (closed.length === from || !closed.includes(node))) return at;
  }
  return ahead.length;
}

function startBatched(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  return startDrain(world, { ...state, batch: state.batch.filter((other) => other !== node) }, options, node);
}

/** All its nodes are drained, and restart at one time; null: there are none, or one could not be drained. */
function restartTogether(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
): MaintenanceState | null {
  const runs = [...state.runs].filter(([node]) => laneOf(state, options, node).index === index);
  if (runs.length === 0 || runs.some(([, { phase }]) => phase !== "drained")) return null;
  const restarted = (so: MaintenanceState, [node, run]: readonly [string, NodeRun]): MaintenanceState =>
    restart(postOf(world, state, options, node), so, run);
  return runs.reduce(restarted, state);
}

/** Its nodes are done: surge nodes that were only lent leave, then the lane is over. */
function endLane(
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
  failed: boolean,
): MaintenanceState {
  const leaves = options.lanes[index]?.actor.surge?.atEnd === "leave" && !failed;
  if (!leaves || phaseOf(state, index) === "leaves") return withPhase(state, options, index, "over");
  const surgeNodes = options.lanes[index]?.surgeNodes ?? 0;
  const own = [...state.joined].filter(([, lane]) => lane === index).map(([node]) => node);
  return withPhase({ ...state, ahead: [...state.ahead, ...own.slice(0, surgeNodes)] }, options, index, "leaves");
}

function closing(world: World, state: MaintenanceState, lane: Lane, node: string): MaintenanceState {
  return state.closed.includes(node) ? state : close(world, state, lane, node);
}

function close(world: World, state: MaintenanceState, lane: Lane, node: string): MaintenanceState {
  closeNode(world, node, lane.actor);
  return { ...state, closed: [...state.closed, node] };
}

function surgeJoins(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
): MaintenanceState {
  const lane = options.lanes[index];
  invariant(lane !== undefined, "the lane whose nodes join exists");
  return withPhase(joinSurge(world, state, { lane, index }), options, index, "open");
}

/** The new node for this one is there; one that waited for it is closed and drained. */
function nodeJoins(world: World, state: MaintenanceState, options: MaintenanceOptions, node: string): MaintenanceState {
  const run = state.runs.get(node);
  const at = laneOf(state, options, node);
  const old = world.ledger.node(node)?.node ?? at.lane.like.get(node);
  if (run === undefined || run.replacement !== "coming" || old === undefined) return state;
  const joined = withRun(joinLike(world, state, old, at), node, { ...run, replacement: "here" });
  if (run.phase !== "joining") return joined;
  return startDrain(world, closing(world, joined, at.lane, node), options, node);
}

function moveRuns(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress {
  const asked = askNext(world, state, options);
  if (asked.did !== "nothing") return asked;
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining") continue;
    const moved = noteGone(world, state, node, run) ?? complete(world, state, options, node, run);
    if (moved !== null) return { did: "something", state: moved };
  }
  return nothing;
}
