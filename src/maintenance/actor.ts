import type { Taint } from "../model/pod-template.ts";

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
  /**
   * maintains: works through the nodes of a pool. removes: takes single nodes or pods away when it sees fit. sudden: comes
   * without being asked. information: drains no node, listed because it takes pods away.
   */
  readonly kind: "maintains" | "removes" | "sudden" | "information";
  readonly close: Closing;
  /** all: every node of the maintenance before the first drain. batch: the nodes worked on together. node: when its turn comes. */
  readonly closeWhen: "all" | "batch" | "node";
  /** Soft taints on every node of the maintenance from its beginning; they go when the node is done. */
  readonly marks: readonly Taint[];
  /** Nodes of one pool worked on at once, unless the cluster or scenario says otherwise. */
  readonly nodesAtOnce: NodeCount;
  /** New nodes of the same shape that join beside the old ones; null: none. */
  readonly surge: Surge | null;
  /** Nodes of several pools: all as one, each pool by itself, or one pool after the other. */
  readonly pools: "together" | "independent" | "in-turn";
  /** Orders it may take: `any` (not documented, or by chance), `given`, or a rule. */
  readonly order: "any" | "given" | "zone-then-oldest" | "name";
  /** Nodes of a pool that use up `nodesAtOnce` though nobody works on them. */
  readonly usesUp: readonly Unavailable[];
  /** Nodes it does not take, as long as one of these holds. */
  readonly passesOver: readonly PassOver[];
  readonly drain: Drain;
  /**
   * stays: closed until a person opens it. opens: opened again. reboots: same node, away for a while, back and opened.
   * reboots-together: so, but only once all are drained; when one is not, all stay closed.
   * replaced: gone, and a new one of the same shape in its place. removed: gone. off: the machine is off and stays so. lost: the
   * machine is gone, the Node object goes later.
   */
  readonly afterDrain: "stays" | "opens" | "reboots" | "reboots-together" | "replaced" | "removed" | "off" | "lost";
  /** From drained to open (opens, reboots), to the new node (replaced), or to the end of the Node object (lost), ms. */
  readonly nodeDownMs: number;
  /** A failed node: goes on with the next, or ends the maintenance. */
  readonly onNodeFailure: "continues" | "stops";
  /** Signs on a cluster that this actor works here. */
  readonly signs: readonly Sign[];
  /** How one sees it start, and what holds it: for people. */
  readonly signals: readonly string[];
  readonly levers: readonly string[];
  /** Defaults that changed with a version or at a date. */
  readonly changed: readonly Changed[];
  /** What is left out or uncertain. */
  readonly notModelled: readonly string[];
  readonly sources: readonly Source[];
}

/** How a node is closed to new pods. Nothing of it: the node stays open. */
export interface Closing {
  readonly cordon: boolean;
  readonly taints: readonly Taint[];
  /** A condition that turns True, whose taint the node controllers add; "" none. */
  readonly condition: string;
}

/** A number of nodes; every one; a share of the pool, rounded, at least `least`; or so many for each zone, at least `least`. */
export type NodeCount =
  | number
  | "all"
  | { readonly percent: number; readonly rounds: "up" | "down"; readonly least: number }
  | { readonly perZone: number; readonly least: number };

export interface Surge {
  readonly nodes: NodeCount;
  /**
   * before-all: they join before the first old node is closed. before-each: one joins before the old node it stands for is
   * closed. between: the old node is closed, its new one joins, the drain begins. with-drain: it is ordered when the drain begins.
   */
  readonly when: "before-all" | "before-each" | "between" | "with-drain";
  /** From being ordered to being Ready, ms. */
  readonly joinMs: number;
  /** stay: they are the new nodes. leave: they are drained and removed when all old ones are done. */
  readonly atEnd: "stay" | "leave";
}

export type Unavailable = "cordoned" | "not-ready" | "pressure";

