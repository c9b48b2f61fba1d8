import { invariant, unreachable } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import { parseDrainFlags } from "../eviction/drain-flags.ts";
import { planDrain } from "../eviction/drain.ts";
import { type EvictionAnswer, evict } from "../eviction/evict.ts";
import type { PodKey } from "../model/key.ts";
import type { Actor } from "../maintenance/actor.ts";
import type { DrainOutcome, Refusal } from "./trace.ts";
import type { Choice, ProgramTimer, World } from "./world.ts";

/** One maintenance of some nodes by an actor, under way. */
export interface MaintenanceState {
  /** Nodes not taken yet, in the order given. */
  readonly ahead: readonly string[];
  readonly closed: readonly string[];
  readonly runs: ReadonlyMap<string, NodeRun>;
  readonly over: boolean;
}

interface NodeRun {
  readonly phase: "draining" | "down" | "done";
  readonly fromMs: SimMs;
  readonly pods: ReadonlyMap<PodKey, Leaving>;
  /** Null: not ended. */
  readonly outcome: DrainOutcome | null;
}

/** A pod on its way off a node. */
interface Leaving {
  readonly uid: number;
  readonly state: "ask" | "refused" | "going" | "failed";
  readonly firstTryMs: SimMs;
  readonly refusal: Refusal | null;
  /** The ledger's `changes` when it was last refused: nothing new, no new answer. */
  readonly askedAt: number;
  readonly retryAtMs: SimMs | null;
}

export const notStarted = (nodes: readonly string[]): MaintenanceState => ({
  ahead: nodes,
  closed: [],
  runs: new Map(),
  over: false,
});

export interface MaintenanceOptions {
  readonly actor: Actor;
  /** Replaces the actor's own flags. */
  readonly flags: readonly string[] | null;
  readonly anyOrder: boolean;
  readonly nodesAtOnce: number;
  /** Null: the actor's own. Given limits end with `stopped` (give up) or `forced` (delete). */
  readonly stopAfterMs: number | null;
  readonly forceAfterMs: number | null;
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
  return closeNext(world, state, options) ?? moveRuns(world, state, options) ?? takeNext(world, state, options);
}

/** The actor takes this node next. */
export function take(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const ahead = state.ahead.filter((other) => other !== node);
  if (!state.closed.includes(node)) close(world, node, options);
  return startDrain(world, { ...state, ahead, closed: [...new Set([...state.closed, node])] }, options, node);
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
      return withRun(state, timer.node, withPod(run, timer.pod, { ...leaving, state: "ask", retryAtMs: null }));
    }
    case "drain-limit": {
      const run = state.runs.get(timer.node);
      if (run === undefined || run.phase !== "draining" || run.fromMs !== timer.fromMs) return state;
      return onLimit(world, state, options, timer.node, run);
    }
    case "node-back":
      return nodeBack(world, state, options, timer.node);
    case "wait":
      return state;
    default:
      return unreachable(timer);
  }
}

/** Nothing more can happen: what still waits has stalled. */
export function stall(world: World, state: MaintenanceState): MaintenanceState {
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining") continue;
    const blockedBy = refusalsOf(run);
    world.tell({ type: "drain-stalled", node, blockedBy });
    world.record({ node, outcome: "stalled", fromMs: run.fromMs, toMs: null, blockedBy });
  }
  return { ...state, over: true };
}

/** Asks again, on the actor's own beat, whatever was refused before something changed. */
export function rearm(world: World, state: MaintenanceState, options: MaintenanceOptions): MaintenanceState {
  let next = state;
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining") continue;
    for (const [pod, leaving] of run.pods) {
      const news =
        leaving.state === "refused" && leaving.retryAtMs === null && leaving.askedAt !== world.ledger.changes;
      if (!news) continue;
      const atMs = nextBeat(world, options, leaving.firstTryMs);
      world.setAlarm(atMs, { kind: "program", timer: { what: "retry", node, pod } });
      const current = next.runs.get(node);
      invariant(current !== undefined, "a run does not vanish while re-arming");
      next = withRun(next, node, withPod(current, pod, { ...leaving, retryAtMs: atMs }));
    }
  }
  return next;
}

function nextBeat(world: World, options: MaintenanceOptions, firstTryMs: SimMs): SimMs {
  const beatMs = world.timing.scenario.retryMs ?? options.actor.drain.retryMs;
  const nowMs = world.ledger.nowMs;
  // Untimed, a refused eviction is simply asked again when something changed.
  if (!world.timed || beatMs <= 0) return nowMs;
  return firstTryMs + (Math.floor((nowMs - firstTryMs) / beatMs) + 1) * beatMs;
}

