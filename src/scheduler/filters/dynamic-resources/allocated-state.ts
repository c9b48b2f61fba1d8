import type { ResourceSlice } from "../../../model/device.ts";
import type { ClusterView } from "../../../model/view.ts";
import type { Features } from "./features.ts";

/** `driver/pool/device`. */
export type DeviceId = string;

export function deviceId(driver: string, pool: string, device: string): DeviceId {
  return `${driver}/${pool}/${device}`;
}

/** Capacity name → amount. */
export type Amounts = ReadonlyMap<string, number>;

/** What claims hold already. */
export interface AllocatedState {
  /** Devices held by one claim alone. */
  readonly devices: ReadonlySet<DeviceId>;
  /** Devices that several claims may hold, of which at least one does → what they consume of it. */
  readonly shared: ReadonlyMap<DeviceId, Amounts>;
}

/**
 * Admin access holds nothing.
 * Mirrors: plugins/dynamicresources/allocateddevices.go, Kubernetes 1.34 to 1.37. A shared allocation is known there by its
 * share id; here by the device, or by what it consumes.
 */
export function allocatedState(view: ClusterView, features: Features): AllocatedState {
  const devices = new Set<DeviceId>();
  const shared = new Map<DeviceId, Map<string, number>>();
  const sharable = features.consumableCapacity ? sharableDevices(view.cluster.devices.slices) : new Set<DeviceId>();
  for (const claim of view.resourceClaims) {
    for (const result of claim.allocation?.results ?? []) {
      if (result.adminAccess) continue;
      const id = deviceId(result.driver, result.pool, result.device);
      const isShared = features.consumableCapacity && (result.consumedCapacity.size > 0 || sharable.has(id));
      if (!isShared) {
        devices.add(id);
        continue;
      }
      const used = shared.get(id) ?? new Map<string, number>();
      for (const [name, amount] of result.consumedCapacity) used.set(name, (used.get(name) ?? 0) + amount);
      shared.set(id, used);
    }
  }
  return { devices, shared };
}

const sharableBySlices = new WeakMap<readonly ResourceSlice[], ReadonlySet<DeviceId>>();

function sharableDevices(slices: readonly ResourceSlice[]): ReadonlySet<DeviceId> {
  const known = sharableBySlices.get(slices);
  if (known !== undefined) return known;
  const found = new Set<DeviceId>();
  for (const slice of slices) {
    for (const device of slice.devices) {
      if (device.allowMultipleAllocations) found.add(deviceId(slice.driver, slice.pool.name, device.name));
    }
  }
  sharableBySlices.set(slices, found);
  return found;
}
