import { admitByWebhooks } from "../model/admission-webhooks.ts";
import { objectKey } from "../model/key.ts";
import { templateHashLabel } from "../model/labels.ts";
import { derivedTemplate } from "../model/template-content.ts";
import type { Effect } from "../model/view.ts";
import type { ReplicaSet } from "../model/workload.ts";
import { asBackOff, holdsOff, refused } from "./back-off.ts";
import type { Controller } from "./controller.ts";
import {
  activePods,
  allParts,
  deploymentControllerName,
  type Rollout,
  type RolloutPart,
  replicaAnnotations,
  revisionAnnotated,
  rolloutOf,
  scaled,
  sum,
  wantedReplicas,
} from "./deployment-parts.ts";
import { rolloutProgress, rolloutStarted } from "./deployment-progress.ts";
import { isScalingEvent, scaleDeployment } from "./deployment-scaling.ts";
import { rolloutRoom } from "./deployment-sizes.ts";
import { doubtsAbout } from "./pod-admission.ts";
import { nextAvailableAtMs } from "./pod-state.ts";

/**
 * Deployments: one sync a call. Scaling comes before rolling; a rolling update first grows the current ReplicaSet, then
 * clears unready old pods, then shrinks the old ones; Recreate waits for every old pod to be gone. Budgets are not asked.
 * A new ReplicaSet is named `<deployment>-~n`, and `~n` is its pod-template-hash.
 * Not mirrored: rollback (removed upstream), adoption of orphans, hash collisions.
 * Mirrors: pkg/controller/deployment (deployment_controller.go, sync.go, rolling.go, recreate.go), 1.34 to 1.37.
 */
export const deployment: Controller = {
  name: deploymentControllerName,
  kinds: ["Deployment"],
  reconcile(view, workload) {
    const { spec } = workload;
    if (spec.kind !== "Deployment" || workload.deleting) return [];
    const rollout = rolloutOf(view, workload, spec);
    if (spec.paused || isScalingEvent(rollout)) {
      const scaling = scaleDeployment(rollout);
      return scaling.length > 0 || !spec.paused ? scaling : cleanup(rollout);
    }
    const steps = spec.strategy.type === "Recreate" ? recreate(rollout) : rollingUpdate(rollout);
    if (steps.length > 0) return steps;
    return [...cleanupWhenComplete(rollout), ...rolloutProgress(rollout), ...availabilityWake(rollout)];
  },
};

function rollingUpdate(rollout: Rollout): readonly Effect[] {
  const { current } = rollout;
  if (current === null) return createCurrent(rollout, sizeOfCurrent(rollout, 0));
  return firstOf(adoptSettings(rollout, current), growCurrent(rollout, current), shrinkOld(rollout, current));
}

function firstOf(...steps: readonly (readonly Effect[])[]): readonly Effect[] {
  return steps.find((step) => step.length > 0) ?? [];
}

/** The current ReplicaSet takes over minReadySeconds, and a revision above all old ones when it comes back from the past. */
function adoptSettings({ deployment, old }: Rollout, { view, spec }: RolloutPart): readonly Effect[] {
  const revision = Math.max(spec.revision, nextRevision(old));
  if (spec.minReadyMs === deployment.minReadyMs && spec.revision === revision) return [];
  const annotations = new Map([...spec.annotations, revisionAnnotated(revision)]);
  const updated: ReplicaSet = { ...spec, minReadyMs: deployment.minReadyMs, revision, annotations };
  return [{ do: "setSpec", workload: view.key, spec: updated, by: deploymentControllerName }];
}

function nextRevision(old: readonly RolloutPart[]): number {
  return old.reduce((highest, { spec }) => Math.max(highest, spec.revision), 0) + 1;
}

function growCurrent(rollout: Rollout, current: RolloutPart): readonly Effect[] {
  const { replicas } = rollout.deployment;
  if (current.spec.replicas === replicas) return [];
  const size = current.spec.replicas > replicas ? replicas : sizeOfCurrent(rollout, current.spec.replicas);
  return size === current.spec.replicas ? [] : [scaled(rollout, current, size)];
}

/** Mirrors: pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas, 1.36. */
function sizeOfCurrent(rollout: Rollout, size: number): number {
  const { deployment } = rollout;
  if (deployment.strategy.type === "Recreate") return deployment.replicas;
  const totalMax = deployment.replicas + rolloutRoom(deployment).maxSurge;
  const total = sum(allParts(rollout), wantedReplicas);
  if (total >= totalMax) return size;
  return size + Math.min(totalMax - total, deployment.replicas - size);
}

/**
 * Unready old pods go first: they serve nothing and would hold the rollout up. Then old pods above the minimum, counted
 * after that clearing but from the same observed availability, as upstream does in one sync.
 */
