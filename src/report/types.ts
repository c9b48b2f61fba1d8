import type { Problem } from "../base/problem.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { ScenarioDocument } from "./scenario-document.ts";

/**
 * What a person, a pipeline or a program reads: plain JSON data, the only thing renderers look at.
 * Names and units are published (see schema.ts): add, never rename. Times are seconds from the scenario's start with
 * three decimals; null: not within the horizon. Shares are 0 to 1. Pods and endpoints are `namespace/name`.
 */

export const reportApiVersion = "holdfast.dev/v1alpha1";

/** Worst first: unsafe, stalls, undecided, safe. */
export type Verdict = "unsafe" | "stalls" | "undecided" | "safe";

/** Null where the endpoint is idle: scaled to zero by intent, not judged. */
export type EndpointVerdict = Verdict | null;

export type Now = "up" | "degraded" | "down" | "idle";

export interface Tool {
  readonly version: string;
}

export interface NotSeen {
  readonly resource: string;
  readonly why: string;
}

export interface ClusterReport {
  /** A path, or a context's name. */
  readonly source: string;
  /** As the server or its kubelets say it; "" when nothing says. */
  readonly version: string;
  /** `1.36`: the version whose rules were played. */
  readonly modelledAs: string;
  readonly nodes: number;
  readonly pods: number;
  /** The actors played and the sign that decided. Never empty in a report. */
  readonly actors: readonly { readonly name: string; readonly because: string }[];
  readonly notSeen: readonly NotSeen[];
  readonly secretsDropped: number;
}

/** What `safe` leans on. */
export interface RestsOn {
  readonly kind: "time" | "scores" | "order";
  readonly pod: string;
  /** Null for scores. */
  readonly atMostSeconds: number | null;
  /** `safe while the picker starts within 58 min` */
  readonly text: string;
}

export interface NotModelled {
  readonly what: string;
  /** The object it is about, as `Kind namespace/name`; "" when about the cluster. */
  readonly ref: string;
  /** What it could change: a sentence's end, `whether the picker can be recreated`; "" when it can change no verdict. */
  readonly couldChange: string;
}

export interface Floor {
  /** "" for endpoints without roles. */
  readonly role: string;
  readonly desired: number;
  readonly minAvailable: number;
}

export interface ScenarioResult {
  /** `drain-one-node/system`; by a further actor `drain-one-node/system/kured`. */
  readonly name: string;
  /** Who does just this: the first is played. Empty: nobody, it happens. */
  readonly actors: readonly string[];
  readonly verdict: Verdict;
  /** False: a what-if, reported and never part of the verdict. */
  readonly partOfVerdict: boolean;
  /**
   * Longest time down over the traces tried: least and most. Both 0: never down. `max` null: down past the horizon in
   * some trace; `min` null: in all of them.
   */
  readonly downSeconds: { readonly min: number | null; readonly max: number | null };
  /** Least share of the wanted serving units ready at any moment of any trace. */
  readonly minCapacity: number;
}

export interface PathBudget {
  readonly name: string;
  /** As written: a number, or a percent string; null: not set. */
  readonly minAvailable: number | string | null;
  readonly maxUnavailable: number | string | null;
  readonly disruptionsAllowed: number;
}

export type Spread = "required" | "preferred" | "none";

/** `yes`: at no moment without a ready pod (or unit). `stalls`: kept up only because the maintenance waits on it. */
export type Survival = "yes" | "no" | "stalls" | "unknown";

/** Pods of a part on one node. */
export interface Placed {
  readonly node: string;
  /** "" where the node states none. */
  readonly zone: string;
  readonly pods: number;
  readonly ready: number;
}

