import type { DeviceClass, ResourceClaim } from "../../../model/device.ts";
import type { Cycle } from "../../framework.ts";
import type { Allocated } from "./allocator.ts";

/** What one cycle knows, for the filter, the score and the post filter. */
export interface Work {
  readonly claims: readonly ResourceClaim[];
  /** Extended resources devices may stand for. */
  readonly extended: ReadonlyMap<string, DeviceClass>;
  /** Allocated claims that some node cannot reach. */
  readonly unavailable: Set<ResourceClaim>;
  /** Node → what was found there: an allocation for each claim that needs one, the one for extended resources last. */
  readonly found: Map<string, Extract<Allocated, { result: "allocated" }>>;
}

/** No entry: another filter ended the cycle first. */
const works = new WeakMap<Cycle, Work>();

export function workOf(cycle: Cycle): Work | undefined {
  return works.get(cycle);
}

/** The last one counts. */
export function setWork(cycle: Cycle, work: Work): void {
  works.set(cycle, work);
}
