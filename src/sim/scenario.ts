import type { SimMs } from "../base/units.ts";
import type { ObjectRef, PodKey } from "../model/key.ts";
import type { Taint } from "../model/pod-template.ts";
import type { JsonObject, WireObject } from "../wire/snapshot.ts";

/** A length of time, or a range of it, ms. `leastMs` equals `mostMs` for a plain value. */
export interface Span {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What a scenario says about time; what it leaves out is learnt from the cluster or taken from defaults. */
export interface ScenarioTiming {
  /** How long a node is down after its drain; null: the actor's own. */
  readonly nodeDown: Span | null;
  /** Pattern (`*`, `namespace/name*`) → from being bound to being Ready; the most specific pattern wins. */
  readonly podStart: readonly { readonly pattern: string; readonly span: Span }[];
  /** Pods that are unready in the snapshot: when they become Ready. */
  readonly podReady: readonly { readonly pattern: string; readonly span: Span }[];
  /** Pattern → from deletion to being gone; overrides preStop + 5 s, still at most the grace. */
  readonly podStop: readonly { readonly pattern: string; readonly span: Span }[];
  /** How long a drain waits for budgets; null: the actor's own. */
  readonly drainTimeoutMs: number | null;
  /** Pause between tries of a refused eviction; null: the actor's own. */
  readonly retryMs: number | null;
}

export interface ScenarioLimits {
  readonly states: number;
  readonly horizonMs: SimMs;
}

/** Which nodes: resolved against the cluster by the sim. Exactly one field is set. */
export type NodeChoice =
  | { readonly by: "names"; readonly names: readonly string[] }
  | { readonly by: "selector"; readonly selector: string }
  /** `first`: those of the pool's that come before the others. */
  | { readonly by: "pool"; readonly pool: string; readonly first: readonly string[] }
  | { readonly by: "zone"; readonly zone: string };

export type Step =
  | { readonly do: "cordon"; readonly nodes: readonly string[] }
  | { readonly do: "uncordon"; readonly nodes: readonly string[] }
  | { readonly do: "taint"; readonly node: string; readonly taint: Taint; readonly remove: boolean }
  | {
      readonly do: "drain";
      readonly nodes: readonly string[];
      readonly flags: readonly string[];
      readonly concurrent: boolean;
      /** Give up (the node stays cordoned); null: never. */
      readonly stopAfterMs: number | null;
      /** Delete what is left without asking budgets; null: never. */
      readonly forceAfterMs: number | null;
    }
  | { readonly do: "evict"; readonly pod: PodKey }
  | { readonly do: "deletePod"; readonly pod: PodKey }
  | { readonly do: "deleteNode"; readonly node: string }
  /** Power loss: never comes back by itself. */
  | { readonly do: "fail"; readonly node: string }
  | { readonly do: "down"; readonly node: string; readonly forMs: number }
  | { readonly do: "apply"; readonly objects: readonly WireObject[] }
  | {
      readonly do: "patch";
      readonly target: ObjectRef;
      readonly type: "merge" | "strategic" | "json";
      readonly patch: JsonObject | readonly JsonObject[];
    }
  | { readonly do: "deleteObject"; readonly target: ObjectRef }
  | { readonly do: "scale"; readonly target: ObjectRef; readonly replicas: number }
  | { readonly do: "wait"; readonly forMs: number }
  /** Null: all pods that are bound or waiting. */
  | { readonly do: "waitReady"; readonly target: ObjectRef | null };

/** A maintenance by an actor over nodes, or steps played in order. */
export interface Scenario {
  readonly name: string;
  /** Manifests applied first; their rollout is played too. */
  readonly changes: readonly WireObject[];
  readonly body:
    | {
        readonly kind: "actor";
        /** Null: the one recognised. */
        readonly actor: string | null;
        readonly nodes: NodeChoice;
        readonly order: "any" | "given";
      }
    | { readonly kind: "steps"; readonly steps: readonly Step[] };
  readonly timing: ScenarioTiming;
  readonly limits: ScenarioLimits;
  /** What chance decides elsewhere: a counterexample plays the same again. */
  readonly choices: readonly SettledChoice[];
}

/**
 * Where the scheduler may choose among several nodes, this pod goes there; or, where pods of one moment are evicted in any
 * order, this one leaves its node next; or, where its start there may take a range of times, it takes the least. Where that is
 * said of any pod, all others take the most.
 */
export interface SettledChoice {
  readonly pod: PodKey;
  readonly node: string;
  readonly leaves: boolean;
  readonly soon: boolean;
}
