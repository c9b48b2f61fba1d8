import { invariant } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import type { DrainFlags } from "../eviction/drain-flags.ts";
import { type EvictionAnswer, evict } from "../eviction/evict.ts";
import type { Actor } from "../maintenance/actor.ts";
import { nextTryMs } from "../maintenance/rhythm.ts";
import type { PodKey } from "../model/key.ts";
import type { Taint } from "../model/pod-template.ts";
import type { PodView } from "../model/view.ts";
import { hasVolumes } from "./leaving-pods.ts";
import { laneOf, type Post, postOf } from "./maintenance-lanes.ts";
import { flagsFor, type MaintenanceOptions, nothing, type Progress } from "./maintenance-options.ts";
import { askingOf, type Leaving, type MaintenanceState, type NodeRun, withPod, withRun } from "./maintenance-state.ts";
import { rivalsOf } from "./rivals.ts";
import type { Refusal } from "./trace.ts";
import type { World } from "./world.ts";

/** Asks for the next eviction, or which of several is next. */
export function askNext(world: World, state: MaintenanceState, options: MaintenanceOptions): Progress {
  // Nobody's turn matters to another's then.
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

export function podsAsked(world: World, state: MaintenanceState, options: MaintenanceOptions): readonly PodView[] {
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
    const next = ask(postOf(world, state, options, node), pod, leaving);
    return { ...withRun(state, node, withPod(run, pod, next)), asksFirst: false };
  }
  return state;
}

function detaches(world: World, key: PodKey): boolean {
  const pod = world.ledger.pod(key);
  return pod !== undefined && hasVolumes(pod);
}

function ask({ world, options, node, lane: { actor } }: Post, pod: PodKey, leaving: Leaving): Leaving {
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
  return drain.graceSetMs ?? graceCap(world, drain, pod);
}

/** The actor's most, where the pod's own grace is longer. Null: the pod's own. */
export function graceCap(world: World, { graceMaxMs }: Actor["drain"], pod: PodKey): number | null {
  const ownMs = world.ledger.pod(pod)?.template.terminationGraceMs ?? 0;
  return graceMaxMs === null || ownMs <= graceMaxMs ? null : graceMaxMs;
}

/** Whoever is to be asked again at this moment is, together. */
export function askAgain(world: World, state: MaintenanceState): MaintenanceState {
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
