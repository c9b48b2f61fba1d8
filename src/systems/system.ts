import type { OtherObject } from "../model/cluster.ts";
import type { ObjectKey, ObjectRef } from "../model/key.ts";
import type { Labels } from "../model/labels.ts";
import type { Fields } from "../wire/fields.ts";
import type { PodSet } from "./endpoint.ts";
import type { Facts, Part } from "./facts.ts";
import type { Knobs } from "./knobs.ts";
import type { Match } from "./match.ts";

/**
 * A way of serving models, or a part many of them share (a gateway, DNS, a controller): how it is recognised, what a
 * request passes in it, who owns each part and which field of the owner sets replicas, budget and spread.
 */
export interface System {
  readonly name: string;
  /** As its makers write it. */
  readonly title: string;
  /** How it is recognised and what is special about it, for `holdfast systems`. */
  readonly about: string;
  readonly parts: readonly PartRule[];
  readonly gateways: readonly GatewayKind[];
  /** Left out: it serves no Ingress. */
  readonly ingresses?: readonly IngressKind[];
  /** Left out: it has no kinds of its own that lead to Services. */
  readonly routes?: readonly RouteKind[];
  /** The model endpoints it serves. `claimed`: objects an earlier system already took. */
  entries(facts: Facts, claimed: Claims): readonly Entry[];
}

/** How one kind of workload of a system is recognised, and what it is. The first rule that matches wins. */
export interface PartRule {
  /** `gateway`, `picker`, `engine`, `router`, `dns`, `tokenizer`, `frontend`, `transformer`, `controller`, … */
  readonly hop: string;
  /** What a person calls it. */
  readonly component: string;
  /** False: requests do not pass it. */
  readonly onPath: boolean;
  readonly match: Match;
  /** For parts not on the path: what stands still while it is gone, a sentence. "" on the path. */
  readonly whileGone: string;
  /** The object that holds its knobs; null: the workload itself. */
  owner(part: Part, facts: Facts): ObjectRef | null;
  knobs(part: Part, facts: Facts): Knobs;
}

/** Implementation of Gateway API gateways: which pods carry the traffic, and what it does without a picker. */
export interface GatewayKind {
  /** Matched against GatewayClass.spec.controllerName, or where the class was not read, its name. */
  readonly controllers: readonly string[];
  readonly classes: RegExp | null;
  /** "" where proxies are pods of this cluster; else where they run. */
  readonly outside: string;
  proxies(gateway: OtherObject, facts: Facts): readonly Part[];
  honoursFailOpen(facts: Facts): FailOpen;
}

export interface IngressClass {
  readonly name: string;
  /** Of its IngressClass; "" where that was not read. */
  readonly controller: string;
}

/** Implementation of Ingress: which classes are its own, and which pods carry their traffic. */
export interface IngressKind {
  serves(ingressClass: IngressClass, facts: Facts): boolean;
  /** "" where proxies are pods of this cluster; else where they run. */
  readonly outside: string;
  proxies(ingressClass: IngressClass, facts: Facts): readonly Part[];
}

/** Routes of their makers' own kinds, beside Gateway API and Ingress, that lead to a Service. */
export interface RouteKind {
  readonly kind: string;
  readonly group: string;
  /** Services it sends requests to, by key. */
  backends(spec: Fields, namespace: string): readonly ObjectKey[];
  /** The pods requests pass on the way; null: nothing is in front because of this route. */
  proxies(facts: Facts, route: OtherObject): readonly Part[] | null;
  /** Hosts it takes requests for; empty, or left out: any. */
  hosts?(spec: Fields): readonly string[];
  /** How long an answer may take as it is written, of each part of the route that says so. */
  timeouts?(spec: Fields): readonly string[];
  /** Services of the proxies that other routes lead to, and the hosts they do so for: what leads there is in front as well. */
  ways?(facts: Facts, route: OtherObject): Ways;
}

