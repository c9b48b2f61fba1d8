import type { Source } from "../base/problem.ts";
import type { ObjectKey, ObjectRef } from "../model/key.ts";
import type { LabelSelector } from "../model/labels.ts";
import type { Knobs } from "./knobs.ts";

/**
 * Which pods make up a part, now and after any replacement: all whose labels match in the namespace, or all that
 * descend from one of the owners.
 */
export type PodSet =
  | { readonly by: "selector"; readonly namespace: string; readonly selector: LabelSelector }
  | { readonly by: "owner"; readonly owners: readonly ObjectKey[] };

/**
 * A part of an endpoint's request path, or of what supports it. One hop a workload: engine hops of one endpoint with the
 * same role add up (their units are counted together), every other hop stands for itself.
 */
export interface Hop {
  /** `gateway`, `picker`, `engine`, `router`, `dns`, `tokenizer`, `frontend`, `transformer`, `webhook`, `controller`, … */
  readonly hop: string;
  /** What a person calls it: `Endpoint picker`, `Cluster gateway proxy`, `CoreDNS`. */
  readonly component: string;
  /** False: supporting (metrics, control loops), its loss stops no request. */
  readonly onPath: boolean;
  /** False: on the path but its loss does not stop requests (FailOpen where the gateway honours it). */
  readonly needed: boolean;
  /** Not needed, but for so long only: then those that do without it give up. Null: for ever. */
  readonly outlivedMs: number | null;
  /** Why needed is what it is, one sentence; "" when plain. */
  readonly neededBecause: string;
  /** The object whose pods these are: a Deployment, LeaderWorkerSet, DaemonSet, Service … */
  readonly ref: ObjectRef;
  /** The object a person or a controller owns it by, and where its knobs are; null: ref itself. */
  readonly owner: ObjectRef | null;
  readonly pods: PodSet;
  /** Service whose ready endpoints carry the traffic (`namespace/name`); null: pods are looked at themselves. */
  readonly service: string | null;
  /** Engines: role `decode`, `prefill`, `both`, `transformer`, … ; "" for path parts. */
  readonly role: string;
  /** `pod`: each ready pod serves. `group`: a unit is all pods with the same group label value, ready when all are. */
  readonly unit:
    | { readonly kind: "pod" }
    | { readonly kind: "group"; readonly groupLabel: string; readonly size: number };
  /** Wanted units as the owner states them; null: not stated (then the pods seen). */
  readonly desired: number | null;
  /** Serving part that runs outside what can be seen (managed gateway, Cloud DNS): never down here, said so. */
  readonly outside: string;
  /** True: replicas beyond the leader are never Ready (leader election). */
  readonly leaderElected: boolean;
  /** Where replicas, budget and spread of this part are set, and who would undo an edit elsewhere. */
  readonly knobs: Knobs;
}

/** Pods of one unit. */
export function unitSize({ unit }: Pick<Hop, "unit">): number {
  return unit.kind === "group" ? unit.size : 1;
}

/** A model endpoint: what clients call, and everything a request passes. */
export interface Endpoint {
  readonly namespace: string;
  readonly name: string;
  /** `modelplane`, `kserve`, `llm-d`, `gateway-api-inference`, `service`, … */
  readonly system: string;
  /** Served model's name when it can be told; "" else. */
  readonly model: string;
  readonly ref: ObjectRef;
  /** In the order a request passes: dns, gateway, router/picker, engines. */
  readonly hops: readonly Hop[];
  /** Annotation holdfast.dev/min-available as written, "" none. */
  readonly minAvailable: string;
  /** Annotation holdfast.dev/max-down, ms; 0 default. */
  readonly maxDownMs: number;
  /** The longest request timeout that routes in front state, ms; null: none is stated, or one without limit (`0s`). */
  readonly requestTimeoutMs: number | null;
  /** True: it is meant to serve nothing now: scaled to zero, or all routes to it have weight 0. */
  readonly idle: boolean;
  readonly unheeded: readonly Unheeded[];
  readonly notModelled: readonly { readonly what: string; readonly ref: string; readonly couldChange: string }[];
}

/** A route that names an endpoint and brings it no request. */
export interface Unheeded {
  readonly route: ObjectRef;
  readonly source: Source;
  /** The listener it asks for, by name or port; "" where all it gives the endpoint is weight 0. */
  readonly asked: string;
  /** Who has no such listener. */
  readonly of: ObjectRef | null;
}
