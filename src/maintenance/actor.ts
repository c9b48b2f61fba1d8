/**
 * A maintenance actor as data: what it does to nodes, in which order, and how long a budget holds it. The simulation
 * plays any of them with one program (`sim/maintenance-run.ts`); the differences are all here.
 */
export interface Actor {
  /** `kubectl-drain`, `nebius`, `openshift-mco`, … as in scenario files. */
  readonly name: string;
  readonly title: string;
  /** What it does, in two or three sentences for a person. */
  readonly description: string;
  /** How a node is closed to new pods. */
  readonly close:
    | { readonly by: "cordon" }
    | { readonly by: "taint"; readonly key: string; readonly effect: "NoSchedule" };
  /** all: every node of the maintenance before the first drain. batch: the nodes worked on together. node: when its turn comes. */
  readonly closeWhen: "all" | "batch" | "node";
  /** Nodes worked on at once, unless the cluster or scenario says otherwise. */
  readonly nodesAtOnce: number;
  /** New nodes of the same shape that join before the first old one is closed. */
  readonly surgeNodes: number;
  /** Orders it may take: `any` (not documented), `given`, or a rule. */
  readonly order: "any" | "given" | "zone-then-oldest" | "name";
  readonly drain: {
    /** As kubectl's flags; what the actor skips, evicts, or refuses. */
    readonly flags: readonly string[];
    /** Pause between tries of a refused eviction. 0: at once, as fast as the client may. */
    readonly retryMs: number;
    /** The longest grace it gives a pod; null: the pod's own. */
    readonly graceMaxMs: number | null;
    /** How long it asks; null: for ever. */
    readonly holdsForMs: number | null;
    /** When that is over: gives up (the node stays closed), deletes what is left, or stops the machine under it. */
    readonly then: "waits" | "fails" | "deletes" | "stops-machine";
    /** Grace of those deletions; null: the pod's own. */
    readonly deleteGraceMs: number | null;
    /** One pod in error (two budgets: HTTP 500): kubectl fails the node; others try again. */
    readonly onError: "fails" | "retries";
  };
  /** stays: closed until a person opens it. reboots: same node, back and opened. replaced: a new one of the same shape. removed: gone. */
  readonly afterDrain: "stays" | "reboots" | "replaced" | "removed";
  /** From drained to back, ms; used by reboots and replaced. */
  readonly nodeDownMs: number;
  /** A failed node: goes on with the next, or ends the maintenance. */
  readonly onNodeFailure: "continues" | "stops";
  /** Signs on a cluster that this actor works here. */
  readonly signs: readonly Sign[];
  /** How one sees it start, and what holds it: for people. */
  readonly signals: readonly string[];
  readonly levers: readonly string[];
  /** What is left out or uncertain. */
  readonly notModelled: readonly string[];
  /** Documents and sources this was read from, with date or version. */
  readonly sources: readonly string[];
}

export type Sign =
  | { readonly on: "nodeLabel"; readonly key: string }
  | { readonly on: "nodeAnnotation"; readonly key: string }
  | { readonly on: "nodeName"; readonly prefix: string }
  | { readonly on: "nodeCondition"; readonly type: string }
  | { readonly on: "osImage"; readonly prefix: string }
  | { readonly on: "workloadName"; readonly kind: string; readonly name: string }
  | { readonly on: "objectKind"; readonly group: string };
