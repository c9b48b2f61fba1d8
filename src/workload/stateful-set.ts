import { namespacedName } from "../model/key.ts";
import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { StatefulSet } from "../model/workload.ts";
import { holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import { admitPod, doubtsAbout } from "./pod-admission.ts";
import { isTerminal, nextAvailableAtMs } from "./pod-state.ts";
import { statefulPod, statefulPodName } from "./stateful-pod.ts";
import {
  isBelowPartition,
  isOldKnown,
  type Revisions,
  revisionsOf,
  statefulSetMemory,
} from "./stateful-set-revisions.ts";
import { deletion, isUnavailable, isUpToDate, type SetState, statefulSetControllerName } from "./stateful-set-state.ts";
import { updatesOf } from "./stateful-set-update.ts";

/**
 * StatefulSets: pods by ordinal, made again only after the old one of the same name is gone. OrderedReady goes up one by
 * one and waits for any lower ordinal that terminates or is not available; Parallel does not wait. Surplus ordinals go
 * from the highest. Then the rollout. Budgets are not asked.
 * Mirrors: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet, 1.34 to 1.37 (Recreate of 1.37 is alpha, off).
 */
export const statefulSet: Controller = {
  name: statefulSetControllerName,
  kinds: ["StatefulSet"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "StatefulSet" || workload.deleting) return [];
    const { revisions, changed } = revisionsOf(view, workload, spec);
    if (changed) return [rememberRevisions(workload, revisions)];
    return reconcileSet({ view, workload, set: spec, revisions, ...byOrdinal(view, workload, spec) });
  },
};

function reconcileSet(state: SetState): readonly Effect[] {
  const steps = state.set.podManagement === "OrderedReady" ? ordered(state) : parallel(state);
  if (steps !== null) return steps;
  const updates = updatesOf(state);
  if (updates.length > 0) return updates;
  return [...completed(state), ...forgiven(state), ...availabilityWake(state)];
}

/** Null: every ordinal is there and available, and none is too many. */
function ordered(state: SetState): readonly Effect[] | null {
  for (const [at, pod] of state.replicas.entries()) {
    if (pod === undefined) return create(state, state.set.ordinalsStart + at);
    if (isTerminal(pod)) return pod.terminatingSinceMs === null ? [deletion(pod)] : [];
    if (isUnavailable(state, pod)) return availabilityWake(state);
  }
  const [last] = state.condemned;
  if (last === undefined) return null;
  if (last.terminatingSinceMs !== null) return [];
  return !isUnavailable(state, last) || last === firstUnavailable(state) ? [deletion(last)] : availabilityWake(state);
}

function firstUnavailable(state: SetState): PodView | undefined {
  return state.condemned.toReversed().find((pod) => isUnavailable(state, pod));
}

/** Null: nothing to make or remove; what terminates is only waited for by the rollout. */
function parallel(state: SetState): readonly Effect[] | null {
  const effects: Effect[] = [];
  let missing = false;
  for (const [at, pod] of state.replicas.entries()) {
    if (pod === undefined) {
      missing = true;
      const made = create(state, state.set.ordinalsStart + at);
      effects.push(...made);
      // One at a time where a refusal is possible: each pod may use up what the next one needs.
      if (made.length > 0 && (made[0]?.do !== "createPod" || hasQuota(state))) return effects;
    } else if (isTerminal(pod) && pod.terminatingSinceMs === null) effects.push(deletion(pod));
  }
  for (const pod of state.condemned) if (pod.terminatingSinceMs === null) effects.push(deletion(pod));
  return missing || effects.length > 0 ? effects : null;
}

function hasQuota({ view, set }: SetState): boolean {
  return view.quotas.some(({ ref }) => ref.namespace === set.ref.namespace);
}

function create(state: SetState, ordinal: number): readonly Effect[] {
  const { view, workload, set, revisions } = state;
  const { backOff } = statefulSetMemory(workload);
  const seen = seenOf(state);
  if (holdsOff(backOff, seen, view.nowMs)) return [];
  const isOld = isBelowPartition(set, ordinal);
  const [template, revision] = isOld
    ? [revisions.currentTemplate, revisions.current]
    : [revisions.updateTemplate, revisions.update];
  const pod = statefulPod(set, template, ordinal, revision);
  const name = statefulPodName(set, ordinal);
  if (view.pod(namespacedName(set.ref.namespace, name)) !== undefined) return triesAgain(state, seen);
  const admission = admitPod(view, { name, exact: true }, pod);
  if (admission.admitted) {
    return [
      { do: "createPod", owner: workload.key, name, template: pod, ordinal, revision },
      ...doubtsAbout(workload.key, admission.undecided),
      ...(isOld && !isOldKnown(revisions) ? [doubtAboutOld(state)] : []),
    ];
  }
  if (admission.silent) return [];
  return notMade(state, seen, `Create Pod ${name} in StatefulSet ${set.ref.name} failed error: ${admission.message}`);
}

