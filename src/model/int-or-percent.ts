import type { IntOrPercent } from "./workload.ts";

/**
 * A number or percentage held against a total. Which way a percentage rounds is the caller's: budgets and surges round
 * up, a Deployment's maxUnavailable rounds down.
 * Mirrors: apimachinery pkg/util/intstr GetScaledValueFromIntOrPercent, 1.36 (the same double arithmetic).
 */
export function scaledValue(value: IntOrPercent, total: number, round: "up" | "down"): number {
  if (!value.percent) return value.value;
  const exact = (value.value * total) / 100;
  return round === "up" ? Math.ceil(exact) : Math.floor(exact);
}
