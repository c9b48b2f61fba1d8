import type { Bytes, MilliCpu } from "../base/units.ts";

/**
 * Amounts of resources, as the scheduler counts them: CPU in milli, everything else in whole units, rounded up.
 * `scalar` holds extended resources, hugepages and attachable volumes by full name (`nvidia.com/gpu`).
 */
export interface Resources {
  readonly milliCpu: MilliCpu;
  readonly memoryBytes: Bytes;
  readonly ephemeralStorageBytes: Bytes;
  readonly scalar: ReadonlyMap<string, number>;
}

export const noResources: Resources = {
  milliCpu: 0,
  memoryBytes: 0,
  ephemeralStorageBytes: 0,
  scalar: new Map(),
};

/** The same amounts of everything. */
export function sameResources(a: Resources, b: Resources): boolean {
  if (a === b) return true;
  const { scalar } = a;
  return (
    a.milliCpu === b.milliCpu &&
    a.memoryBytes === b.memoryBytes &&
    a.ephemeralStorageBytes === b.ephemeralStorageBytes &&
    scalar.size === b.scalar.size &&
    [...scalar].every(([name, amount]) => b.scalar.get(name) === amount)
  );
}
