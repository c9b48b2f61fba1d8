import type { NodeView } from "../../model/view.ts";
import { type VolumePlan, volumePlan } from "../filters/volume-binding.ts";
import { notNormalized, type Score } from "../framework.ts";
import { maxScore, scaledDown } from "./normalize.ts";

/**
 * Prefers nodes whose volumes the claims fill least. On by default from 1.37 (StorageCapacityScoring), weight 1; before that no
 * node gets a score here.
 * Mirrors: plugins/volumebinding/volume_binding.go Score and scorer.go, Kubernetes 1.37, default shape 0 % → 10, 100 % → 0.
 */
export const volumeBindingScore: Score = {
  name: "VolumeBinding",
  prepare(cycle) {
    if (cycle.minor < 37) return null;
    return { raw: (node: NodeView) => rate(volumePlan(cycle, node.name)), normalize: notNormalized };
  },
};

interface Use {
  readonly requested: number;
  readonly capacity: number;
}

function rate(plan: VolumePlan | undefined): number {
  if (plan === undefined) return 0;
  const uses = plan.bindings.length > 0 ? ofBindings(plan) : ofProvisions(plan);
  if (uses.size === 0) return 0;
  let sum = 0;
  for (const { requested, capacity } of uses.values()) {
    if (capacity === 0 || requested > capacity) continue;
    sum += maxScore - scaledDown(requested, maxScore, capacity);
  }
  return Math.round(sum / uses.size);
}

function ofBindings(plan: VolumePlan): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const { claim, volume } of plan.bindings) {
    const { requested, capacity } = uses.get(volume.storageClassName) ?? { requested: 0, capacity: 0 };
    uses.set(volume.storageClassName, {
      requested: requested + claim.requestBytes,
      capacity: capacity + volume.capacityBytes,
    });
  }
  return uses;
}

/** One capacity serves all claims of a class: it is not added up. */
function ofProvisions(plan: VolumePlan): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const { claim, capacity } of plan.provisions) {
    if (capacity === null) continue;
    const requested = (uses.get(capacity.storageClassName)?.requested ?? 0) + claim.requestBytes;
    uses.set(capacity.storageClassName, { requested, capacity: capacity.capacityBytes ?? 0 });
  }
  return uses;
}
