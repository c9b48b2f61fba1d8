import type { SimMs } from "../base/units.ts";
import type { ControllerMemory } from "../model/view.ts";

/** A controller that could not create its pods waits longer after each try. */
export interface BackOff extends ControllerMemory {
  readonly kind: "back-off";
  readonly failures: number;
  readonly retryAtMs: SimMs;
  /** What its pods looked like at the failed try: any change of them is a reason to try at once. */
  readonly seen: string;
  readonly message: string;
}

/** 5 ms, doubled with each failure in a row, at most 1000 s: client-go's default rate limiter, v0.36.3. */
export function failedOnce(memory: ControllerMemory | null, seen: string, message: string, nowMs: SimMs): BackOff {
  const failures = isBackOff(memory) ? memory.failures + 1 : 1;
  const waitMs = Math.min(5 * 2 ** (failures - 1), 1_000_000);
  return { kind: "back-off", failures, retryAtMs: nowMs + waitMs, seen, message };
}

/** True: not yet time to try again. */
export function holdsOff(memory: ControllerMemory | null, seen: string, nowMs: SimMs): memory is BackOff {
  return isBackOff(memory) && memory.seen === seen && nowMs < memory.retryAtMs;
}

export function isBackOff(memory: ControllerMemory | null): memory is BackOff {
  return memory?.kind === "back-off";
}