/** A part of the path, or of what supports it. */
export interface Component {
  /** `gateway`, `picker`, `engine`, `dns`, `controller`, … */
  readonly hop: string;
  /** What a person calls it: `Endpoint picker`. */
  readonly component: string;
  readonly onPath: boolean;
  /** False: on the path, but its loss stops no request; or not on the path. */
  readonly needed: boolean;
  /** On the path: why it is needed or not, "" when plain. Else: what stands still while it is gone, a sentence. */
  readonly neededBecause: string;
  /** Engines: `decode`, `prefill`, `transformer`, …; "" otherwise. */
  readonly role: string;
  readonly ref: ObjectRef;
  /** The object that holds the knobs; equal to `ref` where nothing stands above it. */
  readonly owner: ObjectRef;
  /** Serving units wanted; null: nobody states it. */
  readonly desired: number | null;
  readonly ready: number;
  /** Sorted, each once: where its pods are now. */
  readonly nodes: readonly string[];
  readonly zones: readonly string[];
  /** How many of its pods are on which node, by zone and node; node "" waits for one. */
  readonly placed: readonly Placed[];
  readonly budgets: readonly PathBudget[];
  readonly spread: { readonly node: Spread; readonly zone: Spread };
  readonly survives: { readonly drainOneNode: Survival; readonly cordonAll: Survival; readonly zoneLoss: Survival };
  /** Why it cannot be judged from here (`managed by the cloud, runs outside the cluster`); "" when it can. */
  readonly outside: string;
}

/** The trace behind a verdict: it replays as `scenario`. */
export interface Trace {
  /** Name of the scenario it comes from, `pool-maintenance/system`. */
  readonly name: string;
  readonly verdict: Verdict;
  /** The nodes whose drains it begins, in turn. */
  readonly order: readonly string[];
  readonly choices: readonly Choice[];
  /** Plays this very trace: as a file, `holdfast simulate --scenario` shows the same. */
  readonly replay: ScenarioDocument;
  readonly timeline: readonly TimelineEvent[];
  readonly drains: readonly Drain[];
  readonly stalls: readonly StallReport[];
  /** Empty when the endpoint never goes down in it. */
  readonly down: readonly Down[];
  /** Pods named in the timeline that are part of the path, replacements too, each with its component's name. */
  readonly pods: readonly { readonly pod: string; readonly component: string }[];
}

export interface CheckEndpoint {
  readonly namespace: string;
  readonly name: string;
  /** `modelplane`, `kserve`, … */
  readonly system: string;
  /** "" when it cannot be told. */
  readonly model: string;
  readonly now: Now;
  readonly verdict: EndpointVerdict;
  /** One sentence a person can act on; "" when the verdict says it all. */
  readonly because: string;
  readonly restsOn: readonly RestsOn[];
  readonly notModelled: readonly NotModelled[];
  readonly floor: readonly Floor[];
  readonly scenarios: readonly ScenarioResult[];
  /** In the order a request passes. */
  readonly path: readonly Component[];
  /** Null: nothing breaks and nothing stalls; or more endpoints are hurt than are told of (`traces` of the options). */
  readonly worst: Trace | null;
}

export type Severity = "error" | "warning" | "note";

export interface FindingReport {
  /** `picker-standby-budget` */
  readonly rule: string;
  /** `HF012` */
  readonly code: string;
  readonly severity: Severity;
  /** `namespace/name`; "" when about the cluster. */
  readonly endpoint: string;
  /** `Kind namespace/name`, or the component's name; "" when about the cluster. */
  readonly component: string;
  readonly message: string;
  /** The facts it rests on, one a line. */
  readonly evidence: readonly string[];
  readonly remedy: string;
  /** Null: read from a live cluster, or made by the model. */
  readonly source: { readonly file: string; readonly line: number | null } | null;
}

/** Where an assumed time comes from. */
export interface TimingSource {
  readonly what: "pod-start" | "pod-stop" | "node-down" | "drain-timeout";
  /** `namespace/owner`, a pattern of the scenario's, or a node. */
  readonly of: string;
  readonly minSeconds: number;
  /** Null: without limit. */
  readonly maxSeconds: number | null;
  readonly from: "scenario" | "config" | "learnt" | "actor" | "default";
}

