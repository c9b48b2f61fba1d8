import type { Labels } from "./labels.ts";
import type { Taint } from "./pod-template.ts";
import type { Resources } from "./resources.ts";

/** A node as read: the fixed part. What changes while a scenario plays is in NodeView. */
export interface Node {
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Resources;
  /** Allocatable `pods`. 0 when the node states none. */
  readonly podsMax: number;
  readonly capacity: Resources;
  /** Condition Ready is True. A node without conditions counts as ready (manifests). */
  readonly ready: boolean;
  readonly conditions: readonly NodeCondition[];
  /** Image name (every name and digest) → size, bytes. */
  readonly images: ReadonlyMap<string, number>;
  readonly declaredFeatures: readonly string[];
  readonly providerId: string;
  readonly osImage: string;
  readonly kubeletVersion: string;
  /** Unix ms of creation; null when not stated. MCO and others order by it. */
  readonly createdAtMs: number | null;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The zone label, also by its old name; "" when the node has none. */
export function zoneOf(labels: Labels): string {
  return labels.get("topology.kubernetes.io/zone") ?? labels.get("failure-domain.beta.kubernetes.io/zone") ?? "";
}
