import type { ClusterView, Effect, PodView, WorkloadView } from "../model/view.ts";
import type { LeaderWorkerSet, StatefulSet } from "../model/workload.ts";
import type { Controller } from "./controller.ts";
import { groupLabels } from "./group-pod.ts";
import { groupRollout, partitionOf } from "./group-rollout.ts";
import {
  type Group,
  type GroupRevision,
  type GroupSetMemory,
  groupControllerName,
  groupOf,
  groupSetMemory,
  leaderSet,
  leaderSetOf,
  leaderTemplate,
  withCurrentRevision,
  workerSet,
} from "./group-set.ts";

/**
 * LeaderWorkerSets: one StatefulSet of leaders, and for each leader one of workers that the leader pod owns. A worker
 * that is deleted (or whose container restarts) takes its whole group along: the leader is deleted in the foreground,
 * budgets not asked, and garbage collection takes the workers. A leader that goes takes its workers with it by ownership
 * alone, whatever the restart policy.
 * Not mirrored: subgroups, the headless Service, volume claims of groups.
 * Mirrors: kubernetes-sigs/lws pkg/controllers (leaderworkerset_controller.go, pod_controller.go), v0.10.
 */
export const leaderWorkerSet: Controller = {
  name: groupControllerName,
  kinds: ["LeaderWorkerSet"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "LeaderWorkerSet" || workload.deleting) return [];
    const before = groupSetMemory(view, workload, spec);
    const memory = withCurrentRevision(before, spec);
    const revision = memory.revisions.at(-1);
    if (revision === undefined) return [];
    const remembered: readonly Effect[] =
      memory === before && (workload.memory !== null || memory.made === 0)
        ? []
        : [{ do: "remember", workload: workload.key, memory }];
    const leaders = leaderSetOf(view, spec);
    if (leaders === null) {
      const set = leaderSet(spec, workload.key, revision, spec.replicas);
      return [...remembered, { do: "createWorkload", spec: set, by: groupControllerName }];
    }
    return [
      ...remembered,
      ...syncLeaders(view, spec, leaders.set, { updated: memory !== before, revision }),
      ...syncGroups(view, workload, spec, memory),
    ];
  },
};

/** The template changes only with a new revision: what the set wrote before stays as it is. */
function syncLeaders(
  view: ClusterView,
  lws: LeaderWorkerSet,
  set: StatefulSet,
  { updated, revision }: { readonly updated: boolean; readonly revision: GroupRevision },
): readonly Effect[] {
  const { partition, replicas } = groupRollout(view, lws, set, { updated, revision: revision.key });
  const wanted = String(lws.replicas);
  const seen = set.annotations.get(groupLabels.replicas) ?? wanted;
  if (!updated && partition === partitionOf(set) && replicas === set.replicas && seen === wanted) return [];
  const template = updated
    ? {
        template: leaderTemplate(lws, revision),
        labels: new Map([...set.labels, [groupLabels.revision, revision.key] as const]),
      }
    : {};
  const next: StatefulSet = {
    ...set,
    ...template,
    replicas,
    annotations: new Map([...set.annotations, [groupLabels.replicas, wanted]]),
    updateStrategy: { type: "RollingUpdate", partition, maxUnavailable: lws.rollout.maxUnavailable },
  };
  return [{ do: "setSpec", workload: set.key, spec: next, by: groupControllerName }];
}

function syncGroups(
  view: ClusterView,
  { key }: WorkloadView,
  lws: LeaderWorkerSet,
  memory: GroupSetMemory,
): readonly Effect[] {
  const leaders = leaderSetOf(view, lws)?.workload;
  if (leaders === undefined || leaders.owner !== key) return [];
  const effects: Effect[] = [];
  for (const pod of view.podsOwnedBy(leaders.key)) {
    const index = Number(pod.template.labels.get(groupLabels.groupIndex) ?? pod.ordinal ?? -1);
    const group = groupOf(view, lws, index);
    if (group === null || group.leader.terminatingSinceMs !== null) continue;
    effects.push(...(mustRestart(view, lws, group) ? [restart(group)] : makeWorkers(lws, group, memory)));
  }
  return effects;
}

function mustRestart(view: ClusterView, lws: LeaderWorkerSet, group: Group): boolean {
  if (lws.restartPolicy === "None") return false;
  const { leader, workerPods } = group;
  const revision = leader.template.labels.get(groupLabels.revision);
  const struck = [leader, ...workerPods].some(
    (pod) =>
      pod.template.labels.get(groupLabels.revision) === revision &&
      (pod.terminatingSinceMs !== null || hasRestarted(view, pod)),
  );
  return struck && (lws.restartPolicy === "RecreateGroupOnPodRestart" || hasStarted(lws, group));
}

/** Restarts before the scenario were dealt with then. */
function hasRestarted(view: ClusterView, pod: PodView): boolean {
  if (pod.restarts === 0 || (pod.phase !== "Running" && pod.phase !== "Pending")) return false;
  const read = pod.createdAtMs < 0 ? view.cluster.pods.find(({ key }) => key === pod.key) : undefined;
  return pod.restarts > (read?.restarts ?? 0);
}

/** RecreateGroupAfterStart: all pods of the group exist, and none is Pending. */
function hasStarted(lws: LeaderWorkerSet, { leader, workerPods }: Group): boolean {
  const pods = [leader, ...workerPods];
  return pods.length === lws.size && pods.every(({ phase }) => phase !== "Pending");
}

function restart({ leader }: Group): Effect {
  return { do: "deletePod", pod: leader.key, by: groupControllerName, graceMs: null, foreground: true, reason: "" };
}

/** A group comes by its leader's revision, which may be an older one. */
function makeWorkers(lws: LeaderWorkerSet, { leader, workers }: Group, memory: GroupSetMemory): readonly Effect[] {
  if (workers !== undefined) return [];
  if (lws.startupPolicy === "LeaderReady" && !leader.ready) return [];
  if (lws.exclusiveTopologyKey !== null && leader.node === null) return [];
  const key = leader.template.labels.get(groupLabels.revision) ?? "";
  const revision = memory.revisions.find((known) => known.key === key) ?? memory.revisions.at(-1);
  if (revision === undefined || revision.size <= 1) return [];
  return [{ do: "createWorkload", spec: workerSet(lws, leader, revision), by: groupControllerName }];
}
