import type { SimMs } from "../base/units.ts";
import type { ObjectKey, PodKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Effect } from "../model/view.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { EvictionOrders } from "./rivals.ts";
import type { Timing } from "./timing.ts";
import type { DrainRecord, Fact } from "./trace.ts";

/** Something that was met on the way and is not modelled. */
export interface Gap {
  readonly couldChange: string;
  /** When something happens, not what: who is safe whenever it does need not care. */
  readonly isOfTime: boolean;
}

/** A moment in the future at which something looks again. */
export type Alarm =
  | { readonly kind: "running"; readonly uid: number }
  | { readonly kind: "ready"; readonly uid: number }
  | { readonly kind: "gone"; readonly uid: number }
  | { readonly kind: "wake"; readonly workload: ObjectKey }
  | { readonly kind: "budget"; readonly budget: ObjectKey }
  | { readonly kind: "node-lost"; readonly node: string; readonly epoch: number }
  | { readonly kind: "expel" }
  | { readonly kind: "collect" }
  | { readonly kind: "lost-nodes" }
  | { readonly kind: "elect"; readonly election: string }
  | { readonly kind: "program"; readonly timer: ProgramTimer };

export type ProgramTimer =
  | { readonly what: "retry"; readonly node: string; readonly pod: PodKey }
  | { readonly what: "drain-limit"; readonly node: string; readonly fromMs: SimMs }
  /** The last moment to delete a pod whose grace has to be over by the drain's limit. */
  | { readonly what: "pod-limit"; readonly node: string; readonly pod: PodKey; readonly fromMs: SimMs }
  /** The kubelet has ended a pod. */
  | { readonly what: "pod-ends"; readonly node: string; readonly pod: PodKey; readonly uid: number }
  | { readonly what: "surge-joins"; readonly lane: number }
  /** The new node that stands for this one. */
  | { readonly what: "node-joins"; readonly node: string }
  | { readonly what: "node-back"; readonly node: string }
  | { readonly what: "wait"; readonly step: number };

/** Who decides where chance or freedom decides in the real cluster. */
export type Choice =
  /** A node that is "": none, for now. */
  | { readonly kind: "place"; readonly pod: PodKey; readonly nodes: readonly string[] }
  | { readonly kind: "preempt"; readonly pod: PodKey; readonly nodes: readonly string[] }
  /** Which node the actor takes next. One that is "": none, before the next pod is asked. */
  | { readonly kind: "next-node"; readonly nodes: readonly string[] }
  /** Which of several evictions asked for at one moment is answered first. */
  | { readonly kind: "next-eviction"; readonly pods: readonly PodKey[] }
  /** The time this pod takes to start; what it takes at most is option 0. */
  | { readonly kind: "start"; readonly pod: PodKey; readonly leastMs: SimMs; readonly mostMs: SimMs }
  /** Untimed: which start-up ends next; with `orLater`, option 0 is that none does before the next thing happens. */
  | { readonly kind: "start-up"; readonly pods: readonly PodKey[]; readonly orLater: boolean };

/** What steps and maintenance may do to the simulated cluster. Implemented by Simulation. */
export interface World {
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly timing: Timing;
  readonly timed: boolean;
  readonly evictions: EvictionOrders;
  tell(fact: Fact): void;
  record(drain: DrainRecord): void;
  setAlarm(atMs: SimMs, alarm: Alarm): void;
  cordon(node: string, by: string): void;
  uncordon(node: string, by: string): void;
  deletePod(pod: PodKey, by: string, graceMs: number | null): void;
  /** The kubelet ended this pod by itself: it is Failed, and its controller makes another. Another pod of the name stays. */
  failPod(pod: PodKey, uid: number): void;
  /** Something that happened is not modelled: what, and what that could change. */
  missing(what: string, message: string): void;
  perform(effect: Effect): void;
  /** The machine stops: whatever runs on it stops at once. */
  nodeDown(node: string, because: string): void;
  nodeUp(node: string): void;
  removeNode(node: string, by: string): void;
  addNode(node: Node, by: string): void;
}
