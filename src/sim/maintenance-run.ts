import { invariant, unreachable } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { SimMs } from "../base/units.ts";
import { type DrainFlags, parseDrainFlags } from "../eviction/drain-flags.ts";
import { type EvictionAnswer, evict } from "../eviction/evict.ts";
import type { Actor } from "../maintenance/actor.ts";
import { nextTryMs } from "../maintenance/rhythm.ts";
import type { PodKey } from "../model/key.ts";
import type { Taint } from "../model/pod-template.ts";
import type { PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { stopMs } from "../workload/termination.ts";
import { nodesThatMatter } from "./idle-nodes.ts";
import type { Lane } from "./lanes.ts";
import { endingPods, hasVolumes, leavingPods } from "./leaving-pods.ts";
import {
  askingOf,
  blockersOf,
  isBusy,
  type LanePhase,
  type Leaving,
  type MaintenanceState,
  type NodeRun,
  refusalsOf,
  withPod,
  withRun,
} from "./maintenance-state.ts";
import { joinLike, joinSurge } from "./new-nodes.ts";
import { closeNode, isUnavailable, markNode, openNode } from "./node-closing.ts";
import { passedOver } from "./passing-over.ts";
import { isTakenFirst, rivalsOf } from "./rivals.ts";
import type { DrainOutcome, Refusal } from "./trace.ts";
import type { Choice, ProgramTimer, World } from "./world.ts";

export interface MaintenanceOptions {
  /** Empty: no node is named. */
  readonly lanes: readonly Lane[];
  /** One lane after the other; else all by themselves. */
  readonly inTurn: boolean;
  /** Replaces the actor's own flags. */
  readonly flags: readonly string[] | null;
  readonly anyOrder: boolean;
  /** Null: the actor's own. Given limits end with `stopped` (give up) or `forced` (delete). */
  readonly stopAfterMs: number | null;
  readonly forceAfterMs: number | null;
  /** A node that is done may be taken again, without end: more than any one maintenance does, for proofs. */
  readonly again: boolean;
}

export type Progress =
  | { readonly did: "nothing" }
  | { readonly did: "something"; readonly state: MaintenanceState }
  | { readonly did: "ask"; readonly choice: Choice };

const nothing: Progress = { did: "nothing" };

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
      if (run.phase === "waiting") return afterDrain(world, state, options, timer.node, run);
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

/** Whoever is to be asked again at this moment is, together. */
function askAgain(world: World, state: MaintenanceState): MaintenanceState {
  const { nowMs } = world.ledger;
  let next = state;
  for (const [node, run] of state.runs) {
    const due = [...run.pods].filter(([, { retryAtMs }]) => retryAtMs === nowMs);
    if (due.length === 0) continue;
    const pods = new Map(run.pods);
    for (const [pod, leaving] of due) pods.set(pod, { ...leaving, state: "ask", retryAtMs: null });
    next = withRun(next, node, { ...run, pods });
  }
  return next;
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

/** Asks again, on the actor's own beat, whatever was refused before something changed. */
export function rearm(world: World, state: MaintenanceState, options: MaintenanceOptions): MaintenanceState {
  let next = state;
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining" || !askingOf(run).waits) continue;
    for (const [pod, leaving] of run.pods) {
      const news =
        leaving.state === "refused" && leaving.retryAtMs === null && leaving.askedAt !== world.ledger.changes;
      if (!news) continue;
      const { actor } = laneOf(state, options, node).lane;
      const atMs = nextBeat(world, actor, run, leaving);
      world.setAlarm(atMs, { kind: "program", timer: { what: "retry", node, pod } });
      const current = next.runs.get(node);
      invariant(current !== undefined, "a run does not vanish while re-arming");
      next = withRun(next, node, withPod(current, pod, { ...leaving, retryAtMs: atMs }));
    }
  }
  return next;
}

function nextBeat(world: World, { drain }: Actor, run: NodeRun, leaving: Leaving): SimMs {
  const { nowMs } = world.ledger;
  // Untimed, a refused eviction is simply asked again when something changed.
  if (!world.timed) return nowMs;
  const retryMs = world.timing.scenario.retryMs;
  const rhythm = retryMs === null ? drain : { retryMs, attempts: null };
  return nextTryMs(rhythm, { fromMs: run.fromMs, firstMs: leaving.firstTryMs, nowMs });
}

// Lanes.

function phaseOf(state: MaintenanceState, index: number): LanePhase {
  return state.lanes[index] ?? "ahead";
}

function withPhase(
  state: MaintenanceState,
  options: MaintenanceOptions,
  index: number,
  phase: LanePhase,
): MaintenanceState {
  return { ...state, lanes: options.lanes.map((_, at) => (at === index ? phase : phaseOf(state, at))) };
}

/** Lanes that are not over; of lanes in turn only the first of them. */
function activeLanes(state: MaintenanceState, { lanes, inTurn }: MaintenanceOptions): readonly number[] {
  const active = [...lanes.keys()].filter((index) => phaseOf(state, index) !== "over");
  return inTurn ? active.slice(0, 1) : active;
}

function laneOf(
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

function aheadOf(state: MaintenanceState, options: MaintenanceOptions, index: number): readonly string[] {
  if (options.lanes.length === 1) return state.ahead;
  const own = state.ahead.filter((node) => laneOf(state, options, node).index === index);
  // Each lane has an order of its own.
  const order = options.lanes[index]?.nodes ?? [];
  return own.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

function runsOf(state: MaintenanceState, options: MaintenanceOptions, index: number): readonly NodeRun[] {
  return [...state.runs].filter(([node]) => laneOf(state, options, node).index === index).map(([, run]) => run);
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

function candidatesOf(
  world: World,
  lane: Lane,
  ahead: readonly string[],
  options: MaintenanceOptions,
): readonly string[] {
  const flags = flagsFor(lane.actor, options);
  return ahead.filter((node) => passedOver(world.ledger, lane, node, flags) === null);
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

function isFree({ actor }: Lane, { anyOrder }: MaintenanceOptions): boolean {
  return anyOrder && actor.order !== "zone-then-oldest" && actor.order !== "name";
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

function isFailure({ outcome }: NodeRun): boolean {
  return outcome === "failed" || outcome === "refused";
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

/** Nodes of the pool nobody of the maintenance works on, that use up what is allowed at once. */
function unavailable(world: World, state: MaintenanceState, { actor, members }: Lane): number {
  if (actor.usesUp.length === 0) return 0;
  return members.filter((name) => {
    const run = state.runs.get(name);
    if ((run !== undefined && isBusy(run)) || state.batch.includes(name)) return false;
    const view = world.ledger.node(name);
    return view !== undefined && isUnavailable(view, actor.usesUp);
  }).length;
}

function usedUp(world: World, state: MaintenanceState, lane: Lane): Refusal | null {
  const count = unavailable(world, state, lane);
  if (count < lane.nodesAtOnce) return null;
  const its = count === 1 ? "one of its nodes is" : `${count} of its nodes are`;
  const message = `pool ${lane.pool} may take ${lane.nodesAtOnce} at once, and ${its} cordoned or not available already`;
  return { pod: "", code: 0, message, cause: "" };
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
    restart(world, so, laneOf(state, options, node).lane, node, run);
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

// New nodes.

function orderNode(world: World, state: MaintenanceState, { actor }: Lane, node: string): MaintenanceState {
  const { nowMs } = world.ledger;
  const timer: ProgramTimer = { what: "node-joins", node };
  world.setAlarm(nowMs + (actor.surge?.joinMs ?? 0), { kind: "program", timer });
  const run: NodeRun = {
    phase: "joining",
    fromMs: nowMs,
    pods: new Map(),
    replacement: "coming",
    outcome: null,
    heldBy: [],
  };
  return withRun(state, node, run);
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

// Drains.

function startDrain(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const { lane } = laneOf(state, options, node);
  const { actor } = lane;
  const fromMs = world.ledger.nowMs;
  const known = state.runs.get(node);
  const withDrain = actor.surge?.when === "with-drain" && !state.joined.has(node);
  if (withDrain) orderNode(world, state, lane, node);
  const replacement = withDrain ? "coming" : (known?.replacement ?? "none");
  const run: NodeRun = { phase: "draining", fromMs, pods: new Map(), replacement, outcome: null, heldBy: [] };
  if (actor.drain.by === "nobody") return startNotice(world, state, options, node, run);
  world.tell({ type: "drain-started", node, by: actor.name });
  if (actor.drain.by === "kubelet") return endPods(world, state, actor, node, run);
  return askPods(world, state, options, node, run);
}

/** Nobody asks the pods: the machine goes when the notice is over. */
function startNotice(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const noticeMs = laneOf(state, options, node).lane.actor.drain.holdsForMs ?? 0;
  if (noticeMs === 0) return afterDrain(world, withRun(state, node, run), options, node, run);
  setLimit(world, node, run, noticeMs);
  return withRun(state, node, { ...run, phase: "waiting" });
}

function setLimit(world: World, node: string, { fromMs }: NodeRun, limitMs: number): void {
  world.setAlarm(fromMs + limitMs, { kind: "program", timer: { what: "drain-limit", node, fromMs } });
}

/** The node's own kubelet ends its pods. */
function endPods(world: World, state: MaintenanceState, actor: Actor, node: string, run: NodeRun): MaintenanceState {
  const { nowMs } = world.ledger;
  const ending = endingPods(world.ledger, node, actor);
  const pods = new Map<PodKey, Leaving>();
  for (const { pod, afterMs, graceMs } of ending) {
    const endsMs = nowMs + afterMs + stopMs(pod.template, Math.min(graceMs, pod.template.terminationGraceMs));
    const timer: ProgramTimer = { what: "pod-ends", node, pod: pod.key, uid: pod.uid };
    world.setAlarm(endsMs, { kind: "program", timer });
    pods.set(pod.key, { ...leavingOf(pod, nowMs, 0), state: "going" });
  }
  for (const { pod } of ending) {
    if (!pod.ready) continue;
    world.ledger.setReady(pod.key, false);
    world.tell({ type: "pod-unready", pod: pod.key, node });
  }
  if (actor.drain.then === "stops-machine") world.ledger.setNodeReady(node, false);
  if (actor.drain.holdsForMs !== null) setLimit(world, node, run, actor.drain.holdsForMs);
  return withRun(state, node, { ...run, pods });
}

function leavingOf({ uid }: PodView, nowMs: SimMs, wave: number): Leaving {
  return { uid, state: "ask", wave, firstTryMs: nowMs, refusal: null, askedAt: -1, retryAtMs: null };
}

function askPods(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const { actor } = laneOf(state, options, node).lane;
  const flags = flagsFor(actor, options);
  const plan = leavingPods(world.ledger, node, actor, flags);
  if (plan.refusals.length > 0) {
    const blockedBy = plan.refusals.map((message) => ({ pod: "", code: 0, message, cause: "" }));
    return end(world, state, node, run, "refused", blockedBy, plan.refusedPods);
  }
  const pods = new Map<PodKey, Leaving>();
  for (const { pod, wave, held } of plan.pods) {
    const leaving = leavingOf(pod, run.fromMs, wave);
    if (held === "") pods.set(pod.key, leaving);
    else {
      const refusal: Refusal = { pod: pod.key, code: 0, message: held, cause: "" };
      pods.set(pod.key, { ...leaving, state: "held", refusal });
    }
  }
  const draining = { ...run, pods };
  const ready = world.ledger.node(node)?.ready ?? false;
  if (!ready && actor.drain.onNotReady !== "as-usual") return drainOfLostNode(world, state, options, node, draining);
  setLimits(world, options, actor, node, draining, flags);
  return withRun(state, node, draining);
}

/** Of a node that is not Ready nothing is waited for; some delete its pods without grace. */
function drainOfLostNode(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const { actor } = laneOf(state, options, node).lane;
  if (actor.drain.onNotReady === "deletes") {
    for (const pod of run.pods.keys()) world.deletePod(pod, actor.name, actor.drain.deleteGraceMs);
  }
  const forced: NodeRun = { ...run, outcome: "forced" };
  return afterDrain(world, end(world, state, node, forced, "forced", []), options, node, forced);
}

function setLimits(
  world: World,
  options: MaintenanceOptions,
  actor: Actor,
  node: string,
  run: NodeRun,
  flags: DrainFlags,
): void {
  const { fromMs } = run;
  const limitMs = limitOf(world, options, actor, flags);
  if (limitMs === null) return;
  setLimit(world, node, run, limitMs);
  if (!actor.drain.deletesEarly) return;
  for (const pod of run.pods.keys()) {
    const graceMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
    const atMs = fromMs + Math.max(0, limitMs - Math.max(leastGraceMs, graceMs));
    world.setAlarm(atMs, { kind: "program", timer: { what: "pod-limit", node, pod, fromMs } });
  }
}

function limitOf(world: World, options: MaintenanceOptions, { drain }: Actor, flags: DrainFlags): number | null {
  const given = options.stopAfterMs ?? options.forceAfterMs ?? flags.timeoutMs;
  return given ?? world.timing.scenario.drainTimeoutMs ?? drain.holdsForMs;
}

/** Deletions that have to be over by a limit leave at least so much grace. */
const leastGraceMs = 1_000;

function deleteEarly(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  { node, pod, fromMs }: Extract<ProgramTimer, { readonly what: "pod-limit" }>,
): MaintenanceState {
  const run = state.runs.get(node);
  const leaving = run?.pods.get(pod);
  if (run?.phase !== "draining" || run.fromMs !== fromMs || leaving === undefined) return state;
  const seen = world.ledger.pod(pod);
  if (seen === undefined || seen.uid !== leaving.uid || leaving.state === "going") return state;
  const { actor } = laneOf(state, options, node).lane;
  const leftMs = fromMs + (limitOf(world, options, actor, flagsFor(actor, options)) ?? 0) - world.ledger.nowMs;
  const graceMs = Math.max(leastGraceMs, leftMs);
  world.deletePod(pod, actor.name, seen.template.terminationGraceMs <= graceMs ? null : graceMs);
  const heldBy = leaving.refusal === null ? run.heldBy : [...run.heldBy, leaving.refusal];
  const forced: NodeRun = { ...run, outcome: "forced", heldBy };
  return withRun(state, node, withPod(forced, pod, { ...leaving, state: "going", retryAtMs: null }));
}

/** --disable-eviction and the like are flags of the drain; unreadable ones were refused when the scenario was read. */
function flagsFor(actor: Actor, options: MaintenanceOptions): DrainFlags {
  return underKey(parsedFlags, options.flags ?? actor.drain.flags, (flags) => {
    const parsed = parseDrainFlags(flags);
    invariant(parsed.ok, "drain flags were checked when the scenario was read");
    return parsed.flags;
  });
}

const parsedFlags = new WeakMap<readonly string[], DrainFlags>();

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

function askNext(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress {
  if (world.evictions === "by-name") {
    const next = firstAsked(world, state, options);
    return next === null ? nothing : { did: "something", state: askForPod(world, state, options, next) };
  }
  const asked = keysAsked(world, state, options);
  const [first] = asked;
  if (first === undefined) return nothing;
  const pods = asked.flatMap((key) => world.ledger.pod(key) ?? []);
  const isClosing = (taint: Taint): boolean =>
    options.lanes.some(({ actor }) => actor.close.taints.some(({ key }) => key === taint.key));
  const rivals = pods[0]?.key === first ? rivalsOf(world.ledger, pods, { told: world.evictions, isClosing }) : [];
  if (rivals.length < 2) return { did: "something", state: askForPod(world, state, options, first) };
  return { did: "ask", choice: { kind: "next-eviction", pods: rivals.map(({ key }) => key) } };
}

function keysAsked(world: World, state: MaintenanceState, options: MaintenanceOptions): readonly PodKey[] {
  return [...state.runs].flatMap(([node, run]) =>
    run.phase === "draining" ? askedAtOnce(world, laneOf(state, options, node).lane.actor, run) : [],
  );
}

function firstAsked(world: World, state: MaintenanceState, options: MaintenanceOptions): PodKey | null {
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining") continue;
    const [first] = askedAtOnce(world, laneOf(state, options, node).lane.actor, run);
    if (first !== undefined) return first;
  }
  return null;
}

function podsAsked(world: World, state: MaintenanceState, options: MaintenanceOptions): readonly PodView[] {
  return keysAsked(world, state, options).flatMap((key) => world.ledger.pod(key) ?? []);
}

/** Pods of a node whose eviction may be asked for now, in the order of their names. */
function askedAtOnce(world: World, { drain }: Actor, run: NodeRun): readonly PodKey[] {
  const { keys } = askingOf(run);
  if (keys.length === 0) return keys;
  const detaching =
    drain.volumesOneByOne && [...run.pods].some(([pod, { state }]) => state === "going" && detaches(world, pod));
  const asked = detaching ? keys.filter((pod) => !detaches(world, pod)) : keys;
  return drain.asks === "by-name" ? asked.slice(0, 1) : asked;
}

/** Asks for the eviction of a pod whose turn it is. */
export function askForPod(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  pod: PodKey,
): MaintenanceState {
  for (const [node, run] of state.runs) {
    const leaving = run.pods.get(pod);
    if (run.phase !== "draining" || leaving?.state !== "ask") continue;
    const { actor } = laneOf(state, options, node).lane;
    const asked = withRun(state, node, withPod(run, pod, ask(world, options, actor, node, pod, leaving)));
    return { ...asked, asksFirst: false };
  }
  return state;
}

function detaches(world: World, key: PodKey): boolean {
  const pod = world.ledger.pod(key);
  return pod !== undefined && hasVolumes(pod);
}

function ask(
  world: World,
  options: MaintenanceOptions,
  actor: Actor,
  node: string,
  pod: PodKey,
  leaving: Leaving,
): Leaving {
  const flags = flagsFor(actor, options);
  const graceMs = graceFor(world, actor, flags, pod);
  if (flags.disableEviction) {
    world.deletePod(pod, actor.name, graceMs);
    return { ...leaving, state: "going" };
  }
  const seen = world.ledger.pod(pod);
  if (seen === undefined || seen.uid !== leaving.uid) return { ...leaving, state: "going" };
  const answer = evict(world.ledger, pod);
  tellAnswer(world, node, pod, answer, leaving.refusal);
  if (answer.code === 201) {
    accept(world, pod, answer, graceMs);
    return { ...leaving, state: "going", refusal: null };
  }
  if (answer.code === 404) return { ...leaving, state: "going", refusal: null };
  const namespaceGoes = answer.code === 403 && answer.blockedBy.length === 0;
  if (namespaceGoes && seen.terminatingSinceMs !== null) return { ...leaving, state: "going", refusal: null };
  const refusal: Refusal = { pod, code: answer.code, message: answer.message, cause: answer.cause ?? "" };
  // kubectl too asks again while the namespace is being terminated, until the pod is.
  const again = answer.code === 429 || namespaceGoes || actor.drain.onError === "retries";
  return { ...leaving, state: again ? "refused" : "failed", refusal, askedAt: world.ledger.changes };
}

/** The pod's budget is spent and its deletion begins, as the API server does in one go. */
export function accept(world: World, pod: PodKey, answer: EvictionAnswer, graceMs: number | null): void {
  if (answer.budget !== null) world.ledger.spendBudget(answer.budget, pod);
  world.deletePod(pod, "eviction", graceMs);
}

export function tellAnswer(
  world: World,
  node: string,
  pod: PodKey,
  answer: EvictionAnswer,
  before: Refusal | null,
): void {
  for (const what of answer.undecided) world.missing(what, `whether ${pod} may be evicted`);
  const cause = answer.cause ?? "";
  const same =
    before !== null && before.code === answer.code && before.message === answer.message && before.cause === cause;
  if (!same) world.tell({ type: "eviction", pod, node, code: answer.code, message: answer.message, cause });
}

/** Null: the pod's own. */
function graceFor(world: World, { drain }: Actor, flags: DrainFlags, pod: PodKey): number | null {
  if (flags.gracePeriodMs !== null) return flags.gracePeriodMs;
  if (drain.graceSetMs !== null) return drain.graceSetMs;
  const ownMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
  return drain.graceMaxMs === null || ownMs <= drain.graceMaxMs ? null : drain.graceMaxMs;
}

function noteGone(world: World, state: MaintenanceState, node: string, run: NodeRun): MaintenanceState | null {
  // No pod that holds room leaves a node but that its list of them becomes another.
  const there = world.ledger.node(node)?.pods;
  if (there !== undefined && wholeAt.get(run.pods) === there) return null;
  const gone: PodKey[] = [];
  let finished = 0;
  for (const [key, { uid, state: way }] of run.pods) {
    const pod = world.ledger.podByUid(uid);
    if (pod === undefined || (way === "going" && isTerminal(pod) && pod.terminatingSinceMs === null)) gone.push(key);
    else if (isTerminal(pod)) finished += 1;
  }
  if (gone.length === 0) {
    if (there !== undefined && finished === 0) wholeAt.set(run.pods, there);
    return null;
  }
  const left = new Map(run.pods);
  for (const key of gone) left.delete(key);
  return withRun(state, node, { ...run, pods: left });
}

/** Which pods were on their node when these were all there. */
const wholeAt = new WeakMap<NodeRun["pods"], readonly PodView[]>();

function complete(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState | null {
  for (const { state: s } of run.pods.values()) if (s !== "failed") return null;
  if (run.pods.size > 0) return giveUp(world, state, options, node, run);
  const outcome = run.outcome ?? "completed";
  const ended = { ...run, outcome };
  const noted = end(world, state, node, ended, outcome, run.heldBy);
  const { actor } = laneOf(state, options, node).lane;
  // A machine that is taken back runs to the end of its notice.
  if (actor.afterDrain === "lost" && actor.drain.holdsForMs !== null) {
    return withRun(noted, node, { ...ended, phase: "waiting", pods: new Map() });
  }
  return afterDrain(world, noted, options, node, ended);
}

function end(
  world: World,
  state: MaintenanceState,
  node: string,
  run: NodeRun,
  outcome: DrainOutcome,
  blockedBy: readonly Refusal[],
  refusedFor: readonly string[] = [],
): MaintenanceState {
  const nowMs = world.ledger.nowMs;
  world.tell({ type: "drain-completed", node, outcome });
  world.record({ node, outcome, fromMs: run.fromMs, toMs: nowMs, blockedBy, refusedFor });
  return withRun(state, node, { ...run, phase: "done", outcome, pods: new Map() });
}

/** The drain fails; some open the node again. */
function giveUp(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const { actor } = laneOf(state, options, node).lane;
  const ended = end(world, state, node, run, "failed", blockersOf(world.ledger, run));
  if (actor.drain.then === "reopens") openNode(world, node, actor);
  return ended;
}

function onLimit(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const { actor } = laneOf(state, options, node).lane;
  const blockedBy = refusalsOf(run);
  if (options.stopAfterMs !== null) return end(world, state, node, run, "stopped", blockersOf(world.ledger, run));
  const then = options.forceAfterMs === null ? actor.drain.then : "deletes";
  switch (then) {
    case "waits":
    case "fails":
    case "reopens":
      return giveUp(world, state, options, node, run);
    case "deletes": {
      const pods = new Map<PodKey, Leaving>();
      for (const [pod, leaving] of run.pods) {
        if (world.ledger.pod(pod)?.uid !== leaving.uid) continue;
        world.deletePod(pod, actor.name, actor.drain.deleteGraceMs ?? graceCap(world, actor, pod));
        pods.set(pod, { ...leaving, state: "going", retryAtMs: null });
      }
      return withRun(state, node, { ...run, pods, outcome: "forced", heldBy: blockedBy });
    }
    case "stops-machine": {
      const forced: NodeRun = { ...run, outcome: "forced" };
      return afterDrain(world, end(world, state, node, forced, "forced", blockedBy), options, node, forced);
    }
    default:
      return unreachable(then);
  }
}

function graceCap(world: World, { drain }: Actor, pod: PodKey): number | null {
  const ownMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
  return drain.graceMaxMs === null || ownMs <= drain.graceMaxMs ? null : drain.graceMaxMs;
}

// What becomes of a node.

function afterDrain(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const { actor } = laneOf(state, options, node).lane;
  const isSurge = state.joined.has(node);
  const done = withRun(state, node, { ...run, phase: "done", pods: new Map() });
  const after = isSurge ? "removed" : actor.afterDrain;
  switch (after) {
    case "stays":
      return done;
    case "opens":
      if (actor.nodeDownMs > 0) return comesBack(world, state, node, run, actor.nodeDownMs);
      openNode(world, node, actor);
      return done;
    case "reboots":
      return restart(world, state, laneOf(state, options, node).lane, node, run);
    case "reboots-together":
      return withRun(state, node, { ...run, phase: "drained", pods: new Map() });
    case "removed":
      world.removeNode(node, actor.name);
      return done;
    case "replaced": {
      world.removeNode(node, actor.name);
      return run.replacement === "none" ? comesBack(world, state, node, run, downMs(world, actor)) : done;
    }
    case "off":
      world.nodeDown(node, actor.title);
      return done;
    case "lost":
      world.nodeDown(node, actor.title);
      return comesBack(world, state, node, run, actor.nodeDownMs);
    default:
      return unreachable(after);
  }
}

function restart(world: World, state: MaintenanceState, { actor }: Lane, node: string, run: NodeRun): MaintenanceState {
  world.nodeDown(node, `${actor.title} restarts the machine`);
  return comesBack(world, state, node, run, downMs(world, actor));
}

function comesBack(world: World, state: MaintenanceState, node: string, run: NodeRun, inMs: number): MaintenanceState {
  world.setAlarm(world.ledger.nowMs + inMs, { kind: "program", timer: { what: "node-back", node } });
  return withRun(state, node, { ...run, phase: "down", pods: new Map() });
}

function downMs(world: World, actor: Actor): number {
  return world.timing.scenario.nodeDown?.mostMs ?? actor.nodeDownMs;
}

function nodeBack(world: World, state: MaintenanceState, options: MaintenanceOptions, node: string): MaintenanceState {
  const run = state.runs.get(node);
  if (run === undefined || run.phase !== "down") return state;
  const at = laneOf(state, options, node);
  const { actor, like } = at.lane;
  const done = withRun(state, node, { ...run, phase: "done" });
  switch (actor.afterDrain) {
    case "replaced": {
      const old = like.get(node);
      return old === undefined ? done : joinLike(world, done, old, at);
    }
    case "lost":
      world.removeNode(node, actor.name);
      return done;
    default:
      world.nodeUp(node);
      openNode(world, node, actor);
      return done;
  }
}