function shrinkOld(rollout: Rollout, current: RolloutPart): readonly Effect[] {
  const { deployment } = rollout;
  const old = rollout.old.filter((part) => part.spec.replicas > 0);
  if (old.length === 0) return [];
  const minAvailable = deployment.replicas - rolloutRoom(deployment).maxUnavailable;
  const notYet = current.spec.replicas - current.available;
  const removable = sum([...rollout.old, current], wantedReplicas) - minAvailable - notYet;
  if (removable <= 0) return [];

  const sizes = new Map(old.map((part) => [part, part.spec.replicas]));
  let cleared = 0;
  for (const part of old) {
    if (cleared >= removable) break;
    const unavailable = part.spec.replicas - part.available;
    const count = Math.min(removable - cleared, unavailable);
    sizes.set(part, part.spec.replicas - count);
    cleared += count;
  }
  let spare = sum([...old, current], ({ available }) => available) - minAvailable;
  for (const part of old) {
    if (spare <= 0) break;
    const count = Math.min(sizes.get(part) ?? 0, spare);
    sizes.set(part, (sizes.get(part) ?? 0) - count);
    spare -= count;
  }
  return old
    .filter((part) => sizes.get(part) !== part.spec.replicas)
    .map((part) => scaled(rollout, part, sizes.get(part) ?? 0));
}

function recreate(rollout: Rollout): readonly Effect[] {
  const { current, old, deployment } = rollout;
  const running = old.filter((part) => part.spec.replicas > 0);
  if (running.length > 0) return running.map((part) => scaled(rollout, part, 0));
  if (old.some((part) => rollout.cluster.podCounts(part.view.key).unfinished > 0)) return [];
  if (current === null) return createCurrent(rollout, deployment.replicas);
  const adopted = adoptSettings(rollout, current);
  if (adopted.length > 0 || current.spec.replicas === deployment.replicas) return adopted;
  return [scaled(rollout, current, deployment.replicas)];
}

function createCurrent(rollout: Rollout, replicas: number): readonly Effect[] {
  const { deployment, cluster, workload } = rollout;
  const { namespace, name } = deployment.ref;
  const { hash, ref } = freeName(rollout, namespace, name);
  const before = asBackOff(workload.memory);
  if (holdsOff(before, hash, cluster.nowMs)) return [];
  const labels = new Map([...deployment.template.labels, [templateHashLabel, hash] as const]);
  const revision = nextRevision(rollout.old);
  const requirement = { key: templateHashLabel, operator: "In", values: [hash] } as const;
  const spec: ReplicaSet = {
    kind: "ReplicaSet",
    key: objectKey(ref),
    ref,
    labels,
    annotations: new Map([...deployment.annotations, ...replicaAnnotations(deployment), revisionAnnotated(revision)]),
    owner: workload.key,
    createdAtMs: cluster.nowMs,
    source: deployment.source,
    replicas,
    selector: { ...deployment.selector, requirements: [...deployment.selector.requirements, requirement] },
    template: derivedTemplate(deployment.template, [[templateHashLabel, hash]]),
    minReadyMs: deployment.minReadyMs,
    revision,
  };
  const admission = admitByWebhooks(cluster, { operation: "createWorkload", namespace, labels });
  if (admission.refused !== null) {
    const message = `Failed to create new replica set ${JSON.stringify(ref.name)}: ${admission.refused}`;
    const failed = refused({ workload: workload.key, before, seen: hash, message, nowMs: cluster.nowMs });
    return [...failed.effects, { do: "remember", workload: workload.key, memory: failed.backOff }];
  }
  return [
    ...doubtsAbout(workload.key, admission.undecided),
    { do: "createWorkload", spec, by: deploymentControllerName },
    rolloutStarted(rollout),
  ];
}

function freeName({ cluster }: Rollout, namespace: string, name: string): { hash: string; ref: ReplicaSet["ref"] } {
  for (let n = 1; ; n++) {
    const hash = `~${n}`;
    const ref = { apiVersion: "apps/v1", kind: "ReplicaSet", namespace, name: `${name}-${hash}` };
    if (cluster.workload(objectKey(ref)) === undefined) return { hash, ref };
  }
}

function cleanupWhenComplete(rollout: Rollout): readonly Effect[] {
  const { current, deployment } = rollout;
  const { replicas } = deployment;
  if (current === null || current.existing !== replicas || current.available !== replicas) return [];
  return sum(rollout.old, ({ existing }) => existing) === 0 ? cleanup(rollout) : [];
}

/** Old ReplicaSets beyond the history limit go, oldest revision first; one that still has pods is left. */
function cleanup({ old, deployment }: Rollout): readonly Effect[] {
  const alive = old.filter(({ view }) => !view.deleting);
  const surplus = alive.length - deployment.revisionHistoryLimit;
  if (surplus <= 0) return [];
  return [...alive]
    .sort((a, b) => a.spec.revision - b.spec.revision)
    .slice(0, surplus)
    .filter(({ spec, existing }) => spec.replicas === 0 && existing === 0)
    .map(({ view }) => ({
      do: "deleteWorkload",
      workload: view.key,
      by: deploymentControllerName,
      propagation: "background",
    }));
}

/** With minReadySeconds, availability comes by time alone. */
function availabilityWake(rollout: Rollout): readonly Effect[] {
  const { deployment, cluster, workload } = rollout;
  if (deployment.minReadyMs === 0) return [];
  const pods = allParts(rollout).flatMap(({ view }) => activePods(cluster, view));
  const atMs = nextAvailableAtMs(pods, deployment.minReadyMs, cluster.nowMs);
  return atMs === null ? [] : [{ do: "wake", workload: workload.key, atMs }];
}
