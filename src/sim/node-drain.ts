import { unreachable } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import type { PodKey } from "../model/key.ts";
import type { PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { stopMs } from "../workload/termination.ts";
import { afterDrain } from "./after-drain.ts";
import { graceCap } from "./asking.ts";
import { endingPods, leavingPods } from "./leaving-pods.ts";
import { type Post, postOf } from "./maintenance-lanes.ts";
import { flagsFor, type MaintenanceOptions } from "./maintenance-options.ts";
import {
  blockersOf,
  type Leaving,
  type MaintenanceState,
  type NodeRun,
  refusalsOf,
  withPod,
  withRun,
} from "./maintenance-state.ts";
import { orderNode } from "./new-nodes.ts";
import { openNode } from "./node-closing.ts";
import type { DrainOutcome, Refusal } from "./trace.ts";
import type { ProgramTimer, World } from "./world.ts";

/** Whoever empties a node begins, and what stands there is on its way. */
export function startDrain(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const post = postOf(world, state, options, node);
  const { lane } = post;
  const { actor } = lane;
  const fromMs = world.ledger.nowMs;
  const known = state.runs.get(node);
  const withDrain = actor.surge?.when === "with-drain" && !state.joined.has(node);
  if (withDrain) orderNode(world, state, lane, node);
  const replacement = withDrain ? "coming" : (known?.replacement ?? "none");
  const run: NodeRun = { phase: "draining", fromMs, pods: new Map(), replacement, outcome: null, heldBy: [] };
  if (actor.drain.by === "nobody") return startNotice(post, state, run);
  world.tell({ type: "drain-started", node, by: actor.name });
  if (actor.drain.by === "kubelet") return endPods(post, state, run);
  return askPods(post, state, run);
}

/** Nobody asks the pods: the machine goes when the notice is over. */
function startNotice(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { node, lane } = post;
  const noticeMs = lane.actor.drain.holdsForMs ?? 0;
  if (noticeMs === 0) return afterDrain(post, withRun(state, node, run), run);
  setLimit(post, run, noticeMs);
  return withRun(state, node, { ...run, phase: "waiting" });
}

function setLimit({ world, node }: Post, { fromMs }: NodeRun, limitMs: number): void {
  world.setAlarm(fromMs + limitMs, { kind: "program", timer: { what: "drain-limit", node, fromMs } });
}

/** The node's own kubelet ends its pods. */
function endPods(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { world, node } = post;
  const { actor } = post.lane;
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
  if (actor.drain.holdsForMs !== null) setLimit(post, run, actor.drain.holdsForMs);
  return withRun(state, node, { ...run, pods });
}

function leavingOf({ uid }: PodView, nowMs: SimMs, wave: number): Leaving {
  return { uid, state: "ask", wave, firstTryMs: nowMs, refusal: null, askedAt: -1, retryAtMs: null };
}

function askPods(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { world, options, node } = post;
  const { actor } = post.lane;
  const flags = flagsFor(actor, options);
  const plan = leavingPods(world.ledger, node, actor, flags);
  if (plan.refusals.length > 0) {
    const blockedBy = plan.refusals.map((message) => ({ pod: "", code: 0, message, cause: "" }));
    return end(post, state, run, { outcome: "refused", blockedBy, refusedFor: plan.refusedPods });
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
  if (!ready && actor.drain.onNotReady !== "as-usual") return drainOfLostNode(post, state, draining);
  setLimits(post, draining);
  return withRun(state, node, draining);
}

/** Of a node that is not Ready nothing is waited for; some delete its pods without grace. */
function drainOfLostNode(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { world } = post;
  const { actor } = post.lane;
  if (actor.drain.onNotReady === "deletes") {
    for (const pod of run.pods.keys()) world.deletePod(pod, actor.name, actor.drain.deleteGraceMs);
  }
  const forced: NodeRun = { ...run, outcome: "forced" };
  return afterDrain(post, end(post, state, forced, { outcome: "forced", blockedBy: [] }), forced);
}

function setLimits(post: Post, run: NodeRun): void {
  const { world, node, lane } = post;
  const { fromMs } = run;
  const limitMs = limitOf(post);
  if (limitMs === null) return;
  setLimit(post, run, limitMs);
  if (!lane.actor.drain.deletesEarly) return;
  for (const pod of run.pods.keys()) {
    const graceMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
    const atMs = fromMs + Math.max(0, limitMs - Math.max(leastGraceMs, graceMs));
    world.setAlarm(atMs, { kind: "program", timer: { what: "pod-limit", node, pod, fromMs } });
  }
}

function limitOf({ world, options, lane: { actor } }: Post): number | null {
  const given = options.stopAfterMs ?? options.forceAfterMs ?? flagsFor(actor, options).timeoutMs;
  return given ?? world.timing.scenario.drainTimeoutMs ?? actor.drain.holdsForMs;
}

/** Deletions that have to be over by a limit leave at least so much grace. */
const leastGraceMs = 1_000;

export function deleteEarly(
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
  const post = postOf(world, state, options, node);
  const leftMs = fromMs + (limitOf(post) ?? 0) - world.ledger.nowMs;
  const graceMs = Math.max(leastGraceMs, leftMs);
  world.deletePod(pod, post.lane.actor.name, seen.template.terminationGraceMs <= graceMs ? null : graceMs);
  const heldBy = leaving.refusal === null ? run.heldBy : [...run.heldBy, leaving.refusal];
  const forced: NodeRun = { ...run, outcome: "forced", heldBy };
  return withRun(state, node, withPod(forced, pod, { ...leaving, state: "going", retryAtMs: null }));
}

export function noteGone(world: World, state: MaintenanceState, node: string, run: NodeRun): MaintenanceState | null {
  // No pod that holds room leaves a node but that its list of them becomes another.
  const there = world.ledger.node(node)?.pods;
  if (there !== undefined && wholeAt.get(run.pods) === there) return null;
  const gone: PodKey[] = [];
  let finished = 0;
  for (const [key, { uid, state: way }] of run.pods) {
    const pod = world.ledger.podByUid(uid);
    // A machine goes with whatever only a finalizer keeps on it.
    const isLeft = pod?.terminatingSinceMs === null || (run.outcome === "forced" && pod?.keptByFinalizer !== "");
    if (pod === undefined || (way === "going" && isTerminal(pod) && isLeft)) gone.push(key);
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

export function complete(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState | null {
  for (const { state: s } of run.pods.values()) if (s !== "failed") return null;
  const post = postOf(world, state, options, node);
  if (run.pods.size > 0) return giveUp(post, state, run);
  const outcome = run.outcome ?? "completed";
  const ended = { ...run, outcome };
  const noted = end(post, state, ended, { outcome, blockedBy: run.heldBy });
  const { actor } = post.lane;
  // A machine that is taken back runs to the end of its notice.
  if (actor.afterDrain === "lost" && actor.drain.holdsForMs !== null) {
    return withRun(noted, node, { ...ended, phase: "waiting", pods: new Map() });
  }
  return afterDrain(post, noted, ended);
}

function end(
  { world, node }: Post,
  state: MaintenanceState,
  run: NodeRun,
  { outcome, blockedBy, refusedFor = [] }: DrainEnd,
): MaintenanceState {
  const { nowMs } = world.ledger;
  world.tell({ type: "drain-completed", node, outcome });
  world.record({ node, outcome, fromMs: run.fromMs, toMs: nowMs, blockedBy, refusedFor });
  return withRun(state, node, { ...run, phase: "done", outcome, pods: new Map() });
}

interface DrainEnd {
  readonly outcome: DrainOutcome;
  readonly blockedBy: readonly Refusal[];
  readonly refusedFor?: readonly string[];
}

/** The drain fails; some open the node again. */
function giveUp(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { world, node } = post;
  const { actor } = post.lane;
  const ended = end(post, state, run, { outcome: "failed", blockedBy: blockersOf(world.ledger, run) });
  if (actor.drain.then === "reopens") openNode(world, node, actor);
  return ended;
}

export function onLimit(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
  run: NodeRun,
): MaintenanceState {
  const post = postOf(world, state, options, node);
  const { actor } = post.lane;
  const blockedBy = refusalsOf(run);
  if (options.stopAfterMs !== null) {
    return end(post, state, run, { outcome: "stopped", blockedBy: blockersOf(world.ledger, run) });
  }
  const then = options.forceAfterMs === null ? actor.drain.then : "deletes";
  switch (then) {
    case "waits":
    case "fails":
    case "reopens":
      return giveUp(post, state, run);
    case "deletes": {
      const pods = new Map<PodKey, Leaving>();
      for (const [pod, leaving] of run.pods) {
        if (world.ledger.pod(pod)?.uid !== leaving.uid) continue;
        world.deletePod(pod, actor.name, actor.drain.deleteGraceMs ?? graceCap(world, actor.drain, pod));
        pods.set(pod, { ...leaving, state: "going", retryAtMs: null });
      }
      return withRun(state, node, { ...run, pods, outcome: "forced", heldBy: blockedBy });
    }
    case "stops-machine": {
      const forced: NodeRun = { ...run, outcome: "forced" };
      return afterDrain(post, end(post, state, forced, { outcome: "forced", blockedBy }), forced);
    }
    default:
      return unreachable(then);
  }
}
