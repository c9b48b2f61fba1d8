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

/** Of nothing more than there. */
export function isWithin(some: Resources, all: Resources): boolean {
  return (
    some.milliCpu <= all.milliCpu &&
    some.memoryBytes <= all.memoryBytes &&
    some.ephemeralStorageBytes <= all.ephemeralStorageBytes &&
    [...some.scalar].every(([name, amount]) => amount <= (all.scalar.get(name) ?? 0))
  );
}

/** The sum of what is asked for with one pod more, or one less. */
export function combine(sum: Resources, part: Resources, sign: 1 | -1): Resources {
  let scalar = sum.scalar;
  if (part.scalar.size > 0) {
    const next = new Map(sum.scalar);
    for (const [name, amount] of part.scalar) next.set(name, (next.get(name) ?? 0) + sign * amount);
    scalar = next;
  }
  return {
    milliCpu: sum.milliCpu + sign * part.milliCpu,
    memoryBytes: sum.memoryBytes + sign * part.memoryBytes,
    ephemeralStorageBytes: sum.ephemeralStorageBytes + sign * part.ephemeralStorageBytes,
    scalar,
  };
}
