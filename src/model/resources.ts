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
