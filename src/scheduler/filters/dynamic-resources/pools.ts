import { byCodeUnit } from "../../../base/ordering.ts";
import type { CounterSet, Device, ResourceSlice } from "../../../model/device.ts";
import type { Node } from "../../../model/node.ts";
import { matchesAnyTerm } from "../../../model/node-selector.ts";
import type { Features } from "./features.ts";

/** Devices a driver publishes together, as far as one node can use them. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  /** Not all slices are there: the driver is still writing them. */
  readonly incomplete: boolean;
  /** Why its content contradicts itself; null: it does not. */
  readonly invalid: string | null;
  readonly slices: readonly ResourceSlice[];
  /** Slices of the pool for other nodes: their devices may use up the same counters. */
  readonly elsewhere: readonly ResourceSlice[];
  readonly counterSets: ReadonlyMap<string, CounterSet>;
}

/**
 * Pools with devices a node can use, in the order they are tried: by driver and name, those with binding conditions last.
 * Mirrors: dynamic-resource-allocation structured/internal GatherPools, Kubernetes 1.34 to 1.37. Before 1.35 pools and slices
 * come in random order upstream.
 */
export function gatherPools(slices: readonly ResourceSlice[], node: Node, features: Features): readonly Pool[] {
  const { shared, onNode, inPool } = indexOf(slices);
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of [...(onNode.get(node.name) ?? []), ...shared]) {
    if (!features.partitionableDevices) {
      if (slice.perDeviceNodeSelection || (features.checksPools && slice.sharedCounters.length > 0)) continue;
    }
    if (isRelevant(slice, node, features)) addSlice(byPool, slice);
  }
  const pools = [...byPool.values()].flatMap((own) => {
    const pool = poolOf(own, inPool, features);
    return pool === null ? [] : [pool];
  });
  const byId = (a: Pool, b: Pool): number => byCodeUnit(a.driver, b.driver) || byCodeUnit(a.name, b.name);
  const [later, first] = [pools.filter(hasBindingConditions), pools.filter((pool) => !hasBindingConditions(pool))];
  return [...first.sort(byId), ...later.sort(byId)];
}

interface Index {
  /** Slices not written for one node. */
  readonly shared: readonly ResourceSlice[];
  readonly onNode: ReadonlyMap<string, readonly ResourceSlice[]>;
  /** By driver and pool, all generations. */
  readonly inPool: ReadonlyMap<string, readonly ResourceSlice[]>;
}

const indexes = new WeakMap<readonly ResourceSlice[], Index>();

function indexOf(slices: readonly ResourceSlice[]): Index {
  const known = indexes.get(slices);
  if (known !== undefined) return known;
  const onNode = new Map<string, ResourceSlice[]>();
  const inPool = new Map<string, ResourceSlice[]>();
  const shared: ResourceSlice[] = [];
  const list = (map: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [slice]);
    else known.push(slice);
  };
  for (const slice of slices) {
    list(inPool, poolKey(slice), slice);
    if (slice.nodeName === null || slice.sharedCounters.length > 0) shared.push(slice);
    else list(onNode, slice.nodeName, slice);
  }
  const index = { shared, onNode, inPool };
  indexes.set(slices, index);
  return index;
}

function isRelevant(slice: ResourceSlice, node: Node, features: Features): boolean {
  if (features.partitionableDevices && !features.newAllocator && slice.sharedCounters.length > 0) return true;
  if (!slice.perDeviceNodeSelection) return isOn(slice, node);
  return slice.devices.some((device) => isOn(device, node));
}

/** Where a slice, or a device of a slice that leaves it to its devices, can be used. */
export function isOn(place: ResourceSlice | Device, node: Node): boolean {
  if (place.nodeName !== null && place.nodeName !== "") return place.nodeName === node.name;
  if (place.allNodes) return true;
  return place.nodeSelector !== null && matchesAnyTerm(place.nodeSelector, node);
}

