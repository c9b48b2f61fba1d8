import type { Minor } from "../model/cluster.ts";
import type { ScenarioLimits, ScenarioTiming } from "../sim/scenario.ts";

/** What the core is asked, complete: no optional fields, no defaults. `cli/options.ts` resolves them. */
export interface CommonOptions {
  readonly toolVersion: string;
  readonly seed: number;
  /** Overrules what the cluster says; null: as it says. */
  readonly version: Minor | null;
  readonly timing: ScenarioTiming;
  readonly limits: ScenarioLimits;
  readonly floors: readonly FloorRule[];
  /** Endpoints that are judged. */
  readonly endpoints: EndpointChoice;
}

/** All of them that match; an empty list or selector leaves nothing out. */
export interface EndpointChoice {
  /** Empty: every namespace. */
  readonly namespaces: readonly string[];
  /** As kubectl writes it, over the endpoint object's labels; "" all. */
  readonly selector: string;
  /** `name` or `namespace/name`; empty: every name. */
  readonly names: readonly string[];
}

export interface CheckOptions extends CommonOptions {
  /** Actors by name; empty: recognised from the cluster. */
  readonly actors: readonly string[];
  readonly scenarios: readonly ScenarioKind[];
  readonly ignore: readonly IgnoreRule[];
  /** `2026-10-21`: what `until` of an ignore rule is compared with. */
  readonly today: string;
  /** So many endpoints are told with the trace that hurts them most, the worst first. */
  readonly traces: number;
}

export interface SimulateOptions extends CommonOptions {
  /** Actors by name where the scenario names none; empty: recognised. */
  readonly actors: readonly string[];
}

/** In the order they are played and printed; the first two make the verdict, the others are what-ifs. */
export const scenarioKinds = [
  "drain-one-node",
  "pool-maintenance",
  "cordon-all",
  "other-actors",
  "node-failure",
  "zone-loss",
] as const;
export type ScenarioKind = (typeof scenarioKinds)[number];

/** Of `holdfast.yaml`: overrules the endpoint's own annotations where it matches. */
export interface FloorRule {
  /** `namespace/name` with `*` in it. */
  readonly match: string;
  /** A number or a percent of units, as written; "" not set. */
  readonly minAvailable: string;
  /** Null: not set. */
  readonly maxDownMs: number | null;
}

export interface IgnoreRule {
  /** Name or code. */
  readonly rule: string;
  /** `namespace/name` of endpoint or component with `*` in it; `*` all. */
  readonly match: string;
  readonly reason: string;
  /** Last day it holds, `2026-12-31`; "" for ever. */
  readonly until: string;
}

/** Said between steps of a long run; a caller may stop at any. */
export interface Progress {
  /** What is being done, for a person: `plays pool-maintenance/system`. */
  readonly doing: string;
  readonly done: number;
  /** Null: not known. */
  readonly total: number | null;
}
