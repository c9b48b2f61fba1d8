import type { SimMs } from "../base/units.ts";
import type { ObjectKey } from "../model/key.ts";
import type { ControllerMemory, Effect } from "../model/view.ts";

/** A controller that could not create its pods waits longer after each try. */
export interface BackOff extends ControllerMemory {
  readonly kind: "back-off";
  readonly failures: number;
  readonly retryAtMs: SimMs;
  /** What its pods looked like at the failed try: any change of them is a reason to try at once. */
  readonly seen: string;
  readonly message: string;
}

export interface Refusal {
  readonly workload: ObjectKey;
  readonly before: BackOff | null;
  readonly seen: string;
  /** The event's text: begins as the controller's own events do. */
  readonly message: string;
  readonly nowMs: SimMs;
}

/**
 * A refused pod is reported when the text is new; the tries go on, further and further apart: 5 ms, doubled with each
 * failure in a row, at most 1000 s.
 * Mirrors: client-go util/workqueue DefaultTypedControllerRateLimiter, v0.36.3.
 */
export function refused({ workload, before, seen, message, nowMs }: Refusal): {
  readonly backOff: BackOff;
  readonly effects: readonly Effect[];
} {
  const failures = (before?.failures ?? 0) + 1;
  const retryAtMs = nowMs + Math.min(5 * 2 ** (failures - 1), 1_000_000);
  const report: Effect = { do: "report", type: "pod-rejected", ref: workload, message };
  const wake: Effect = { do: "wake", workload, atMs: retryAtMs };
  return {
    backOff: { kind: "back-off", failures, retryAtMs, seen, message },
    effects: before?.message === message ? [wake] : [report, wake],
  };
}

/** True: not yet time to try again. */
export function holdsOff(backOff: BackOff | null, seen: string, nowMs: SimMs): boolean {
  return backOff !== null && backOff.seen === seen && nowMs < backOff.retryAtMs;
}

export function asBackOff(memory: ControllerMemory | null): BackOff | null {
  return isBackOff(memory) ? memory : null;
}

function isBackOff(memory: ControllerMemory | null): memory is BackOff {
  return memory?.kind === "back-off";
}