function doubtAboutOld({ workload, set }: SetState): Effect {
  return {
    do: "report",
    type: `what StatefulSet ${set.ref.namespace}/${set.ref.name} was before its rollout`,
    ref: workload.key,
    message: "none of its pods is left to tell: those below its partition are made of the new template here",
  };
}

/**
 * An earlier set's pod of that name is still going, and nobody tells this set when it is gone: it finds out at its next try. Until then
 * neither pod exists, and where the leader is Ready already a budget over the whole group set expects fewer and lets another go.
 */
function triesAgain(state: SetState, seen: string): readonly Effect[] {
  return notMade(state, seen, "").filter(({ do: does }) => does !== "report");
}

function notMade({ view, workload }: SetState, seen: string, message: string): readonly Effect[] {
  const memory = statefulSetMemory(workload);
  const failed = refused({ workload: workload.key, before: memory.backOff, seen, message, nowMs: view.nowMs });
  return [
    ...failed.effects,
    { do: "remember", workload: workload.key, memory: { ...memory, backOff: failed.backOff } },
  ];
}

/** Which pods there are, for deciding whether a refused creation is worth another try before its time. */
function seenOf({ replicas, condemned }: SetState): string {
  return [...replicas, ...condemned].map((pod) => (pod === undefined ? "-" : pod.uid)).join(",");
}

function rememberRevisions(workload: WorkloadView, revisions: Revisions): Effect {
  return { do: "remember", workload: workload.key, memory: { ...statefulSetMemory(workload), revisions } };
}

/** A rollout ends when every replica is up to date and ready: the update revision becomes the current one. */
function completed(state: SetState): readonly Effect[] {
  const { workload, set, revisions, replicas, condemned } = state;
  if (revisions.current === revisions.update || set.updateStrategy.type !== "RollingUpdate" || condemned.length > 0)
    return [];
  const done = replicas.every(
    (pod) => pod?.ready === true && pod.terminatingSinceMs === null && isUpToDate(state, pod),
  );
  if (!done) return [];
  const { update, updateTemplate } = revisions;
  return [rememberRevisions(workload, { ...revisions, current: update, currentTemplate: updateTemplate })];
}

function forgiven({ workload }: SetState): readonly Effect[] {
  const memory = statefulSetMemory(workload);
  if (memory.backOff === null) return [];
  return [
    {
      do: "remember",
      workload: workload.key,
      memory: memory.revisions === null ? null : { ...memory, backOff: null },
    },
  ];
}

function availabilityWake({ view, workload, set, replicas, condemned }: SetState): readonly Effect[] {
  const pods = [...replicas, ...condemned].filter((pod) => pod !== undefined);
  const atMs = nextAvailableAtMs(pods, set.minReadyMs, view.nowMs);
  return atMs === null ? [] : [{ do: "wake", workload: workload.key, atMs }];
}

function byOrdinal(
  view: ClusterView,
  workload: WorkloadView,
  set: StatefulSet,
): Pick<SetState, "replicas" | "condemned"> {
  const replicas: (PodView | undefined)[] = Array.from({ length: set.replicas }, () => undefined);
  const condemned: (readonly [number, PodView])[] = [];
  for (const pod of view.podsOwnedBy(workload.key)) {
    const ordinal = pod.ordinal ?? ordinalOf(set, pod);
    if (ordinal === null || isEarlierSets(workload, pod)) continue;
    const at = ordinal - set.ordinalsStart;
    if (at >= 0 && at < set.replicas) replicas[at] = pod;
    else condemned.push([ordinal, pod]);
  }
  condemned.sort(([a], [b]) => b - a);
  return { replicas, condemned: condemned.map(([, pod]) => pod) };
}

/** Went with a set of the same name before this one was made: not this one's to wait for. */
function isEarlierSets({ createdAtMs }: WorkloadView, { createdAtMs: bornMs, terminatingSinceMs }: PodView): boolean {
  return bornMs < createdAtMs && terminatingSinceMs !== null && terminatingSinceMs <= createdAtMs;
}

/** From the name; null: not named as this set names its pods. */
function ordinalOf(set: StatefulSet, { name }: PodView): number | null {
  const prefix = `${set.ref.name}-`;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(rest) ? Number(rest) : null;
}
