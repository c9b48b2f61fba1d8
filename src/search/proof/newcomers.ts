import { scaledValue } from "../../model/int-or-percent.ts";
import { namespacedName, type ObjectKey } from "../../model/key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { Autoscaler } from "../../model/policy.ts";
import type { ClusterView, PodView, WorkloadView } from "../../model/view.ts";
import type { Deployment, Job, LeaderWorkerSet, StatefulSet } from "../../model/workload.ts";
import { rolloutRoom } from "../../workload/deployment-sizes.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { revisionsOf } from "../../workload/stateful-set-revisions.ts";
import { topOf } from "../owners.ts";
import type { LeftAlone } from "./left-alone.ts";

/** What controllers that do not have the pods they want may still make, and whose pods move without being asked to. */
export interface Newcomers {
  /** One for each pod that may come beside those that are there: at any moment, to any node it fits on. Mostly none. */
  readonly pods: readonly PodView[];
  /** The objects at the top of owners whose pods may leave their nodes by themselves. */
  readonly movers: ReadonlySet<ObjectKey>;
}

export const nobody: Newcomers = { pods: [], movers: new Set() };

/**
 * Of each owner that is not at rest the most pods that can be there at one time. A pod that is there is counted by itself, for as long
 * as it holds its room; these are those beside it:
 *
 * - A ReplicaSet or a Job has as many as it wants beside those that are told to stop. Of a StatefulSet none comes before the last one of
 *   its name is gone, but beside those whose names it no longer wants.
 * - A rollout has all it wants and its surge of the new template while the old ones are still there.
 * - An autoscaler that wants more may want as many as it ever may. One that has what it wants keeps that, as the load is taken to.
 * - What is suspended may go on.
 *
 * What was seen to be made while the cluster was left alone is one of these. Null: some of it is of others, or it had no end.
 */
export function newcomersOf(view: ClusterView, alone: LeftAlone): Newcomers | null {
  if (!alone.isWhole) return null;
  const pods: PodView[] = [];
  const movers = new Set(alone.stirred);
  const wanted = new Wanted(view, alone);
  for (const { key, spec } of view.workloads) {
    const { more, isMoving } = wanted.of({ key, spec });
    if (isMoving) movers.add(topOf(view, key));
    for (const { template, count } of more)
      for (let left = count; left > 0; left -= 1) pods.push(newcomer(key, template, pods.length));
  }
  return wanted.isAll ? { pods, movers } : null;
}

interface More {
  readonly more: readonly { readonly template: PodTemplate; readonly count: number }[];
  /** Pods that are there may leave. */
  readonly isMoving: boolean;
}

const none: More = { more: [], isMoving: false };

class Wanted {
  readonly #view: ClusterView;
  readonly #alone: LeftAlone;
  readonly #autoscalers: ReadonlyMap<ObjectKey, readonly Autoscaler[]>;
  /** Of these it is said how many there can be. */
  readonly #told = new Set<ObjectKey>();

  constructor(view: ClusterView, alone: LeftAlone) {
    this.#view = view;
    this.#alone = alone;
    this.#autoscalers = Map.groupBy(view.autoscalers, ({ target }) => target);
  }

