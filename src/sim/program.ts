import { invariant, unreachable } from "../base/invariant.ts";
import { evict } from "../eviction/evict.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import { rolloutOf } from "../workload/deployment-parts.ts";
import { isActive } from "../workload/pod-state.ts";
import { accept, askForPod, rearm as rearmMaintenance, tellAnswer } from "./asking.ts";
import type { MaintenanceOptions } from "./maintenance-options.ts";
import {
  progress as maintenanceProgress,
  mayAsk,
  onTimer as onMaintenanceTimer,
  stall as stallMaintenance,
  take,
} from "./maintenance-run.ts";
import { type MaintenanceState, notStarted } from "./maintenance-state.ts";
import type { ObjectChange } from "./object-change.ts";
import { applyChange } from "./object-change.ts";
import type { Step } from "./scenario.ts";
import type { Choice, ProgramTimer, World } from "./world.ts";

/** A step with everything looked up: nodes named, manifests parsed. */
export type PlannedStep =
  | { readonly do: "maintain"; readonly nodes: readonly string[]; readonly options: MaintenanceOptions }
  | { readonly do: "change"; readonly changes: readonly ObjectChange[] }
  | Exclude<Step, { readonly do: "drain" | "apply" | "patch" | "deleteObject" | "scale" }>
  | { readonly do: "scaleTo"; readonly workload: ObjectKey; readonly replicas: number };

export interface ProgramState {
  readonly at: number;
  /** Null: the step at `at` has not begun. */
  readonly running:
    | null
    | { readonly kind: "maintenance"; readonly state: MaintenanceState }
    | { readonly kind: "waiting" };
  /** Steps that stalled, by index. */
  readonly stalled: readonly number[];
}

export const beforeFirstStep: ProgramState = { at: 0, running: null, stalled: [] };

export type ProgramProgress =
  | { readonly did: "nothing" }
  | { readonly did: "something"; readonly state: ProgramState }
  | { readonly did: "ask"; readonly choice: Choice };

const nothing: ProgramProgress = { did: "nothing" };

export function isOver(state: ProgramState, steps: readonly PlannedStep[]): boolean {
  return state.at >= steps.length;
}

/** Does the next immediate thing of the current step; the cluster settles before the next. */
export function progress(world: World, state: ProgramState, steps: readonly PlannedStep[]): ProgramProgress {
  const step = steps[state.at];
  if (step === undefined) return nothing;
  if (state.running === null) return { did: "something", state: begin(world, state, step) };
  if (state.running.kind === "maintenance") {
    invariant(step.do === "maintain", "only a maintenance runs as one");
    const moved = maintenanceProgress(world, state.running.state, step.options);
    if (moved.did !== "something") return moved;
    return { did: "something", state: withMaintenance(state, moved.state) };
  }
  if (step.do === "waitReady" && allReady(world, step.target === null ? null : objectKey(step.target))) {
    return { did: "something", state: next(state) };
  }
  return nothing;
}

/** The answer to a `next-node` choice. */
export function takeNode(world: World, state: ProgramState, steps: readonly PlannedStep[], node: string): ProgramState {
  const step = steps[state.at];
  invariant(step?.do === "maintain" && state.running?.kind === "maintenance", "a node is chosen within a maintenance");
  return withMaintenance(state, take(world, state.running.state, step.options, node));
}

/** The answer to a `next-eviction` choice. */
export function askFor(world: World, state: ProgramState, steps: readonly PlannedStep[], pod: string): ProgramState {
  const step = steps[state.at];
  invariant(step?.do === "maintain" && state.running?.kind === "maintenance", "pods are asked within a maintenance");
  return withMaintenance(state, askForPod(world, state.running.state, step.options, pod));
}

export function onTimer(
  world: World,
  state: ProgramState,
  steps: readonly PlannedStep[],
  timer: ProgramTimer,
): ProgramState {
  const step = steps[state.at];
  if (timer.what === "wait") return timer.step === state.at ? next(state) : state;
  if (timer.what === "node-back" && step?.do === "down" && step.node === timer.node) {
    world.nodeUp(timer.node);
    return next(state);
  }
  if (step?.do !== "maintain" || state.running?.kind !== "maintenance") return state;
  return withMaintenance(state, onMaintenanceTimer(world, state.running.state, step.options, timer));
}

