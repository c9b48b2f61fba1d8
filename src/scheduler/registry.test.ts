import assert from "node:assert/strict";
import { test } from "node:test";
import type { Minor } from "../model/cluster.ts";
import { profileOf } from "./registry.ts";

// Read from apis/config/v1/default_plugins.go and pkg/features, Kubernetes 1.34.4, 1.35.3, 1.36.3 and 1.37.2.
const middle = [
  "TaintToleration",
  "NodeAffinity",
  "NodePorts",
  "NodeResourcesFit",
  "VolumeRestrictions",
  "NodeVolumeLimits",
  "VolumeBinding",
  "VolumeZone",
  "PodTopologySpread",
  "InterPodAffinity",
  "DynamicResources",
];
const filters: Readonly<Record<Minor, readonly string[]>> = {
  34: ["NodeUnschedulable", "NodeName", ...middle],
  35: ["NodeUnschedulable", "NodeName", ...middle],
  36: ["NodeUnschedulable", "NodeName", ...middle, "NodeDeclaredFeatures"],
  37: ["NodeName", "NodeUnschedulable", ...middle, "NodeDeclaredFeatures"],
};
const weights = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  NodeResourcesBalancedAllocation: 1,
  ImageLocality: 1,
};
const scores: Readonly<Record<Minor, Readonly<Record<string, number>>>> = {
  34: weights,
  35: { ...weights, DynamicResources: 2 },
  36: { ...weights, DynamicResources: 2 },
  37: { ...weights, DynamicResources: 2, VolumeBinding: 1 },
};

for (const minor of [34, 35, 36, 37] as const) {
  test(`registry: the default profile of 1.${minor}`, () => {
    const profile = profileOf(minor);
    assert.deepEqual(
      profile.filters.map(({ name }) => name),
      filters[minor],
    );
    assert.deepEqual(
      Object.fromEntries(profile.scores.map(({ score, weight }) => [score.name, weight])),
      scores[minor],
    );
    assert.deepEqual(
      profile.postFilters.map(({ name }) => name),
      ["DynamicResources", "DefaultPreemption"],
    );
    assert.deepEqual(
      profile.preEnqueue.map(({ name }) => name),
      ["SchedulingGates", "DynamicResources"],
    );
  });
}