function poolKey({ driver, pool }: ResourceSlice): string {
  return `${driver}/${pool.name}`;
}

/** Only the newest generation counts. */
function addSlice(byPool: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const key = poolKey(slice);
  const generation = byPool.get(key)?.[0]?.pool.generation;
  if (generation === undefined || slice.pool.generation > generation) byPool.set(key, [slice]);
  else if (slice.pool.generation === generation) byPool.get(key)?.push(slice);
}

/** Null: a newer generation is being written that has nothing for this node yet. */
function poolOf(own: readonly ResourceSlice[], inPool: Index["inPool"], features: Features): Pool | null {
  const [first] = own;
  if (first === undefined) return null;
  const empty = { driver: first.driver, name: first.pool.name, slices: [], elsewhere: [], counterSets: new Map() };
  if (!features.checksPools) {
    const invalid = duplicateName(own);
    return { ...empty, slices: sorted(own), incomplete: own.length !== first.pool.sliceCount, invalid };
  }
  let everySlice = own;
  if (own.length !== first.pool.sliceCount) {
    const samePool = inPool.get(poolKey(first)) ?? [];
    if (samePool.some(({ pool }) => pool.generation > first.pool.generation)) return null;
    everySlice = samePool.filter(({ pool }) => pool.generation === first.pool.generation);
    if (everySlice.length !== first.pool.sliceCount) return { ...empty, incomplete: true, invalid: null };
  }
  const built = build(own, everySlice, features);
  return typeof built === "string"
    ? { ...empty, incomplete: false, invalid: built }
    : { ...empty, incomplete: false, invalid: null, ...built };
}

/** A text is what contradicts itself. */
function build(
  own: readonly ResourceSlice[],
  all: readonly ResourceSlice[],
  features: Features,
): string | Pick<Pool, "slices" | "elsewhere" | "counterSets"> {
  const holdsCounters = (slice: ResourceSlice): boolean => slice.sharedCounters.length > 0;
  if (!features.partitionableDevices) {
    return duplicateName(own) ?? { slices: sorted(own), elsewhere: [], counterSets: new Map() };
  }
  const slices = sorted(own.filter((slice) => !holdsCounters(slice)));
  const others = all.filter((slice) => !own.includes(slice));
  const withCounters = (features.newAllocator ? [...own, ...others] : own).filter(holdsCounters);
  const elsewhere = others.filter((slice) => !features.newAllocator || !holdsCounters(slice));
  const counterSets = new Map<string, CounterSet>();
  for (const set of withCounters.flatMap((slice) => slice.sharedCounters)) {
    if (counterSets.has(set.name)) return `duplicate counter set name ${set.name}`;
    counterSets.set(set.name, set);
  }
  const contradiction =
    duplicateName(slices) ?? unknownCounter(slices, counterSets) ?? unknownCounter(elsewhere, counterSets);
  return contradiction ?? { slices, elsewhere, counterSets };
}

function sorted(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  return [...slices].sort((a, b) => byCodeUnit(a.name, b.name));
}

function duplicateName(slices: readonly ResourceSlice[]): string | null {
  const names = new Set<string>();
  for (const { name } of slices.flatMap((slice) => slice.devices)) {
    if (names.has(name)) return `duplicate device name ${name}`;
    names.add(name);
  }
  return null;
}

function unknownCounter(slices: readonly ResourceSlice[], sets: ReadonlyMap<string, CounterSet>): string | null {
  for (const { consumesCounters } of slices.flatMap((slice) => slice.devices)) {
    for (const { counterSet, counters } of consumesCounters) {
      const set = sets.get(counterSet);
      if (set === undefined) return `counter set ${counterSet} not found`;
      for (const name of counters.keys()) {
        if (!set.counters.has(name)) return `counter ${name} not found in counter set ${counterSet}`;
      }
    }
  }
  return null;
}

function hasBindingConditions(pool: Pool): boolean {
  return pool.slices.some((slice) => slice.devices.some((device) => device.bindingConditions.length > 0));
}
