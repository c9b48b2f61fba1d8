import type { Device } from "../../../model/device.ts";
import { type AllocatedState, deviceId } from "./allocated-state.ts";
import type { Pool } from "./pools.ts";

/**
 * What is left of the counters partitions of a device share. A pool's counters less what its allocated devices consume, less
 * what the search has taken so far.
 * Mirrors: dynamic-resource-allocation structured/internal checkAvailableCounters, Kubernetes 1.36 and 1.37.
 */
export class Counters {
  readonly #state: AllocatedState;
  /** Pool → `set/counter` → left. Filled when a pool is first asked for. */
  readonly #left = new Map<Pool, Map<string, number>>();

  constructor(state: AllocatedState) {
    this.#state = state;
  }

  /** False: some counter of the pool would fall below zero; then nothing is taken. */
  take(pool: Pool, device: Device): boolean {
    const left = this.#leftOf(pool);
    this.#add(left, device, -1);
    if ([...left.values()].every((amount) => amount >= 0)) return true;
    this.#add(left, device, 1);
    return false;
  }

  giveBack(pool: Pool, device: Device): void {
    this.#add(this.#leftOf(pool), device, 1);
  }

  #leftOf(pool: Pool): Map<string, number> {
    const known = this.#left.get(pool);
    if (known !== undefined) return known;
    const left = new Map<string, number>();
    for (const { name, counters } of pool.counterSets.values()) {
      for (const [counter, amount] of counters) left.set(`${name}/${counter}`, amount);
    }
    for (const slice of [...pool.slices, ...pool.elsewhere]) {
      for (const device of slice.devices) {
        const id = deviceId(pool.driver, pool.name, device.name);
        if (this.#state.devices.has(id) || this.#state.shared.has(id)) this.#add(left, device, -1);
      }
    }
    this.#left.set(pool, left);
    return left;
  }

  #add(left: Map<string, number>, device: Device, sign: 1 | -1): void {
    for (const { counterSet, counters } of device.consumesCounters) {
      for (const [counter, amount] of counters) {
        const key = `${counterSet}/${counter}`;
        const before = left.get(key);
        if (before !== undefined) left.set(key, before + sign * amount);
      }
    }
  }
}
