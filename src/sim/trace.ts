import type { SimMs } from "../base/units.ts";
import type { Labels } from "../model/labels.ts";

/** One refused eviction, as the last answer said it. */
export interface Refusal {
  readonly pod: string;
  readonly code: number;
  readonly message: string;
  readonly cause: string;
}

export type DrainOutcome = "completed" | "stalled" | "refused" | "failed" | "forced" | "stopped";

/** Its node is empty, by force or not. */
export function endsWell({ outcome }: Pick<DrainRecord, "outcome">): boolean {
  return outcome === "completed" || outcome === "forced";
}

/** What became of one node's drain. */
export interface DrainRecord {
  readonly node: string;
  readonly outcome: DrainOutcome;
  readonly fromMs: SimMs;
  /** Null: it waits still. */
  readonly toMs: SimMs | null;
  readonly blockedBy: readonly Refusal[];
  /** Pods for whose sake nothing on the node was asked to go at all: kubectl names them in one line. */
  readonly refusedFor: readonly string[];
}

/** Something that happened, as a person would tell it. */
export type Fact =
  | { readonly type: "node-cordoned"; readonly node: string; readonly by: string }
  | { readonly type: "node-uncordoned"; readonly node: string; readonly by: string }
  | { readonly type: "node-tainted"; readonly node: string; readonly taint: string; readonly by: string }
  | { readonly type: "node-down"; readonly node: string; readonly because: string }
  | { readonly type: "node-up"; readonly node: string }
  | { readonly type: "node-removed"; readonly node: string; readonly by: string }
  | { readonly type: "node-added"; readonly node: string; readonly by: string }
  /** An answer of the Eviction API. Repeated answers that say the same are told once. */
  | {
      readonly type: "eviction";
      readonly pod: string;
      readonly node: string;
      readonly code: number;
      readonly message: string;
      readonly cause: string;
    }
  | { readonly type: "pod-deleted"; readonly pod: string; readonly node: string; readonly by: string }
  /** `labels`: what tells the pods of one owner apart; not part of what is told. */
  | { readonly type: "pod-created"; readonly pod: string; readonly owner: string; readonly labels: Labels }
  | { readonly type: "pod-rejected"; readonly owner: string; readonly message: string }
  | { readonly type: "pod-bound"; readonly pod: string; readonly node: string }
  | { readonly type: "pod-unschedulable"; readonly pod: string; readonly message: string }
  | { readonly type: "pod-preempted"; readonly pod: string; readonly node: string; readonly by: string }
  | { readonly type: "pod-ready"; readonly pod: string; readonly node: string }
  | { readonly type: "pod-unready"; readonly pod: string; readonly node: string }
  | { readonly type: "drain-started"; readonly node: string; readonly by: string }
  | { readonly type: "drain-stalled"; readonly node: string; readonly blockedBy: readonly Refusal[] }
  | { readonly type: "drain-completed"; readonly node: string; readonly outcome: DrainOutcome }
  | { readonly type: "endpoint-down"; readonly endpoint: string; readonly hop: string; readonly because: string }
  | { readonly type: "endpoint-up"; readonly endpoint: string }
  | {
      readonly type: "endpoint-degraded";
      readonly endpoint: string;
      readonly capacity: number;
      readonly because: string;
    }
  | { readonly type: "rollout-stalled"; readonly ref: string; readonly message: string }
  | { readonly type: "scaled"; readonly ref: string; readonly from: number; readonly to: number; readonly by: string };

export interface TimelineEntry {
  readonly atMs: SimMs;
  readonly fact: Fact;
}