  /** Whoever made a pod while the cluster was left alone is among those. */
  get isAll(): boolean {
    return [...this.#alone.made].every(([owner, { top }]) => this.#told.has(owner) || this.#told.has(top));
  }

  of({ key, spec }: Pick<WorkloadView, "key" | "spec">): More {
    const view = this.#view;
    switch (spec.kind) {
      case "Deployment":
        return this.#ofDeployment(spec);
      case "ReplicaSet":
      case "ReplicationController": {
        if (spec.owner !== null && view.workload(spec.owner)?.spec.kind === "Deployment") return none;
        return this.#beside(key, spec.template, this.#scaled(key, spec.replicas) - living(view, key));
      }
      case "StatefulSet": {
        if (view.workload(topOf(view, key))?.spec.kind === "LeaderWorkerSet") return none;
        this.#told.add(key);
        const replicas = this.#scaled(key, spec.replicas);
        return this.#ofSet(spec, replicas - namedWithin(view, spec, replicas));
      }
      case "LeaderWorkerSet":
        return this.#ofGroups(spec);
      case "Job":
        return this.#beside(key, spec.template, this.#lackedBy(spec));
      case "DaemonSet":
      case "Other":
        return none;
      default:
        return none;
    }
  }

  /** Of a rollout that a partition holds up some come as they were before it. */
  #ofSet(spec: StatefulSet, count: number): More {
    const { updateStrategy } = spec;
    const workload = this.#view.workload(spec.key);
    const isHeld = updateStrategy.type === "RollingUpdate" && updateStrategy.partition > 0;
    if (!isHeld || workload === undefined || count <= 0) return counted(spec.template, count);
    const { currentTemplate } = revisionsOf(this.#view, workload, spec).revisions;
    const templates = new Set([spec.template, currentTemplate]);
    return { more: [...templates].map((template) => ({ template, count })), isMoving: false };
  }

  /** One set that has its pods, or several that change places: then all of the new one beside all that are there. */
  #ofDeployment(spec: Deployment): More {
    const { key } = spec;
    const view = this.#view;
    this.#told.add(key);
    const sets = view.workloadsOwnedBy(key).flatMap((set) => (set.spec.kind === "ReplicaSet" ? [set.spec] : []));
    const filled = sets.filter(({ replicas }) => replicas > 0);
    const replicas = this.#scaled(key, Math.max(spec.replicas, ...sets.map((set) => set.replicas)));
    const [only] = filled;
    const makers = [...this.#alone.made].flatMap(([owner, { top }]) => (top === key ? [owner] : []));
    const isRolling = filled.length > 1 || makers.some((owner) => only !== undefined && owner !== only.key);
    if (!isRolling) {
      const active = sets.reduce((sum, set) => sum + living(view, set.key), 0);
      const made = makers.reduce((sum, owner) => sum + this.#madeBy(owner), 0);
      return counted(only?.template ?? spec.template, Math.max(replicas - active, made));
    }
    const { maxSurge } = rolloutRoom({ ...spec, replicas });
    const makingOf = (owner: ObjectKey): PodTemplate =>
      sets.find((set) => set.key === owner)?.template ?? spec.template;
    const templates = new Set([...filled.map((set) => set.template), ...makers.map(makingOf)]);
    return { more: [...templates].map((template) => ({ template, count: replicas + maxSurge })), isMoving: true };
  }

  /** All groups anew, as soon as one of them is not there or has moved. */
  #ofGroups(spec: LeaderWorkerSet): More {
    const { key, size, leaderTemplate, workerTemplate } = spec;
    this.#told.add(key);
    const replicas = this.#scaled(key, spec.replicas);
    const { made, stirred } = this.#alone;
    const isMoved = stirred.has(key) || [...made.values()].some(({ top }) => top === key);
    if (!isMoved && replicas === spec.replicas && this.#hasGroups(spec)) return none;
    const groups = replicas + Math.min(scaledValue(spec.rollout.maxSurge, replicas, "up"), replicas);
    const more = [
      { template: leaderTemplate, count: groups },
      { template: workerTemplate, count: groups * Math.max(0, size - 1) },
    ];
    return { more, isMoving: true };
  }

  #hasGroups({ key, replicas }: LeaderWorkerSet): boolean {
    const view = this.#view;
    const sets = [...view.workloads].filter(({ spec }) => spec.kind === "StatefulSet" && topOf(view, spec.key) === key);
    if (view.podsOwnedBy(key).length === 0 && replicas > 0 && sets.length === 0) return false;
    return sets.every(({ spec }) => spec.kind !== "StatefulSet" || living(view, spec.key) >= spec.replicas);
  }

  /** Pods that Jobs finish are not followed: a Job that runs has as many as it wants until it is done. */
  #lackedBy({ key, finished, parallelism, completions, succeeded, suspend }: Job): number {
    const pods = this.#view.podsOwnedBy(key);
    const done = Math.max(succeeded, pods.filter(({ phase }) => phase === "Succeeded").length);
    if (finished || (completions === null && done > 0)) return 0;
    // One that was left alone and made none has what it wants.
    if (done > 0 && !suspend && this.#madeBy(key) === 0) return 0;
    const left = completions === null ? parallelism : Math.min(parallelism, Math.max(0, completions - done));
    return left - living(this.#view, key);
  }

  #beside(key: ObjectKey, template: PodTemplate, count: number): More {
    this.#told.add(key);
    return counted(template, Math.max(count, this.#madeBy(key)));
  }

  #madeBy(key: ObjectKey): number {
    return this.#alone.made.get(key)?.count ?? 0;
  }

  /** As many as it may have where an autoscaler wants more than there are. */
  #scaled(key: ObjectKey, replicas: number): number {
    const wanting = (this.#autoscalers.get(key) ?? []).filter(
      ({ desiredReplicas, minReplicas }) => replicas < Math.max(desiredReplicas ?? 0, replicas === 0 ? 0 : minReplicas),
    );
    return wanting.reduce((most, { maxReplicas, minReplicas }) => Math.max(most, maxReplicas, minReplicas), replicas);
  }
}

function counted(template: PodTemplate, count: number): More {
  return count > 0 ? { more: [{ template, count }], isMoving: false } : none;
}

/** Pods that have the names a set wants. Others may still be there when those are made. */
function namedWithin(view: ClusterView, { key, ordinalsStart }: StatefulSet, replicas: number): number {
  const isWanted = (ordinal: number): boolean => ordinal >= ordinalsStart && ordinal < ordinalsStart + replicas;
  return view.podsOwnedBy(key).filter((pod) => !isTerminal(pod) && pod.ordinal !== null && isWanted(pod.ordinal))
    .length;
}

function living(view: ClusterView, key: ObjectKey): number {
  return view.podCounts(key).active;
}

/** Stands for one pod that is not there yet. */
function newcomer(owner: ObjectKey, template: PodTemplate, number: number): PodView {
  const { namespace, requests, nonZeroMilliCpu, nonZeroMemoryBytes } = template;
  const name = `~${number}`;
  return {
    uid: -1 - number,
    key: namespacedName(namespace, name),
    namespace,
    name,
    template,
    owner,
    requests,
    nonZeroMilliCpu,
    nonZeroMemoryBytes,
    node: null,
    phase: "Pending",
    ready: false,
    readySinceMs: null,
    terminatingSinceMs: null,
    preempted: false,
    createdAtMs: 0,
    startedAtMs: null,
    nominatedNode: "",
    unschedulableMessage: "",
    mirror: false,
    restarts: 0,
    ordinal: null,
    revision: "",
    claimKeys: new Map(),
    heldByFinalizer: false,
    keptByFinalizer: "",
  };
}
