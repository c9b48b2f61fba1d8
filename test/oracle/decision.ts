/** One object as the API server returns it: plain JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface DecisionOptions {
  /** Each pod that fits is assumed on the first of its best nodes, by name, before the next is decided. */
  readonly sequence?: boolean;
  /** 0: the scheduler's adaptive default. */
  readonly percentageOfNodesToScore?: number;
}

/** A cluster and the pending pods to decide in it. */
export interface Question {
  readonly id: string;
  readonly objects: readonly KubeObject[];
  /** As namespace/name. Decided each on its own unless options say sequence. */
  readonly pods: readonly string[];
  readonly options: DecisionOptions;
}

export interface Answer {
  readonly id: string;
  /** Kubernetes version, `1.36.3`. */
  readonly version: string;
  /** Nodes in the order in which the scheduler looks at them. */
  readonly order: readonly string[] | null;
  readonly decisions: readonly Decision[] | null;
  readonly error?: string;
}

export type Code = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Skip" | "Pending" | "Wait";

export interface Verdict {
  readonly code: Code;
  readonly plugin?: string;
  readonly reasons?: readonly string[];
}

export interface NodeVerdict extends Verdict {
  readonly node: string;
}

export interface PluginScore {
  readonly plugin: string;
  readonly weight: number;
  /** Before and after normalizing, without the weight; one number a feasible node. */
  readonly raw: readonly number[];
  readonly score: readonly number[];
}

export interface Candidate {
  readonly node: string;
  /** As namespace/name, most important first. */
  readonly victims: readonly string[];
  /** Victims whose budget does not allow it. */
  readonly violations: number;
}

/** What a scheduler finds out about one pending pod. Both sides give this shape; absent means empty. */
export interface Decision {
  readonly pod: string;
  /** Present when the pod may not enter the queue; nothing else is decided then. */
  readonly preEnqueue?: Verdict;
  readonly preFilter: Verdict;
  /** Nodes PreFilter left to look at. Null: all. */
  readonly restricted?: readonly string[] | null;
  /** Filters that had something to check for this pod, in order. Not compared: it tells what the figures mean. */
  readonly filters?: readonly string[];
  /** Every node PreFilter left, without sampling. */
  readonly nodes?: readonly NodeVerdict[];
  readonly start?: number;
  /** How many nodes were looked at until enough were found. */
  readonly evaluated?: number;
  readonly feasible?: readonly string[];
  readonly scores?: readonly PluginScore[];
  readonly totals?: readonly number[];
  /** Nodes with the highest total, by name. */
  readonly top?: readonly string[];
  /** The text of the PodScheduled condition when no node was found. */
  readonly message?: string;
  readonly preemption?: { readonly candidates: readonly Candidate[]; readonly nodes: readonly string[] };
  readonly error?: string;
}
