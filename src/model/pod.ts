import type { Source } from "../base/problem.ts";
import type { ObjectKey, PodKey } from "./key.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { Resources } from "./resources.ts";

/** A pod as read. */
export interface Pod {
  readonly key: PodKey;
  readonly namespace: string;
  readonly name: string;
  readonly template: PodTemplate;
  /** The controlling owner (ownerReference with controller: true); null: a bare pod. */
  readonly owner: ObjectKey | null;
  /** Name of the node it is bound to; "" when it waits for one. */
  readonly nodeName: string;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly ready: boolean;
  /** deletionTimestamp is set. */
  readonly deleting: boolean;
  readonly deletionGraceMs: number | null;
  /** It is being deleted because the scheduler needed its room (condition DisruptionTarget). */
  readonly preempted: boolean;
  /** status.nominatedNodeName; "" none. */
  readonly nominatedNodeName: string;
  /** What the scheduler counts for this pod now: template.requests, or more while a resize is under way. */
  readonly requests: Resources;
  /** As requests, with the scheduler's stand-ins (100m, 200 MB) for what a container does not state: scores only. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemoryBytes: number;
  readonly restarts: number;
  readonly createdAtMs: number | null;
  /** status.startTime; null when not stated. */
  readonly startedAtMs: number | null;
  /** Times of PodScheduled=True and Ready=True, for learning start-up times; null when not stated. */
  readonly scheduledAtMs: number | null;
  readonly readyAtMs: number | null;
  /** A mirror of a static pod: never evicted, not the API server's to delete. */
  readonly mirror: boolean;
  readonly finalizers: readonly string[];
  /** The scheduler's message on PodScheduled=False, as read. */
  readonly unschedulableMessage: string;
  /** Claims made from templates: claim name in the spec → ResourceClaim name (status.resourceClaimStatuses). */
  readonly claimNames: ReadonlyMap<string, string>;
  /** apps.kubernetes.io/pod-index or the name's ordinal; null for pods that are not StatefulSets'. */
  readonly ordinal: number | null;
  /** Label controller-revision-hash; "" none. */
  readonly revision: string;
  readonly source: Source;
}