export interface Ways {
  readonly backends: readonly ObjectKey[];
  /** Empty: any host. */
  readonly hosts: readonly string[];
}

/** What a gateway does when an InferencePool says FailOpen and no picker is there. */
export interface FailOpen {
  readonly honoured: boolean;
  readonly because: string;
}

/** One model endpoint as a system states it; `route/` finds what stands in front of it. */
export interface Entry {
  /** The object that declares it. */
  readonly ref: ObjectRef;
  readonly namespace: string;
  readonly name: string;
  readonly model: string;
  readonly annotations: Labels;
  /** Says itself that it is stopped or scaled to zero. */
  readonly stopped: boolean;
  /** Services and InferencePools (`Kind.group/namespace/name`) that routes name as backends: what leads there is in front. */
  readonly backends: readonly ObjectKey[];
  /** HTTPRoutes and the like that are in front although none of their backends is named above. */
  readonly routes: readonly OtherObject[];
  /** InferencePools whose picker is on the path. */
  readonly pools: readonly OtherObject[];
  /** Everything else a request passes, in order. */
  readonly stages: readonly Stage[];
  readonly notModelled: readonly { readonly what: string; readonly ref: string; readonly couldChange: string }[];
}

/** A stop behind the gateway: a workload known by its part rule, pods only this system can tell apart, or a thing outside. */
export type Stage =
  | {
      readonly by: "outside";
      readonly hop: string;
      readonly component: string;
      readonly ref: ObjectRef;
      /** Where it runs. */
      readonly outside: string;
    }
  | {
      readonly by: "part";
      readonly part: Part;
      readonly hop: string;
      readonly role: string;
      readonly needed: Need;
    }
  | {
      /** Several workloads whose pods are units together. */
      readonly by: "parts";
      readonly parts: readonly Part[];
      readonly hop: string;
      readonly role: string;
      readonly ref: ObjectRef;
      readonly desired: number;
      readonly unit: { readonly kind: "group"; readonly groupLabel: string; readonly size: number };
      readonly needed: Need;
    }
  | {
      readonly by: "pods";
      readonly hop: string;
      readonly component: string;
      readonly role: string;
      readonly ref: ObjectRef;
      readonly owner: ObjectRef | null;
      readonly pods: PodSet;
      /** The pods seen now, for what is read from them. */
      readonly parts: readonly Part[];
      readonly desired: number | null;
      readonly unit:
        | { readonly kind: "pod" }
        | { readonly kind: "group"; readonly groupLabel: string; readonly size: number };
      readonly needed: Need;
      readonly knobs: Knobs;
    };

export interface Need {
  readonly needed: boolean;
  /** Not needed, but for so long only: then those that do without it give up. Left out: for ever. */
  readonly outlivedMs?: number;
  /** "" when plain. */
  readonly because: string;
}

export const isNeeded: Need = { needed: true, because: "" };

/** An entry with nothing in it but its object: what a system adds is spelt out where it is made. */
export function entryOf(object: { readonly ref: ObjectRef; readonly annotations: Labels }): Entry {
  return {
    ref: object.ref,
    namespace: object.ref.namespace,
    name: object.ref.name,
    model: "",
    annotations: object.annotations,
    stopped: false,
    backends: [],
    routes: [],
    pools: [],
    stages: [],
    notModelled: [],
  };
}

/** What earlier systems took: endpoints of later ones may not serve from it again. */
export interface Claims {
  /** Objects (services, pools, custom resources) by key. */
  readonly objects: ReadonlySet<ObjectKey>;
  /** Workloads that are some endpoint's stage. */
  readonly workloads: ReadonlySet<ObjectKey>;
}

/** For gateways that nobody is known to have seen without a picker. */
export function failOpenUnknown(who: string): () => FailOpen {
  return () => ({ honoured: false, because: `It is not known whether ${who} serves without a picker.` });
}

/** A system of parts only: nothing is an endpoint because of it. */
export function noEntries(): readonly Entry[] {
  return [];
}