function closeNext(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress | null {
  if (options.actor.closeWhen !== "all") return null;
  const node = state.ahead.find((name) => !state.closed.includes(name));
  if (node === undefined) return null;
  close(world, node, options);
  return { did: "something", state: { ...state, closed: [...state.closed, node] } };
}

function close(world: World, node: string, { actor }: MaintenanceOptions): void {
  if (world.ledger.node(node) === undefined) return;
  if (actor.close.by === "cordon") world.cordon(node, actor.name);
  else {
    const taint = { key: actor.close.key, value: "", effect: actor.close.effect };
    const taints = world.ledger.node(node)?.taints ?? [];
    world.ledger.setTaints(node, [...taints, taint]);
    world.tell({ type: "node-tainted", node, taint: `${taint.key}:${taint.effect}`, by: actor.name });
  }
}

function takeNext(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress {
  const busy = [...state.runs.values()].filter((run) => run.phase !== "done").length;
  const [first] = state.ahead;
  if (first === undefined) {
    return busy === 0 ? { did: "something", state: { ...state, over: true } } : nothing;
  }
  const failed = [...state.runs.values()].some((run) => run.outcome === "failed");
  if (failed && options.actor.onNodeFailure === "stops") {
    return busy === 0 ? { did: "something", state: { ...state, over: true } } : nothing;
  }
  if (busy >= options.nodesAtOnce) return nothing;
  if (options.anyOrder && state.ahead.length > 1) {
    return { did: "ask", choice: { kind: "next-node", nodes: state.ahead } };
  }
  return { did: "something", state: take(world, state, options, first) };
}

function startDrain(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const fromMs = world.ledger.nowMs;
  world.tell({ type: "drain-started", node, by: options.actor.name });
  const { flags } = flagsOf(options);
  const plan = planDrain(world.ledger, node, flags);
  if (plan.refusals.length > 0) {
    const blockedBy = plan.refusals.map((message) => ({ pod: "", code: 0, message, cause: "" }));
    return end(
      world,
      { ...state },
      node,
      { phase: "done", fromMs, pods: new Map(), outcome: null },
      "refused",
      blockedBy,
    );
  }
  const pods = new Map<PodKey, Leaving>();
  for (const pod of plan.evict) {
    pods.set(pod.key, { uid: pod.uid, state: "ask", firstTryMs: fromMs, refusal: null, askedAt: -1, retryAtMs: null });
  }
  const limitMs =
    options.stopAfterMs ??
    options.forceAfterMs ??
    flags.timeoutMs ??
    world.timing.scenario.drainTimeoutMs ??
    options.actor.drain.holdsForMs;
  if (limitMs !== null) {
    world.setAlarm(fromMs + limitMs, { kind: "program", timer: { what: "drain-limit", node, fromMs } });
  }
  return withRun(state, node, { phase: "draining", fromMs, pods, outcome: null });
}

/** --disable-eviction and the like are flags of the drain; unreadable ones were refused when the scenario was read. */
function flagsOf(options: MaintenanceOptions): { readonly flags: Parameters<typeof planDrain>[2] } {
  const parsed = parseDrainFlags(options.flags ?? options.actor.drain.flags);
  invariant(parsed.ok, "drain flags were checked when the scenario was read");
  return { flags: parsed.flags };
}

function moveRuns(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress | null {
  for (const [node, run] of state.runs) {
    if (run.phase !== "draining") continue;
    const moved =
      askOne(world, state, options, node, run) ??
      noteGone(world, state, node, run) ??
      complete(world, state, options, node, run);
    if (moved !== null) return { did: "something", state: moved };
  }
  return null;
}

function askOne(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState | null {
  for (const [pod, leaving] of run.pods) {
    if (leaving.state !== "ask") continue;
    return withRun(state, node, withPod(run, pod, ask(world, options, node, pod, leaving)));
  }
  return null;
}

function ask(world: World, options: MaintenanceOptions, node: string, pod: PodKey, leaving: Leaving): Leaving {
  const { flags } = flagsOf(options);
  const graceMs = graceFor(world, options, pod);
  if (flags.disableEviction) {
    world.deletePod(pod, options.actor.name, graceMs);
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
  const refusal: Refusal = { pod, code: answer.code, message: answer.message, cause: answer.cause ?? "" };
  const again = answer.code === 429 || options.actor.drain.onError === "retries";
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
  const cause = answer.cause ?? "";
  const same =
    before !== null && before.code === answer.code && before.message === answer.message && before.cause === cause;
  if (!same) world.tell({ type: "eviction", pod, node, code: answer.code, message: answer.message, cause });
}

/** Null: the pod's own. */
function graceFor(world: World, options: MaintenanceOptions, pod: PodKey): number | null {
  const { flags } = flagsOf(options);
  if (flags.gracePeriodMs !== null) return flags.gracePeriodMs;
  const maxMs = options.actor.drain.graceMaxMs;
  const ownMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
  return maxMs === null || ownMs <= maxMs ? null : maxMs;
}

function noteGone(world: World, state: MaintenanceState, node: string, run: NodeRun): MaintenanceState | null {
  const left = new Map([...run.pods].filter(([pod, leaving]) => world.ledger.pod(pod)?.uid === leaving.uid));
  return left.size === run.pods.size ? null : withRun(state, node, { ...run, pods: left });
}

function complete(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState | null {
  const states = [...run.pods.values()].map((leaving) => leaving.state);
  if (states.some((s) => s !== "failed")) return null;
  if (states.length > 0) return end(world, state, node, run, "failed", refusalsOf(run));
  const outcome = run.outcome ?? "completed";
  return afterDrain(world, end(world, state, node, run, outcome, []), options, node);
}

function end(
  world: World,
  state: MaintenanceState,
  node: string,
  run: NodeRun,
  outcome: DrainOutcome,
  blockedBy: readonly Refusal[],
): MaintenanceState {
  const nowMs = world.ledger.nowMs;
  world.tell({ type: "drain-completed", node, outcome });
  world.record({ node, outcome, fromMs: run.fromMs, toMs: nowMs, blockedBy });
  return withRun(state, node, { ...run, phase: "done", outcome, pods: new Map() });
}

function afterDrain(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const { actor } = options;
  if (actor.afterDrain === "stays") return state;
  if (actor.afterDrain === "removed") {
    world.removeNode(node, actor.name);
    return state;
  }
  const down = world.timing.scenario.nodeDown?.mostMs ?? actor.nodeDownMs;
  if (actor.afterDrain === "reboots") world.nodeDown(node, `${actor.title} restarts the machine`);
  const known = state.runs.get(node);
  invariant(known !== undefined, "a drained node has a run");
  world.setAlarm(world.ledger.nowMs + down, { kind: "program", timer: { what: "node-back", node } });
  return withRun(state, node, { ...known, phase: "down" });
}

function nodeBack(world: World, state: MaintenanceState, options: MaintenanceOptions, node: string): MaintenanceState {
  const run = state.runs.get(node);
  if (run === undefined || run.phase !== "down") return state;
  const { actor } = options;
  if (actor.afterDrain === "replaced") replace(world, node, actor.name);
  else {
    world.nodeUp(node);
    world.uncordon(node, actor.name);
  }
  return withRun(state, node, { ...run, phase: "done" });
}

/** A new node of the same shape and another name takes the old one's place. */
function replace(world: World, node: string, by: string): void {
  const old = world.ledger.node(node)?.node;
  world.removeNode(node, by);
  if (old === undefined) return;
  const name = `${node}-~1`;
  const labels = new Map([...old.labels].map(([key, value]) => [key, value === node ? name : value]));
  world.addNode({ ...old, name, labels, unschedulable: false, ready: true, taints: old.taints.filter(ownTaint) }, by);
}

const ownTaint = (taint: { readonly key: string }): boolean => !taint.key.startsWith("node.kubernetes.io/");

function onLimit(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const blockedBy = refusalsOf(run);
  if (options.stopAfterMs !== null) return end(world, state, node, run, "stopped", blockedBy);
  const then = options.forceAfterMs === null ? options.actor.drain.then : "deletes";
  switch (then) {
    case "waits":
    case "fails":
      return end(world, state, node, run, "failed", blockedBy);
    case "deletes": {
      const pods = new Map<PodKey, Leaving>();
      for (const [pod, leaving] of run.pods) {
        if (world.ledger.pod(pod)?.uid !== leaving.uid) continue;
        world.deletePod(pod, options.actor.name, options.actor.drain.deleteGraceMs);
        pods.set(pod, { ...leaving, state: "going", retryAtMs: null });
      }
      return withRun(state, node, { ...run, pods, outcome: "forced" });
    }
    case "stops-machine":
      return afterDrain(world, end(world, state, node, run, "forced", blockedBy), options, node);
    default:
      return unreachable(then);
  }
}

function refusalsOf(run: NodeRun): readonly Refusal[] {
  return [...run.pods.values()].flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
}

function withRun(state: MaintenanceState, node: string, run: NodeRun): MaintenanceState {
  return { ...state, runs: new Map([...state.runs, [node, run]]) };
}

function withPod(run: NodeRun, pod: PodKey, leaving: Leaving): NodeRun {
  return { ...run, pods: new Map([...run.pods, [pod, leaving]]) };
}
