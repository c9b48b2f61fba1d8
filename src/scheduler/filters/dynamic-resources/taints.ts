import type { Device, DeviceTaint, DeviceTaintRule, ResourceSlice } from "../../../model/device.ts";
import type { Toleration } from "../../../model/pod-template.ts";

/**
 * Taints of a device that keep new claims away: its own and those of rules that select it. Other effects are ignored.
 * Mirrors: dynamic-resource-allocation resourceslice/tracker and resourceclaim/devicetoleration.go, Kubernetes 1.36 and 1.37.
 */
export function taintsOf(
  slice: ResourceSlice,
  device: Device,
  rules: readonly DeviceTaintRule[],
): readonly DeviceTaint[] {
  const ruled = rules.filter((rule) => selects(rule, slice, device)).map(({ taint }) => taint);
  return [...device.taints, ...ruled].filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
}

function selects(rule: DeviceTaintRule, slice: ResourceSlice, device: Device): boolean {
  const { hasSelector, driver, pool, device: name } = rule;
  return (
    hasSelector &&
    (driver === null || driver === slice.driver) &&
    (pool === null || pool === slice.pool.name) &&
    (name === null || name === device.name)
  );
}

export function isTolerated(taint: DeviceTaint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(
    ({ key, operator, value, effect }) =>
      (effect === "" || effect === taint.effect) &&
      (key === "" || key === taint.key) &&
      (operator === "Exists" || (operator === "Equal" && value === taint.value)),
  );
}
