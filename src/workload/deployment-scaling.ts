import { byCodeUnit } from "../base/ordering.ts";
import type { Effect } from "../model/view.ts";
import {
  allParts,
  annotationsAreCurrent,
  desiredReplicasOf,
  maxReplicasOf,
  type Rollout,
  type RolloutPart,
  scaled,
  sum,
  wantedReplicas,
} from "./deployment-parts.ts";
import { rolloutRoom } from "./deployment-sizes.ts";

/**
 * Whether the Deployment's replicas changed since its ReplicaSets were last sized: then it scales first and rolls after.
 * That is why one patch of replicas and template makes a pod of the old template first.
 * Mirrors: pkg/controller/deployment/sync.go isScalingEvent, 1.36.
 */
export function isScalingEvent(rollout: Rollout): boolean {
  return allParts(rollout).some((part) => {
    if (part.spec.replicas === 0) return false;
    const desired = desiredReplicasOf(part);
    return desired !== null && desired !== rollout.deployment.replicas;
  });
}

/**
 * Sizes the ReplicaSets to the Deployment's replicas: the only active (or newest) one takes all; beside a saturated
 * current one the old ones go; in mid-rollout the change is shared out in proportion.
 * Mirrors: pkg/controller/deployment/sync.go scale, 1.36.
 */
export function scaleDeployment(rollout: Rollout): readonly Effect[] {
  const { deployment, current, old } = rollout;
  const all = allParts(rollout);
  if (all.length === 0) return [];
  const active = all.filter((part) => part.spec.replicas > 0);
  if (active.length <= 1) {
    const only = active[0] ?? current ?? old.at(-1);
    if (only === undefined || only.spec.replicas === deployment.replicas) return [];
    return [scaled(rollout, only, deployment.replicas)];
  }
  if (current !== null && isSaturated(rollout, current)) {
    return old.filter((part) => part.spec.replicas > 0).map((part) => scaled(rollout, part, 0));
  }
  return deployment.strategy.type === "RollingUpdate" ? inProportion(rollout, active) : [];
}

function isSaturated({ deployment }: Rollout, current: RolloutPart): boolean {
  const { replicas } = deployment;
  return (
    current.spec.replicas === replicas && desiredReplicasOf(current) === replicas && current.available === replicas
  );
}

/** Larger ones first; among equals the newer first when growing, the older first when shrinking. Leftovers to the first. */
function inProportion(rollout: Rollout, active: readonly RolloutPart[]): readonly Effect[] {
  const { deployment } = rollout;
  const allowed = deployment.replicas > 0 ? deployment.replicas + rolloutRoom(deployment).maxSurge : 0;
  const toAdd = allowed - sum(active, wantedReplicas);
  const direction = toAdd > 0 ? -1 : 1;
  const bySize = [...active].sort((a, b) => b.spec.replicas - a.spec.replicas || direction * byAge(a, b));
  let added = 0;
  const sizes = bySize.map((part) => {
    const share = toAdd === 0 ? 0 : proportion(rollout, part, { toAdd, added });
    added += share;
    return part.spec.replicas + share;
  });
  const effects: Effect[] = [];
  for (const [at, part] of bySize.entries()) {
    let size = sizes[at] ?? 0;
    if (at === 0 && toAdd !== 0) size = Math.max(0, size + toAdd - added);
    if (size !== part.spec.replicas || !annotationsAreCurrent(deployment, part))
      effects.push(scaled(rollout, part, size));
  }
  return effects;
}

function byAge(a: RolloutPart, b: RolloutPart): number {
  return a.view.createdAtMs - b.view.createdAtMs || byCodeUnit(a.spec.ref.name, b.spec.ref.name);
}

/** Mirrors: pkg/controller/deployment/util/deployment_util.go GetReplicaSetProportion, getReplicaSetFraction, 1.36. */
function proportion(
  rollout: Rollout,
  part: RolloutPart,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (part.spec.replicas === 0 || toAdd === added) return 0;
  const share = fraction(rollout, part);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fraction(rollout: Rollout, part: RolloutPart): number {
  const { deployment } = rollout;
  const { replicas } = part.spec;
  if (deployment.replicas === 0) return -replicas;
  const maxNow = deployment.replicas + rolloutRoom(deployment).maxSurge;
  const maxBefore = maxReplicasOf(part) || sum(allParts(rollout), ({ existing }) => existing);
  if (maxBefore === 0) return 0;
  return roundedAwayFromZero((replicas * maxNow) / maxBefore) - replicas;
}

/** Mirrors: k8s.io/utils integer RoundToInt32. */
function roundedAwayFromZero(value: number): number {
  return value < 0 ? Math.trunc(value - 0.5) : Math.trunc(value + 0.5);
}
