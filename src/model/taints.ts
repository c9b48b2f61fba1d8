import type { Taint, Toleration } from "./pod-template.ts";

/**
 * Mirrors: api core/v1 Toleration.ToleratesTaint, 1.34 to 1.37 with TaintTolerationComparisonOperators off, its default:
 * Gt and Lt tolerate nothing.
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== "" && toleration.effect !== taint.effect) return false;
  if (toleration.key !== "" && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return toleration.operator === "Equal" && toleration.value === taint.value;
}

export function toleratesAny(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

/** True: a NoSchedule or NoExecute taint keeps the pod away. */
export function repelled(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  return taints.some((taint) => taint.effect !== "PreferNoSchedule" && !toleratesAny(tolerations, taint));
}