/** Something changed: refused evictions are asked again on their beat. */
export function rearm(world: World, state: ProgramState, steps: readonly PlannedStep[]): ProgramState {
  const step = steps[state.at];
  if (step?.do !== "maintain" || state.running?.kind !== "maintenance") return state;
  const before = state.running.state;
  const after = rearmMaintenance(world, before, step.options);
  return after === before ? state : withMaintenance(state, after);
}

/** Pods whose eviction is refused now, and whether a step waits for pods to be Ready. */
export function refusedNow(
  state: ProgramState,
  steps: readonly PlannedStep[],
): { readonly refusedPods: ReadonlySet<string>; readonly stepWaits: boolean } {
  const refusedPods = new Set<string>();
  if (state.running?.kind === "maintenance") {
    for (const run of state.running.state.runs.values()) {
      for (const [pod, leaving] of run.pods) if (leaving.state === "refused") refusedPods.add(pod);
    }
  }
  return { refusedPods, stepWaits: steps[state.at]?.do === "waitReady" };
}

/** How many nodes they maintain; any other step counts as one. */
export function nodesWorkedOn(steps: readonly PlannedStep[]): number {
  return steps.reduce((sum, step) => sum + (step.do === "maintain" ? step.nodes.length : 1), 0);
}

/** Whether pods may still be asked to go, and whether rollouts may still begin or are waited for. */
export function stillAhead(
  { at, running }: ProgramState,
  steps: readonly PlannedStep[],
): { readonly evicts: boolean; readonly rolls: boolean } {
  const evicts = steps.some((step, index) => {
    if (step.do === "evict") return index >= at;
    if (step.do !== "maintain" || index < at) return false;
    return index > at || running?.kind !== "maintenance" || mayAsk(running.state, step.options);
  });
  const rolls = steps.some((step, index) => index >= at && isOfRollouts(step));
  return { evicts, rolls };
}

function isOfRollouts(step: PlannedStep): boolean {
  return step.do === "change" || step.do === "scaleTo" || step.do === "waitReady";
}

/** Nothing more can happen by itself: the step ends as stalled, and the next begins. */
export function stall(world: World, state: ProgramState, steps: readonly PlannedStep[]): ProgramState {
  const step = steps[state.at];
  invariant(step !== undefined, "only a running step stalls");
  if (step.do === "maintain" && state.running?.kind === "maintenance")
    stallMaintenance(world, state.running.state, step.options);
  return { ...next(state), stalled: [...state.stalled, state.at] };
}

function withMaintenance(state: ProgramState, maintenance: MaintenanceState): ProgramState {
  if (maintenance.over) return next(state);
  return { ...state, running: { kind: "maintenance", state: maintenance } };
}

function next(state: ProgramState): ProgramState {
  return { ...state, at: state.at + 1, running: null };
}

function begin(world: World, state: ProgramState, step: PlannedStep): ProgramState {
  switch (step.do) {
    case "maintain":
      return withMaintenance(state, notStarted(step.nodes));
    case "cordon":
      for (const node of step.nodes) world.cordon(node, "scenario");
      return next(state);
    case "uncordon":
      for (const node of step.nodes) world.uncordon(node, "scenario");
      return next(state);
    case "taint":
      taint(world, step);
      return next(state);
    case "evict":
      evictOne(world, step.pod);
      return next(state);
    case "deletePod":
      world.deletePod(step.pod, "scenario", null);
      return next(state);
    case "deleteNode":
      world.removeNode(step.node, "scenario");
      return next(state);
    case "fail":
      world.nodeDown(step.node, "the node fails");
      return next(state);
    case "down":
      world.nodeDown(step.node, "the node is down");
      world.setAlarm(world.ledger.nowMs + step.forMs, {
        kind: "program",
        timer: { what: "node-back", node: step.node },
      });
      return { ...state, running: { kind: "waiting" } };
    case "change":
      for (const change of step.changes) applyChange(world, change);
      return next(state);
    case "scaleTo":
      world.perform({
        do: "setReplicas",
        workload: step.workload,
        replicas: step.replicas,
        by: "scenario",
        reason: "",
      });
      return next(state);
    case "wait":
      world.setAlarm(world.ledger.nowMs + step.forMs, { kind: "program", timer: { what: "wait", step: state.at } });
      return { ...state, running: { kind: "waiting" } };
    case "waitReady":
      return { ...state, running: { kind: "waiting" } };
    default:
      return unreachable(step);
  }
}

