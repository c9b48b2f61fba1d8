import type { Device, DeviceCapacity } from "../../../model/device.ts";
import { parseQuantity, wholeUnits } from "../../../model/quantity.ts";
import type { Amounts } from "./allocated-state.ts";

/**
 * How much of a device's capacity a request takes, and whether that much is left.
 * Mirrors: dynamic-resource-allocation structured/internal consumable_capacity.go, Kubernetes 1.36 and 1.37, in whole units.
 */
export function fitsCapacity(device: Device, requested: Amounts, used: readonly Amounts[]): boolean {
  for (const name of requested.keys()) if (!device.capacity.has(name)) return false;
  for (const [name, capacity] of device.capacity) {
    const wanted = consumed(requested.get(name), capacity);
    if (violates(wanted, policyOf(capacity))) return false;
    const total = used.reduce((sum, amounts) => sum + (amounts.get(name) ?? 0), wanted);
    if (total > capacity.value) return false;
  }
  return true;
}

/** Capacity name → what the request takes of it: as asked, rounded up to what the device hands out; unasked: the default. */
export function consumedCapacity(device: Device, requested: Amounts): Amounts {
  return new Map([...device.capacity].map(([name, capacity]) => [name, consumed(requested.get(name), capacity)]));
}

interface Policy {
  readonly byDefault: number | null;
  /** Ascending. */
  readonly validValues: readonly number[];
  readonly range: { readonly min: number | null; readonly max: number | null; readonly step: number | null } | null;
}

function consumed(requested: number | undefined, capacity: DeviceCapacity): number {
  const policy = policyOf(capacity);
  if (requested === undefined) return policy?.byDefault ?? capacity.value;
  if (policy === null) return requested;
  const { range, validValues } = policy;
  if (range !== null && range.min !== null) {
    if (requested < range.min) return range.min;
    if (range.step === null) return requested;
    return range.min + Math.ceil((requested - range.min) / range.step) * range.step;
  }
  return validValues.find((value) => requested <= value) ?? requested;
}

function violates(wanted: number, policy: Policy | null): boolean {
  if (policy === null || wanted === policy.byDefault) return false;
  const { range, validValues } = policy;
  if (range !== null) {
    if (range.max !== null && wanted > range.max) return true;
    return range.step !== null && (wanted - (range.min ?? 0)) % range.step !== 0;
  }
  return validValues.length > 0 && !validValues.includes(wanted);
}

function policyOf({ requestPolicy }: DeviceCapacity): Policy | null {
  if (!isObject(requestPolicy)) return null;
  const { default: byDefault, validValues, validRange } = requestPolicy;
  const values = Array.isArray(validValues) ? validValues.map(amountOf).filter((value) => value !== null) : [];
  const range = isObject(validRange)
    ? { min: amountOf(validRange["min"]), max: amountOf(validRange["max"]), step: amountOf(validRange["step"]) }
    : null;
  return { byDefault: amountOf(byDefault), validValues: values, range };
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function amountOf(value: unknown): number | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const quantity = parseQuantity(String(value));
  return quantity === null ? null : wholeUnits(quantity);
}
