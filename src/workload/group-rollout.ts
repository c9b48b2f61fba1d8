import { scaledValue } from "../model/int-or-percent.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import type { LeaderWorkerSet, StatefulSet } from "../model/workload.ts";
import { groupLabels } from "./group-pod.ts";
import { type Group, groupOf } from "./group-set.ts";

/** How far the leaders' StatefulSet may go: ordinals from `partition` up are updated. */
export interface GroupRollout {
  readonly partition: number;
  readonly replicas: number;
}

interface GroupState {
  readonly ready: boolean;
  readonly updated: boolean;
}

/**
 * Partition and size of the leaders' StatefulSet. A rollout first adds the surge groups, then lowers the partition as
 * groups from the highest index down are ready, and gives surge groups back while the last groups are still out.
 * Mirrors: kubernetes-sigs/lws pkg/controllers/leaderworkerset_controller.go rollingUpdateParameters,
 * calculateRollingUpdateReplicas, v0.10.
 */
export function groupRollout(
  view: ClusterView,
  lws: LeaderWorkerSet,
  set: StatefulSet,
  { updated, revision }: { readonly updated: boolean; readonly revision: string },
): GroupRollout {
  const { partition, replicas } = unbounded(view, lws, set, { updated, revision });
  return { partition: Math.max(partition, lws.rollout.partition), replicas };
}

function unbounded(
  view: ClusterView,
  lws: LeaderWorkerSet,
  set: StatefulSet,
  { updated, revision }: { readonly updated: boolean; readonly revision: string },
): GroupRollout {
  const maxSurge = Math.min(scaledValue(lws.rollout.maxSurge, lws.replicas, "up"), lws.replicas);
  const burst = lws.replicas + maxSurge;
  const maxUnavailable = scaledValue(lws.rollout.maxUnavailable, lws.replicas, "down");
  // Surge groups stay for the groups still out that maxUnavailable does not cover.
  const sizeFor = (unready: number): number =>
    unready <= maxSurge ? lws.replicas + Math.max(0, unready - maxUnavailable) : burst;
  if (updated) return { partition: Math.min(lws.replicas, set.replicas), replicas: sizeFor(lws.replicas) };
  const partition = partitionOf(set);
  if (partition === 0 && set.replicas === lws.replicas) return { partition: 0, replicas: lws.replicas };

  const states = Array.from({ length: set.replicas }, (_, index) => stateOf(view, lws, index, revision));
  const replicas = sizeFor(unreadyOf(states, lws.replicas));
  const seen = set.annotations.get(groupLabels.replicas);
  if (seen !== undefined && seen !== String(lws.replicas)) return { partition: Math.min(partition, burst), replicas };
  const step = maxUnavailable + maxSurge - (burst - set.replicas);
  return { partition: nextPartition(states, step, partition), replicas };
}

export function partitionOf({ updateStrategy }: StatefulSet): number {
  return updateStrategy.type === "RollingUpdate" ? updateStrategy.partition : 0;
}

function stateOf(view: ClusterView, lws: LeaderWorkerSet, index: number, revision: string): GroupState {
  const group = groupOf(view, lws, index);
  if (group === null) return { ready: false, updated: false };
  const leaderReady = isRunningAndReady(group.leader);
  const leaderUpdated = group.leader.template.labels.get(groupLabels.revision) === revision;
  if (lws.size === 1) return { ready: leaderReady, updated: leaderUpdated };
  if (group.workers?.spec.kind !== "StatefulSet") return { ready: false, updated: false };
  const workersUpdated = group.workers.spec.labels.get(groupLabels.revision) === revision;
  return { ready: leaderReady && workersReady(group, group.workers.spec), updated: leaderUpdated && workersUpdated };
}

function workersReady({ workerPods }: Group, { replicas }: StatefulSet): boolean {
  return workerPods.filter(isRunningAndReady).length === replicas;
}

/** Terminating pods count while they are Ready, as in the StatefulSet's status. */
function isRunningAndReady({ phase, ready }: PodView): boolean {
  return phase === "Running" && ready;
}

function unreadyOf(states: readonly GroupState[], replicas: number): number {
  const done = states.slice(0, replicas).filter(({ ready, updated }) => ready && updated).length;
  return replicas - done;
}

/**
 * The step counts from the highest group that is not done; groups below that are not ready raise the partition by as
 * many, and groups that are down or done anyway lower it again. It never rises above where it was.
 */
function nextPartition(states: readonly GroupState[], step: number, current: number): number {
  const firstOpen = states.findLastIndex(({ ready, updated }) => !ready || !updated);
  const doneAtTail = states.length - 1 - firstOpen;
  const lowest = Math.max(0, states.length - doneAtTail - step);
  const broken = states.slice(0, lowest).filter(({ ready }) => !ready).length;
  let partition = lowest + broken;
  for (let index = Math.min(partition, states.length - 1); index >= lowest; index--) {
    const state = states[index];
    if (state === undefined || (state.ready && !state.updated)) break;
    partition = index;
  }
  return Math.min(partition, current);
}
