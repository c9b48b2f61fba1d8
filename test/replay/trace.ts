/** A recording of a real control plane, as `rig/record/README.md` describes it; only what is compared. */
export interface Trace {
  readonly name: string;
  readonly kubernetes: string;
  readonly durationSeconds: number;
  readonly steps: readonly TraceStep[];
  readonly start: TraceState;
  readonly end: TraceState;
  readonly events: readonly TraceEvent[];
}

export interface TraceStep {
  readonly step: number;
  readonly do: string;
  readonly outcome: string;
  readonly drains?: readonly { readonly node: string; readonly outcome: string; readonly errors?: readonly string[] }[];
}

export interface TraceState {
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly pods: Readonly<Record<string, TracePod>>;
  readonly services: Readonly<Record<string, number>>;
  readonly budgets: Readonly<Record<string, TraceBudget>>;
  readonly deployments?: Readonly<Record<string, unknown>>;
}

export interface TracePod {
  readonly node?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly message?: string;
}

export interface TraceBudget {
  readonly allowed: number;
  readonly desired: number;
  readonly expected: number;
  readonly healthy: number;
  readonly reason?: string;
}

export type TraceEvent = { readonly seconds: number; readonly step: number } & (
  | {
      readonly type: "eviction";
      readonly pod: string;
      readonly code: number;
      readonly message?: string;
      readonly causes?: readonly { readonly message: string }[];
    }
  | { readonly type: "pod-created"; readonly pod: string; readonly owner: string }
  | { readonly type: "pod-rejected"; readonly object: string; readonly message: string }
  | { readonly type: "pod-bound"; readonly pod: string; readonly node: string }
  | { readonly type: "pod-unschedulable"; readonly pod: string; readonly message: string }
  | { readonly type: "pod-deleted"; readonly pod: string; readonly by: string; readonly reason?: string }
  | { readonly type: "endpoints"; readonly service: string; readonly ready: number }
  | { readonly type: "replicaset-created"; readonly [field: string]: unknown }
  | { readonly type: "scaled"; readonly ref: string; readonly from: number; readonly to: number }
);