function taint(world: World, step: Extract<Step, { readonly do: "taint" }>): void {
  const node = world.ledger.node(step.node);
  if (node === undefined) return;
  const same = (key: string, effect: string): boolean => key === step.taint.key && effect === step.taint.effect;
  const rest = node.node.taints.filter((t) => !same(t.key, t.effect));
  const taints = step.remove ? rest : [...rest, step.taint];
  // The node controllers' sync carries it over, and expels who does not tolerate it.
  world.ledger.setNode(step.node, { ...node.node, taints });
  world.tell({
    type: "node-tainted",
    node: step.node,
    taint: `${step.taint.key}=${step.taint.value}:${step.taint.effect}${step.remove ? "-" : ""}`,
    by: "scenario",
  });
}

function evictOne(world: World, pod: string): void {
  const seen = world.ledger.pod(pod);
  const answer = evict(world.ledger, pod);
  tellAnswer(world, seen?.node?.name ?? "", pod, answer, null);
  if (answer.code === 201) accept(world, pod, answer, null);
}

/** All pods Ready, and every workload as large as it should be and of its newest template: between two sets of pods there are none. */
function allReady(world: World, target: ObjectKey | null): boolean {
  if (target === null) {
    for (const pod of world.ledger.pods) {
      if (isActive(pod) && !pod.ready) return false;
    }
    for (const { key } of world.ledger.workloads) if (!isComplete(world, key)) return false;
    return true;
  }
  const wanted = wantedReplicas(world, target);
  const ready = podsBelow(world, target).filter((pod) => pod.ready && pod.terminatingSinceMs === null);
  return ready.length >= wanted && isComplete(world, target);
}

function isComplete({ ledger }: World, key: ObjectKey): boolean {
  const view = ledger.workload(key);
  if (view === undefined) return true;
  const { spec } = view;
  const active = (): Pods => ledger.podsOwnedBy(key).filter(isActive);
  switch (spec.kind) {
    case "Deployment": {
      const { current, old } = rolloutOf(ledger, view, spec);
      return current?.existing === spec.replicas && old.every(({ existing }) => existing === 0);
    }
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return active().length === spec.replicas;
    default:
      return true;
  }
}

function wantedReplicas(world: World, key: ObjectKey): number {
  const spec = world.ledger.workload(key)?.spec;
  if (spec === undefined) return 0;
  switch (spec.kind) {
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return spec.replicas;
    case "LeaderWorkerSet":
      return spec.replicas * spec.size;
    case "Job":
      return spec.parallelism;
    case "DaemonSet":
    case "Other":
      return podsBelow(world, key).length;
    default:
      return unreachable(spec);
  }
}

type Pods = ReturnType<World["ledger"]["podsOwnedBy"]>;

/** Pods of an object and of everything it owns. */
export function podsBelow(world: Pick<World, "ledger">, key: ObjectKey): Pods {
  const below: Pods[number][] = [...world.ledger.podsOwnedBy(key)];
  for (const pod of [...below]) {
    const podKey = objectKey({ apiVersion: "v1", kind: "Pod", namespace: pod.namespace, name: pod.name });
    for (const owned of world.ledger.workloadsOwnedBy(podKey)) below.push(...podsBelow(world, owned.key));
  }
  for (const owned of world.ledger.workloadsOwnedBy(key)) below.push(...podsBelow(world, owned.key));
  const seen = new Set<number>();
  return below.filter((pod) => !seen.has(pod.uid) && seen.add(pod.uid));
}

/** What a drain step does, as a maintenance by kubectl. */
export function drainStep(step: Extract<Step, { readonly do: "drain" }>): PlannedStep {
  return {
    do: "maintain",
    nodes: step.nodes,
    options: {
      lanes: [
        {
          pool: "",
          actor: kubectlDrain,
          members: step.nodes,
          nodes: step.nodes,
          nodesAtOnce: step.concurrent ? Math.max(1, step.nodes.length) : 1,
          surgeNodes: 0,
          held: "",
          like: new Map(),
        },
      ],
      inTurn: false,
      flags: step.flags,
      anyOrder: false,
      stopAfterMs: step.stopAfterMs,
      forceAfterMs: step.forceAfterMs,
      again: false,
    },
  };
}