export interface CheckReport {
  readonly apiVersion: typeof reportApiVersion;
  readonly kind: "CheckReport";
  readonly tool: Tool;
  readonly cluster: ClusterReport;
  readonly problems: readonly Problem[];
  readonly endpoints: readonly CheckEndpoint[];
  /** `namespace/name` of endpoints that are there and were not asked about. */
  readonly notChosen: readonly string[];
  /** On nobody's path. */
  readonly supporting: readonly Component[];
  readonly findings: readonly FindingReport[];
  readonly timing: readonly TimingSource[];
  /** What concerns the whole cluster; an endpoint's own is with the endpoint. */
  readonly notModelled: readonly NotModelled[];
}

// --- simulate ---

/**
 * Where a new pod went among several nodes; with `leaves`, whose turn it was of several evicted at one moment; with `soon`, who
 * started in the least time there.
 */
export interface Choice {
  readonly pod: string;
  readonly node: string;
  readonly leaves: boolean;
  readonly soon: boolean;
}

export interface BlockedBy {
  readonly pod: string;
  readonly code: number;
  readonly message: string;
  readonly cause: string;
}

export interface Drain {
  readonly node: string;
  readonly outcome: "completed" | "stalled" | "refused" | "failed" | "forced" | "stopped";
  readonly fromSeconds: number;
  /** Null: still waiting at the horizon. */
  readonly toSeconds: number | null;
  readonly blockedBy: readonly BlockedBy[];
}

/** Who waits for whom. `ref`: a node, a pod, a budget as `namespace/name`; of `room` the first hundred nodes, by commas; "" no object. */
export interface StallLink {
  readonly kind: "node" | "pod" | "budget" | "replacement" | "room" | "admission";
  readonly ref: string;
  readonly text: string;
}

/** A drain that cannot end. */
export interface StallReport {
  readonly node: string;
  /** From the node to what is missing. */
  readonly chain: readonly StallLink[];
  /** What would free it, each by itself. */
  readonly freedBy: readonly string[];
}

export interface Down {
  readonly fromSeconds: number;
  /** Null: not up again within the horizon. */
  readonly toSeconds: number | null;
  readonly hop: string;
  readonly because: string;
}

export interface SimulatedEndpoint {
  readonly namespace: string;
  readonly name: string;
  readonly verdict: EndpointVerdict;
  readonly restsOn: readonly RestsOn[];
  readonly notModelled: readonly NotModelled[];
  readonly down: readonly Down[];
  readonly minCapacity: number;
}

export interface SimulatedService {
  readonly namespace: string;
  readonly name: string;
  readonly ready: { readonly before: number; readonly min: number; readonly end: number };
  /** Every value the count of ready endpoints takes, in order, first the one before. */
  readonly sequence: readonly number[];
  /** When a Service that had something ready had nothing; toSeconds null: to the end. */
  readonly nothingReady: readonly { readonly fromSeconds: number; readonly toSeconds: number | null }[];
}

export interface PendingPod {
  readonly pod: string;
  readonly sinceSeconds: number;
  readonly message: string;
}

export interface Counterexample {
  readonly order: readonly string[];
  /** So many of them, from the first, it takes; what comes after is what the maintenance does then. Null: no endpoint is hurt. */
  readonly drains: number | null;
  readonly choices: readonly Choice[];
}

export interface SimulationReport {
  readonly apiVersion: typeof reportApiVersion;
  readonly kind: "SimulationReport";
  readonly tool: Tool;
  readonly cluster: ClusterReport;
  readonly problems: readonly Problem[];
  readonly scenario: ScenarioDocument;
  /** Worst of the endpoints', and `stalls` where anything makes the maintenance wait for ever. */
  readonly verdict: Verdict;
  readonly because: string;
  /** Every order and every choice was tried. */
  readonly exhaustive: boolean;
  readonly statesExplored: number;
  /** The trace the rest of the report shows, when the verdict is not safe. */
  readonly counterexample: Counterexample | null;
  readonly timeline: readonly TimelineEvent[];
  readonly drains: readonly Drain[];
  /** Drains that cannot end, each with who waits for whom. */
  readonly stalls: readonly StallReport[];
  readonly endpoints: readonly SimulatedEndpoint[];
  /** Every Service with a selector. */
  readonly services: readonly SimulatedService[];
  /** Pending at the end. */
  readonly pending: readonly PendingPod[];
  readonly timing: readonly TimingSource[];
  readonly notModelled: readonly NotModelled[];
}

