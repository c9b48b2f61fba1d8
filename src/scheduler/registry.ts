import type { Minor } from "../model/cluster.ts";
import { deallocateIdleClaims } from "./filters/dynamic-resources/deallocate-idle-claims.ts";
import { dynamicResources } from "./filters/dynamic-resources/dynamic-resources.ts";
import { interPodAffinity } from "./filters/inter-pod-affinity.ts";
import { nodeAffinity } from "./filters/node-affinity.ts";
import { nodeDeclaredFeatures } from "./filters/node-declared-features.ts";
import { nodeName } from "./filters/node-name.ts";
import { nodePorts } from "./filters/node-ports.ts";
import { nodeResourcesFit } from "./filters/node-resources-fit.ts";
import { nodeUnschedulable } from "./filters/node-unschedulable.ts";
import { nodeVolumeLimits } from "./filters/node-volume-limits.ts";
import { podTopologySpread } from "./filters/pod-topology-spread.ts";
import { schedulingGates } from "./filters/scheduling-gates.ts";
import { taintToleration } from "./filters/taint-toleration.ts";
import { volumeBinding } from "./filters/volume-binding.ts";
import { volumeRestrictions } from "./filters/volume-restrictions.ts";
import { volumeZone } from "./filters/volume-zone.ts";
import type { Filter, PostFilter, PreEnqueue, Score } from "./framework.ts";
import { defaultPreemption } from "./preemption/default-preemption.ts";
import { balancedAllocation } from "./scores/balanced-allocation.ts";
import { dynamicResourcesScore } from "./scores/dynamic-resources.ts";
import { imageLocality } from "./scores/image-locality.ts";
import { interPodAffinityScore } from "./scores/inter-pod-affinity.ts";
import { leastAllocated } from "./scores/least-allocated.ts";
import { nodeAffinityScore } from "./scores/node-affinity.ts";
import { podTopologySpreadScore } from "./scores/pod-topology-spread.ts";
import { taintTolerationScore } from "./scores/taint-toleration.ts";
import { volumeBindingScore } from "./scores/volume-binding.ts";

/** The default profile of one Kubernetes version. */
export interface Profile {
  readonly preEnqueue: readonly PreEnqueue[];
  readonly filters: readonly Filter[];
  readonly postFilters: readonly PostFilter[];
  readonly scores: readonly { readonly score: Score; readonly weight: number }[];
}

/**
 * Order matters: the first filter that does not pass names the reason, so a cordoned node the pod's nodeName does not name
 * is "unschedulable" up to 1.36 and has the wrong name from 1.37 on. The cheap filters stand before those that look at other
 * pods. Post filters: DynamicResources stands before DefaultPreemption, because giving an idle claim back is milder than
 * ending a pod. Scores are summed, so theirs does not matter; it is upstream's.
 * Mirrors: apis/config/v1/default_plugins.go with the feature gates at their defaults, Kubernetes 1.34.4, 1.35.3, 1.36.3, 1.37.2.
 */
export function profileOf(minor: Minor): Profile {
  return profiles[minor];
}

const profiles: Readonly<Record<Minor, Profile>> = {
  34: profile(34),
  35: profile(35),
  36: profile(36),
  37: profile(37),
};

function profile(minor: Minor): Profile {
  return {
    preEnqueue: [schedulingGates, dynamicResources],
    filters: [
      ...(minor >= 37 ? [nodeName, nodeUnschedulable] : [nodeUnschedulable, nodeName]),
      taintToleration,
      nodeAffinity,
      nodePorts,
      nodeResourcesFit,
      volumeRestrictions,
      nodeVolumeLimits,
      volumeBinding,
      volumeZone,
      podTopologySpread,
      interPodAffinity,
      dynamicResources,
      // Appended by its feature gate, so it comes last although it is cheap.
      ...(minor >= 36 ? [nodeDeclaredFeatures] : []),
    ],
    postFilters: [deallocateIdleClaims, defaultPreemption],
    scores: [
      { score: taintTolerationScore, weight: 3 },
      { score: nodeAffinityScore, weight: 2 },
      { score: leastAllocated, weight: 1 },
      { score: podTopologySpreadScore, weight: 2 },
      { score: interPodAffinityScore, weight: 2 },
      { score: balancedAllocation, weight: 1 },
      { score: imageLocality, weight: 1 },
      ...(minor >= 35 ? [{ score: dynamicResourcesScore, weight: 2 }] : []),
      ...(minor >= 37 ? [{ score: volumeBindingScore, weight: 1 }] : []),
    ],
  };
}
