import { unreachable } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import type { DrainFlags } from "../eviction/drain-flags.ts";
import type { Actor } from "../maintenance/actor.ts";
import type { PodKey } from "../model/key.ts";
import type { PodView } from "../model/view.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { stopMs } from "../workload/termination.ts";
import { afterDrain } from "./after-drain.ts";
import { graceCap } from "./asking.ts";
import { endingPods, leavingPods } from "./leaving-pods.ts";
import { laneOf } from "./maintenance-lanes.ts";
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
  const { actor } = laneOf(state, options, node).lane;
  const leftMs = fromMs + (limitOf(world, options, actor, flagsFor(actor, options)) ?? 0) - world.ledger.nowMs;
  const graceMs = Math.max(leastGraceMs, leftMs);
  world.deletePod(pod, actor.name, seen.template.terminationGraceMs <= graceMs ? null : graceMs);
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

export function complete(
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

export function onLimit(
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
        world.deletePod(pod, actor.name, actor.drain.deleteGraceMs ?? graceCap(world, actor.drain, pod));
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