/** In order of `atSeconds`; those at one moment in the order they happened. */
export type TimelineEvent = { readonly atSeconds: number } & TimelineFact;

export type TimelineFact =
  | { readonly type: "node-cordoned"; readonly node: string; readonly by: string }
  | { readonly type: "node-uncordoned"; readonly node: string; readonly by: string }
  | { readonly type: "node-tainted"; readonly node: string; readonly taint: string; readonly by: string }
  | { readonly type: "node-down"; readonly node: string; readonly because: string }
  | { readonly type: "node-up"; readonly node: string }
  | { readonly type: "node-removed"; readonly node: string; readonly by: string }
  | { readonly type: "node-added"; readonly node: string; readonly by: string }
  /** An answer of the Eviction API. Repeated answers that say the same are shown once. */
  | {
      readonly type: "eviction";
      readonly pod: string;
      readonly node: string;
      readonly code: number;
      readonly message: string;
      readonly cause: string;
    }
  | { readonly type: "pod-deleted"; readonly pod: string; readonly node: string; readonly by: string }
  | { readonly type: "pod-created"; readonly pod: string; readonly owner: string }
  /** Refused by admission or quota: there is no pod, its owner tries again. */
  | { readonly type: "pod-rejected"; readonly owner: string; readonly message: string }
  | { readonly type: "pod-bound"; readonly pod: string; readonly node: string }
  | { readonly type: "pod-unschedulable"; readonly pod: string; readonly message: string }
  | { readonly type: "pod-preempted"; readonly pod: string; readonly node: string; readonly by: string }
  | { readonly type: "pod-ready"; readonly pod: string; readonly node: string }
  | { readonly type: "pod-unready"; readonly pod: string; readonly node: string }
  | { readonly type: "drain-started"; readonly node: string; readonly by: string }
  | { readonly type: "drain-stalled"; readonly node: string; readonly blockedBy: readonly BlockedBy[] }
  | { readonly type: "drain-completed"; readonly node: string; readonly outcome: Drain["outcome"] }
  | { readonly type: "endpoint-down"; readonly endpoint: string; readonly hop: string; readonly because: string }
  | { readonly type: "endpoint-up"; readonly endpoint: string }
  | {
      readonly type: "endpoint-degraded";
      readonly endpoint: string;
      readonly capacity: number;
      readonly because: string;
    }
  | { readonly type: "rollout-stalled"; readonly ref: string; readonly message: string }
  | {
      readonly type: "scaled";
      readonly ref: string;
      readonly from: number;
      readonly to: number;
      readonly by: string;
    };

// --- fix and plan ---

/** One changed object, at the owner a person or a controller has it by. */
export interface Change {
  readonly target: ObjectRef;
  /** Who writes the object today: a tool and its release or application, else field managers; "" nobody that is known. */
  readonly manager: string;
  /** live: at the owner, now. upstream: in what the owner is made from, a chart or a repository. composition: in a control plane's own functions. */
  readonly holds: "live" | "upstream" | "composition";
  /** edit: fields of an object that is there. helm: a value of a chart, played on what the chart makes. */
  readonly do: "edit" | "create" | "delete" | "helm";
  readonly remedies: readonly string[];
  /** Every field it touches, and nothing else. Null takes a field away. */
  readonly fields: readonly { readonly path: string; readonly value: Json }[];
  /** What `kubectl patch --type` takes; "" for whole objects and for chart values. */
  readonly patchType: "merge" | "json" | "";
  /** The patch, the new object, or the chart's values, as JSON text; "" when it is deleted. */
  readonly patch: string;
  /** Unified diff of the object; of the chart's values for helm. */
  readonly diff: string;
  /** The object as it should be, whole; null: it is not in the input, or is to go. */
  readonly object: JsonObject | null;
  /** Where the object was read. */
  readonly source: { readonly file: string; readonly line: number | null } | null;
  readonly why: string;
  readonly cost: ChangeCost;
}