export type PassOver =
  /** A node that is itself unavailable, in the sense of `usesUp`. */
  | { readonly on: "unavailable" }
  /** Value null: any. */
  | { readonly on: "nodeAnnotation" | "nodeLabel"; readonly key: string; readonly value: string | null }
  | { readonly on: "podAnnotation"; readonly key: string; readonly value: string | null }
  /** Labels of a pod on the node, as a selector. */
  | { readonly on: "podSelector"; readonly selector: string }
  /** Budgets do not let all pods of the node go at once, as they stand now. */
  | { readonly on: "budget" }
  | { readonly on: "barePod"; readonly unlessAnnotation: string }
  | { readonly on: "localStorage"; readonly unlessAnnotation: string }
  /** A pod of kube-system without a budget, younger than this. */
  | { readonly on: "systemPod"; readonly youngerThanMs: number };

export interface Drain {
  /** eviction: the Eviction API. kubelet: the machine's kubelet ends its pods. nobody: they are there until the machine is not. */
  readonly by: "eviction" | "kubelet" | "nobody";
  /** As kubectl's flags: which pods it skips, evicts, or refuses. */
  readonly flags: readonly string[];
  readonly daemonSetPods: "as-flags" | "evicted";
  readonly barePods: "as-flags" | "skipped";
  /** Pods that tolerate the closing taint stay, and die with the machine. */
  readonly sparesTolerating: boolean;
  /** Pods that are not asked for while they have one of these annotations: the drain waits for them. */
  readonly waitsForAnnotations: readonly { readonly key: string; readonly value: string }[];
  /** In waves: others, then DaemonSet pods, then critical ones, then critical DaemonSet pods; each waits for the one before. */
  readonly inWaves: boolean;
  /** Pods with persistent volumes one after the other, beside the rest. */
  readonly volumesOneByOne: boolean;
  /** at-once: the pods of a node together, so that chance decides who is first. by-name: one after the other. */
  readonly asks: "at-once" | "by-name";
  /** Pause between tries of a refused eviction. 0: at once, as fast as the client may. */
  readonly retryMs: number;
  /** Tries come in attempts with pauses between; null: without end and pause. */
  readonly attempts: Attempts | null;
  /** The longest grace it gives a pod; null: the pod's own. */
  readonly graceMaxMs: number | null;
  /** The grace it gives every pod, longer than the pod's own too; null: the pod's own. */
  readonly graceSetMs: number | null;
  /** How long it asks; null: for ever. */
  readonly holdsForMs: number | null;
  /**
   * When that is over: gives up (the node stays closed), gives up and opens the node again, deletes what is left, or stops the
   * machine under it.
   */
  readonly then: "waits" | "fails" | "reopens" | "deletes" | "stops-machine";
  /** Deletes each pod early enough for its grace to be over by then. */
  readonly deletesEarly: boolean;
  /** Grace of those deletions; null: the pod's own. */
  readonly deleteGraceMs: number | null;
  /** One pod in error (two budgets: HTTP 500): kubectl fails the node; others try again. */
  readonly onError: "fails" | "retries";
  /** A node that is not Ready when its drain begins: drained like any, deleted from at once, or not waited for. */
  readonly onNotReady: "as-usual" | "deletes" | "passes";
}

export interface Attempts {
  readonly lastMs: number;
  readonly pauseMs: number;
  /** From the drain's start: attempts that fail later are followed by the long pause. */
  readonly longAfterMs: number;
  readonly longPauseMs: number;
}

export type Sign =
  /** Value null: any. */
  | { readonly on: "nodeLabel"; readonly key: string; readonly value: string | null }
  | { readonly on: "nodeAnnotation"; readonly key: string }
  | { readonly on: "nodeName"; readonly prefix: string }
  /** True, not only there. */
  | { readonly on: "nodeCondition"; readonly type: string }
  | { readonly on: "nodeTaint"; readonly key: string }
  | { readonly on: "osImage"; readonly prefix: string }
  /** A container image whose last path part, without its tag, is this; a DaemonSet where it has pods. */
  | { readonly on: "workloadImage"; readonly kind: string; readonly image: string }
  /** An object of the group. `selects`: the field of its spec that says which nodes it is about; "": all, and other signs count as well. */
  | { readonly on: "objectKind"; readonly group: string; readonly selects: string };

export interface Changed {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** The version or date at which it changed. */
  readonly at: string;
}

/** A: read in source. B: vendor documentation or API definition. C: secondary or older text. D: inferred, or looked for and not found. */
export interface Source {
  readonly mark: "A" | "B" | "C" | "D";
  readonly from: string;
}
