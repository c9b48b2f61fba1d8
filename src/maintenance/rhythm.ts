import type { SimMs } from "../base/units.ts";
import type { Drain } from "./actor.ts";

/**
 * When a refused eviction is asked again: the next try after `nowMs`, for a pod first asked at `firstMs` in a drain that began
 * at `fromMs`. Tries come every `retryMs`; where they come in attempts, the last of one is followed by a pause.
 */
export function nextTryMs(
  { retryMs, attempts }: Pick<Drain, "retryMs" | "attempts">,
  { fromMs, firstMs, nowMs }: { readonly fromMs: SimMs; readonly firstMs: SimMs; readonly nowMs: SimMs },
): SimMs {
  if (retryMs <= 0) return nowMs;
  if (attempts === null) return after(firstMs, retryMs, nowMs);
  let startMs = fromMs;
  for (;;) {
    const endMs = startMs + attempts.lastMs;
    const tryMs = nowMs < startMs ? startMs : after(startMs, retryMs, nowMs);
    if (tryMs < endMs) return tryMs;
    const failing = endMs - fromMs > attempts.longAfterMs;
    startMs = endMs + (failing ? attempts.longPauseMs : attempts.pauseMs);
  }
}

/** The first beat after now. */
function after(firstMs: SimMs, everyMs: number, nowMs: SimMs): SimMs {
  return firstMs + (Math.floor((nowMs - firstMs) / everyMs) + 1) * everyMs;
}