export interface ChangeCost {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

export interface EndpointVerdictPair {
  readonly endpoint: string;
  readonly verdict: EndpointVerdict;
  /** Why it is not safe, a clause; "" when it is. */
  readonly because: string;
}

export interface FixReport {
  readonly apiVersion: typeof reportApiVersion;
  readonly kind: "FixReport";
  readonly tool: Tool;
  readonly cluster: ClusterReport;
  readonly problems: readonly Problem[];
  readonly findings: readonly FindingReport[];
  readonly changes: readonly Change[];
  readonly cost: ChangeCost;
  readonly before: readonly EndpointVerdictPair[];
  readonly after: readonly EndpointVerdictPair[];
  /** With the live changes alone. */
  readonly afterLiveOnly: readonly EndpointVerdictPair[];
  /** After all changes, each pool maintained twice in a row: replicas may pile up in the first. */
  readonly secondMaintenance: readonly EndpointVerdictPair[];
  /** The changes' own rollout, from the state as it is. */
  readonly rollout: { readonly verdict: Verdict; readonly timeline: readonly TimelineEvent[] };
  /** Other sets that hold as well, the cheapest first. */
  readonly alternatives: readonly {
    readonly changes: readonly Change[];
    readonly cost: ChangeCost;
    readonly why: string;
  }[];
  readonly cannot: readonly { readonly endpoint: string; readonly why: string; readonly leastHelp: string }[];
  readonly notModelled: readonly NotModelled[];
}

export interface PlanStep {
  readonly n: number;
  /** guard: a budget for as long as the plan runs. uncordon: the node takes pods again. */
  readonly do: "scale" | "guard" | "waitReady" | "drain" | "wait" | "uncordon" | "stepBack";
  /** The object it is about, `Kind namespace/name`; a node's is `Node name`. */
  readonly ref: string;
  /** To be typed as it is; "" where somebody else acts. */
  readonly command: string;
  readonly expect: string;
  /** By when it is done in everything that was played; null: nothing to wait for. */
  readonly atMostSeconds: number | null;
  /** How to get back from here; "" where there is nothing to undo. */
  readonly undo: string;
}

export interface Plan {
  readonly apiVersion: typeof reportApiVersion;
  readonly kind: "Plan";
  readonly tool: Tool;
  readonly cluster: ClusterReport;
  readonly problems: readonly Problem[];
  /** Every step was played under every choice, and no endpoint breaks. */
  readonly possible: boolean;
  readonly nodes: readonly string[];
  /** Who drains: `by hand`, or an actor's name. */
  readonly by: string;
  /** What can be done; where no plan exists, the best that was found: see `gaps`. */
  readonly steps: readonly PlanStep[];
  /** From the first step to the last, at most. Null: not within the horizon. */
  readonly windowSeconds: number | null;
  readonly capacity: readonly {
    readonly endpoint: string;
    readonly minCapacity: number;
    /** Of the slowest course: share of the wanted units ready, whenever it changes. */
    readonly overTime: readonly { readonly atSeconds: number; readonly capacity: number }[];
  }[];
  /** Endpoints that are down before anything is done: no step of the plan makes or mends that. */
  readonly downBefore: readonly { readonly endpoint: string; readonly hop: string; readonly because: string }[];
  /** For how long an endpoint is without a part it needs. Empty in a plan that is possible. */
  readonly gaps: readonly { readonly endpoint: string; readonly seconds: number | null; readonly hop: string }[];
  readonly because: string;
  readonly leastHelp: string;
  readonly timing: readonly TimingSource[];
  /** What the steps were played without: they hold as far as it changes nothing. */
  readonly notModelled: readonly NotModelled[];
}

export type Report = CheckReport | SimulationReport | FixReport | Plan;
