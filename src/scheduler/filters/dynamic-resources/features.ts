import type { Minor } from "../../../model/cluster.ts";

/**
 * What of dynamic resource allocation is on by default, by version.
 * Mirrors: pkg/features/kube_features.go, Kubernetes 1.34 to 1.37 (1.35 has the gates of 1.34).
 */
export interface Features {
  readonly partitionableDevices: boolean;
  readonly deviceTaints: boolean;
  readonly deviceTaintRules: boolean;
  readonly consumableCapacity: boolean;
  readonly bindingConditions: boolean;
  readonly extendedResources: boolean;
  /** 1.34 takes devices from pools it has not seen all of, and gives up at a pool it finds invalid. */
  readonly checksPools: boolean;
  /**
   * Until 1.35 the allocator confuses the alternatives of a request when they ask for all devices: it looks for such a one's
   * second device on behalf of the first alternative, and takes the devices that match the one before for those that match it.
   */
  readonly confusesAlternatives: boolean;
  /** From 1.37 on a slice with counters counts for the nodes it names only, and "all devices" means those in use too. */
  readonly newAllocator: boolean;
}

export function featuresOf(minor: Minor): Features {
  const from36 = minor >= 36;
  return {
    partitionableDevices: from36,
    deviceTaints: from36,
    deviceTaintRules: minor >= 37,
    consumableCapacity: from36,
    bindingConditions: from36,
    extendedResources: from36,
    checksPools: minor >= 35,
    confusesAlternatives: minor <= 35,
    newAllocator: minor >= 37,
  };
}
