import type { SimMs } from "../base/units.ts";
import type { ClusterView, ControllerMemory, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { Job } from "../model/workload.ts";
import { type BackOff, holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import { inDeletionOrder } from "./deletion-order.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isActive, isTerminal } from "./pod-state.ts";

const jobControllerName = "job-controller";

/** After n failures in a row the next pod comes 10 s × 2ⁿ⁻¹ after the last of them, at most 10 min. */
const failureWaitMs = 10_000;
const failureWaitMaxMs = 600_000;

/** What the Job's status and the controller's own back-off records would hold. */
interface JobMemory extends ControllerMemory {
  readonly kind: "job";
  /** Pods already counted, by uid. */
  readonly counted: readonly number[];
  /** Pods seen terminating that count when they are gone, by uid. */
  readonly going: readonly number[];
  readonly succeeded: number;
  readonly failed: number;
  readonly failuresInRow: number;
  readonly lastFailureMs: SimMs;
  /** Failed for good: more failures than backoffLimit, or a policy that fails the Job on a disruption. */
  readonly over: boolean;
  readonly backOff: BackOff | null;
}

/**
 * Jobs: up to parallelism pods until completions are reached. An evicted pod counts as failed when its deletion begins
 * (podReplacementPolicy TerminatingOrFailed) and towards backoffLimit; its replacement waits 10 s and longer. With policy
 * Failed that is when it is gone, and a podFailurePolicy may leave disruptions out of the count, not out of the wait, or fail the Job. Pods
 * do not finish by themselves here.
 * Not mirrored: other podFailurePolicy rules, indexed jobs' per-index limits, activeDeadlineSeconds, successPolicy.
 * Mirrors: pkg/controller/job/job_controller.go syncJob, manageJob, isPodFailed; backoff_utils.go, 1.36.
 */
export const job: Controller = {
  name: jobControllerName,
  kinds: ["Job"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "Job" || workload.deleting || spec.finished) return [];
    const pods = view.podsOwnedBy(workload.key);
    const before = isJobMemory(workload.memory) ? workload.memory : firstMemory(spec, pods);
    const now = count(view, spec, pods, before);
    const remembered = isJobMemory(workload.memory) && now === before;
    const memory: readonly Effect[] = remembered || isUntouched(workload, now, before) ? [] : [remember(workload, now)];
    return [...memory, ...manage(view, workload, spec, now)];
  },
};

function isJobMemory(memory: ControllerMemory | null): memory is JobMemory {
  return memory?.kind === "job";
}

/** Failures before the scenario are counted, and no longer waited for. */
function firstMemory(spec: Job, pods: readonly PodView[]): JobMemory {
  const old = pods.filter((pod) => isTerminal(pod) || (pod.terminatingSinceMs ?? 0) < 0);
  const failed = old.filter((pod) => hasFailed(spec, pod)).length;
  return {
    kind: "job",
    counted: old.map(({ uid }) => uid),
    going: [],
    succeeded: Math.max(spec.succeeded, old.filter(({ phase }) => phase === "Succeeded").length),
    failed,
    failuresInRow: 0,
    lastFailureMs: 0,
    over: failed > spec.backoffLimit,
    backOff: null,
  };
}

/** Nothing worth remembering has happened yet. */
function isUntouched({ memory }: WorkloadView, now: JobMemory, before: JobMemory): boolean {
  return memory === null && now === before;
}

function hasFailed({ podReplacementPolicy }: Job, pod: PodView): boolean {
  if (pod.phase === "Failed") return true;
  return podReplacementPolicy === "TerminatingOrFailed" && pod.terminatingSinceMs !== null && pod.phase !== "Succeeded";
}

function count(view: ClusterView, spec: Job, pods: readonly PodView[], before: JobMemory): JobMemory {
  const fresh = pods.filter((pod) => !before.counted.includes(pod.uid));
  const failedNow = fresh.filter((pod) => hasFailed(spec, pod)).map(({ uid }) => uid);
  const gone = before.going.filter((uid) => !pods.some((pod) => pod.uid === uid));
  const succeeded = fresh.filter(({ phase }) => phase === "Succeeded").map(({ uid }) => uid);
  const going = fresh
    .filter((pod) => pod.terminatingSinceMs !== null && !isTerminal(pod) && !failedNow.includes(pod.uid))
    .map(({ uid }) => uid);
  const failed = [...failedNow, ...gone];
  const unchanged = going.length === before.going.length && going.every((uid) => before.going.includes(uid));
  if (failed.length === 0 && succeeded.length === 0 && unchanged) return before;
  const counting = failed.length - (spec.onDisruption === "ignore" ? gone.length : 0);
  return {
    ...before,
    counted: [...before.counted, ...failedNow, ...succeeded],
    going,
    succeeded: before.succeeded + succeeded.length,
    failed: before.failed + counting,
    failuresInRow: (succeeded.length > 0 ? 0 : before.failuresInRow) + failed.length,
    lastFailureMs: failed.length > 0 ? view.nowMs : before.lastFailureMs,
    over: before.failed + counting > spec.backoffLimit || (spec.onDisruption === "fail-job" && gone.length > 0),
  };
}

function manage(view: ClusterView, workload: WorkloadView, spec: Job, memory: JobMemory): readonly Effect[] {
  const pods = view.podsOwnedBy(workload.key);
  const active = pods.filter(isActive);
  if (memory.over || spec.suspend) return active.map(deletion);
  const terminating =
    spec.podReplacementPolicy === "Failed" ? pods.filter((pod) => !isTerminal(pod)).length - active.length : 0;
  const wanted = wantedActive(spec, memory, active.length);
  if (active.length > wanted) {
    const order = inDeletionOrder(active, { related: active, nowMs: view.nowMs });
    return order.slice(0, active.length - wanted).map(deletion);
  }
  const missing = wanted - active.length - terminating;
  return missing <= 0 ? [] : create(view, workload, spec, memory, missing);
}

/** Without completions the pods decide among themselves: after the first success no new ones are made. */
function wantedActive({ completions, parallelism }: Job, { succeeded }: JobMemory, active: number): number {
  if (completions === null) return succeeded > 0 ? active : parallelism;
  return Math.min(Math.max(0, completions - succeeded), parallelism);
}

function create(
  view: ClusterView,
  workload: WorkloadView,
  spec: Job,
  memory: JobMemory,
  missing: number,
): readonly Effect[] {
  if (memory.failuresInRow > 0) {
    const waitMs = Math.min(failureWaitMs * 2 ** (memory.failuresInRow - 1), failureWaitMaxMs);
    const atMs = memory.lastFailureMs + waitMs;
    if (atMs > view.nowMs) return [{ do: "wake", workload: workload.key, atMs }];
  }
  const seen = `${missing}`;
  if (holdsOff(memory.backOff, seen, view.nowMs)) return [];
  const admission = admitPod(view, { name: `${spec.ref.name}-`, exact: false }, spec.template);
  if (!admission.admitted) {
    if (admission.silent) return [];
    const message = `Error creating: ${admission.message}`;
    const failed = refused({ workload: workload.key, before: memory.backOff, seen, message, nowMs: view.nowMs });
    return [...failed.effects, remember(workload, { ...memory, backOff: failed.backOff })];
  }
  const atOnce = view.quotas.some(({ ref }) => ref.namespace === spec.ref.namespace) ? 1 : missing;
  const effect: Effect = {
    do: "createPod",
    owner: workload.key,
    name: null,
    template: spec.template,
    ordinal: null,
    revision: "",
  };
  return [...doubtsAbout(workload.key, admission.undecided), ...Array.from({ length: atOnce }, () => effect)];
}

function remember({ key }: WorkloadView, memory: JobMemory): Effect {
  return { do: "remember", workload: key, memory };
}

function deletion(pod: PodView): Effect {
  return { do: "deletePod", pod: pod.key, by: jobControllerName, graceMs: null, foreground: false, reason: "" };
}
