import type {
  Allocation,
  Device,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceTaintRule,
  ResourceSlice,
} from "../../../model/device.ts";
import type { Node } from "../../../model/node.ts";
import type { NodeSelectorTerm } from "../../../model/pod-template.ts";
import { type AllocatedState, type Amounts, type DeviceId, deviceId } from "./allocated-state.ts";
import { consumedCapacity, fitsCapacity } from "./capacity.ts";
import { deviceMatches } from "./cel/selector.ts";
import { type Constraint, constraintFrom, type Taking } from "./constraints.ts";
import { Counters } from "./counters.ts";
import type { Features } from "./features.ts";
import { gatherPools, isOn, type Pool } from "./pools.ts";
import { isTolerated, taintsOf } from "./taints.ts";

/** What has to be allocated. */
export interface Wanted {
  /** `namespace/name`. */
  readonly claim: string;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

export interface Inventory {
  readonly slices: readonly ResourceSlice[];
  readonly classes: ReadonlyMap<string, DeviceClass>;
  readonly taintRules: readonly DeviceTaintRule[];
  readonly state: AllocatedState;
  readonly features: Features;
}

export type Allocated =
  | {
      readonly result: "allocated";
      /** One for each claim, in their order. */
      readonly allocations: readonly Allocation[];
      /** A device the pod has to wait for before it is bound: somebody else must prepare it. Null: none. */
      readonly conditional: DeviceId | null;
    }
  | { readonly result: "impossible" }
  /** Nothing usable here, and a pool is broken. */
  | { readonly result: "invalidPools" }
  /** A claim, a class or a slice is wrong: the pod's cycle ends. */
  | { readonly result: "error"; readonly message: string }
  | { readonly result: "notModelled"; readonly message: string };

/**
 * Finds devices for claims on one node: the first solution of an exhaustive search in the order of claims, requests,
 * alternatives, pools, slices and devices.
 * Mirrors: dynamic-resource-allocation structured/internal/incubating allocator, Kubernetes 1.34 to 1.37.
 */
export function allocate(inventory: Inventory, node: Node, wanted: readonly Wanted[]): Allocated {
  return new Search(inventory, node, wanted).run();
}

/** A claim holds at most this many devices. */
const devicesMax = 32;

/** Upstream gives the search ten seconds. Beyond this many steps the answer is unknown here. */
const stepsMax = 200_000;

/** A request, or an alternative of one, with what was found out before the search. */
interface Ask {
  readonly request: DeviceRequest;
  readonly sub: DeviceSubRequest;
  readonly deviceClass: DeviceClass;
  /** How many devices it takes. */
  readonly count: number;
  /** All devices it takes, when it asks for all; null: any `count` of those that match. */
  readonly all: readonly Candidate[] | null;
  /** Device → does it match class, request and node. */
  readonly selectable: Map<Device, boolean>;
}

interface Candidate {
  readonly id: DeviceId;
  readonly device: Device;
  readonly slice: ResourceSlice;
  readonly pool: Pool;
}

interface Position {
  readonly claim: number;
  readonly request: number;
  readonly alternative: number;
  readonly device: number;
}

/** Where in the pools to go on looking. */
interface Location {
  readonly pool: number;
  readonly slice: number;
  readonly device: number;
}

type Outcome =
  | "done"
  | "no"
  /** This way a claim would hold too many devices. */
  | "tooMany"
  /** The reason is in `#stopped`. */
  | "stop";

const start: Location = { pool: 0, slice: 0, device: 0 };

interface Taken extends Candidate {
  readonly request: string;
  readonly adminAccess: boolean;
  readonly consumed: Amounts;
}

class Search {
  readonly #inventory: Inventory;
  readonly #node: Node;
  readonly #wanted: readonly Wanted[];
  readonly #counters: Counters;
  readonly #asks: (readonly (readonly Ask[])[])[] = [];
  readonly #constraints: (readonly Constraint[])[] = [];
  readonly #taken: Taken[][];
  /** Device → claims the search gives it to. */
  readonly #inUse = new Map<DeviceId, Set<number>>();
  /** Shared device → what each share the search has made of it consumes. */
  readonly #shares = new Map<DeviceId, Amounts[]>();
  #pools: readonly Pool[] = [];
  #steps = 0;
  #stopped: Allocated | null = null;

  constructor(inventory: Inventory, node: Node, wanted: readonly Wanted[]) {
    this.#inventory = inventory;
    this.#node = node;
    this.#wanted = wanted;
    this.#counters = new Counters(inventory.state);
    this.#taken = wanted.map(() => []);
  }

  run(): Allocated {
    this.#pools = gatherPools(this.#inventory.slices, this.#node, this.#inventory.features);
    for (const wanted of this.#wanted) {
      if (!this.#prepare(wanted)) return this.#stopped ?? { result: "impossible" };
    }
    const outcome = this.#next({ claim: 0, request: 0, alternative: 0, device: 0 }, false, start);
    if (this.#stopped !== null) return this.#stopped;
    if (outcome === "tooMany") return { result: "error", message: "allocation max size exceeded" };
    if (outcome === "done") {
      const conditional = this.#taken.flat().find(({ device }) => device.bindingConditions.length > 0);
      const allocations = this.#taken.map((one) => this.#allocation(one));
      return { result: "allocated", allocations, conditional: conditional?.id ?? null };
    }
    const broken = this.#inventory.features.checksPools && this.#pools.some(({ invalid }) => invalid !== null);
    return { result: broken ? "invalidPools" : "impossible" };
  }

  /** Looks at a claim before the search; false: it was stopped. */
  #prepare(wanted: Wanted): boolean {
    const asks: (readonly Ask[])[] = [];
    let least = 0;
    for (const request of wanted.requests) {
      const alternatives: Ask[] = [];
      const known = request.alternatives.map(() => new Map<Device, boolean>());
      for (const [index, sub] of request.alternatives.entries()) {
        const before = this.#inventory.features.confusesAlternatives ? Math.max(0, index - 1) : index;
        const ask = this.#ask(wanted, { request, sub, selectable: known[before] ?? new Map() });
        if (ask === null) return false;
        alternatives.push(ask);
      }
      const more = Math.min(...alternatives.map(({ count }) => count));
      if (this.#inventory.features.newAllocator && least + more > devicesMax) {
        const limit = `adding ${more} devices exceeds the claim limit of ${devicesMax}, with ${least} already accounted for`;
        this.#fail(`claim ${wanted.claim}, request ${request.name}: ${limit}`);
        return false;
      }
      least += more;
      asks.push(alternatives);
    }
    if (least > devicesMax) {
      const message = `claim ${wanted.claim}: number of requested devices ${least} exceeds the claim limit of ${devicesMax}`;
      this.#fail(message);
      return false;
    }
    const constraints: Constraint[] = [];
    for (const [index, one] of wanted.constraints.entries()) {
      const constraint = constraintFrom(one, this.#inventory.features);
      if (constraint === null) {
        this.#fail(`claim ${wanted.claim}, constraint #${index}: empty constraint (unsupported constraint type?)`);
        return false;
      }
      constraints.push(constraint);
    }
    this.#asks.push(asks);
    this.#constraints.push(constraints);
    return true;
  }

  #ask(wanted: Wanted, { request, sub, selectable }: Pick<Ask, "request" | "sub" | "selectable">): Ask | null {
    const where = `claim ${wanted.claim}, request ${sub.name === "" ? request.name : sub.name}`;
    const deviceClass = this.#inventory.classes.get(sub.deviceClassName);
    if (deviceClass === undefined) {
      const missing = `deviceclass.resource.k8s.io "${sub.deviceClassName}" not found`;
      this.#fail(`${where}: could not retrieve device class ${sub.deviceClassName}: ${missing}`);
      return null;
    }
    if (sub.capacityRequests.size > 0 && !this.#inventory.features.consumableCapacity) {
      this.#fail(`${where}: has capacity requests, but the DRAConsumableCapacity feature is disabled`);
      return null;
    }
    const ask = { request, sub, deviceClass, count: sub.count, all: null, selectable };
    if (sub.allocationMode === "ExactCount") return { ...ask, selectable: new Map() };
    const all: Candidate[] = [];
    for (const pool of this.#pools) {
      const state = pool.incomplete ? "being updated" : pool.invalid !== null ? "invalid" : null;
      if (state !== null) {
        const id = `${pool.driver}/${pool.name}`;
        this.#fail(`${where}: asks for all devices, but resource pool ${id} is currently ${state}`);
        return null;
      }
      for (const candidate of candidates(pool)) {
        const matches = this.#isSelectable(wanted.claim, ask, candidate);
        if (matches === null) return null;
        // From 1.37 on devices without enough capacity left stay in, and make the request fail.
        const used = this.#inventory.features.newAllocator ? [] : this.#used(candidate.id);
        if (matches && this.#fits(ask, candidate, used)) all.push(candidate);
      }
    }
    return { ...ask, count: all.length, all, selectable: new Map() };
  }

  /** One step: the device at this position, or what comes after it. */
  #next(at: Position, inAlternative: boolean, from: Location): Outcome {
    this.#steps += 1;
    if (this.#steps > stepsMax) {
      return this.#halt({ result: "notModelled", message: "the search for devices takes too many steps" });
    }
    const requests = this.#asks[at.claim];
    if (requests === undefined) return "done";
    const alternatives = requests[at.request];
    if (alternatives === undefined) {
      const outcome = this.#next({ claim: at.claim + 1, request: 0, alternative: 0, device: 0 }, false, start);
      return outcome === "tooMany" ? "no" : outcome;
    }
    if (!inAlternative && alternatives[0]?.request.isFirstAvailable === true) {
      return this.#firstAvailable(at, alternatives.length);
    }
    const ask = alternatives[at.alternative];
    if (ask === undefined || ask.all?.length === 0) return "no";
    if (at.device >= ask.count) {
      return this.#next({ claim: at.claim, request: at.request + 1, alternative: 0, device: 0 }, false, start);
    }
    const held = this.#taken[at.claim]?.length ?? 0;
    if (held + ask.count - at.device > devicesMax) return "tooMany";
    return ask.all === null ? this.#any(at, ask, inAlternative, from) : this.#exactly(at, ask, ask.all, inAlternative);
  }

  #firstAvailable(at: Position, count: number): Outcome {
    let allTooMany = true;
    for (let alternative = 0; alternative < count; alternative += 1) {
      const outcome = this.#next({ ...at, alternative }, true, start);
      if (outcome === "tooMany") continue;
      allTooMany = false;
      if (outcome !== "no") return outcome;
    }
    return allTooMany ? "tooMany" : "no";
  }

  /** The next of all devices: there is no choice. */
  #exactly(at: Position, ask: Ask, all: readonly Candidate[], inAlternative: boolean): Outcome {
    const candidate = all[at.device];
    if (candidate === undefined) return "no";
    const undo = this.#take(at, ask, candidate, true);
    if (undo === null) return this.#stopped === null ? "no" : "stop";
    const alternative = this.#inventory.features.confusesAlternatives ? 0 : at.alternative;
    const outcome = this.#next({ ...at, alternative, device: at.device + 1 }, inAlternative, start);
    if (outcome !== "done") undo();
    return outcome;
  }

  /** Any device at or after a location: the order of devices within a request does not matter. */
  #any(at: Position, ask: Ask, inAlternative: boolean, from: Location): Outcome {
    for (let poolIndex = from.pool; poolIndex < this.#pools.length; poolIndex += 1) {
      const pool = this.#pools[poolIndex];
      if (pool === undefined) continue;
      if (this.#inventory.features.checksPools && (pool.incomplete || pool.invalid !== null)) continue;
      if (pool.invalid !== null) return this.#fail(`pool ${pool.name} is invalid: ${pool.invalid}`);
      const samePool = poolIndex === from.pool;
      for (let sliceIndex = samePool ? from.slice : 0; sliceIndex < pool.slices.length; sliceIndex += 1) {
        const slice = pool.slices[sliceIndex];
        if (slice === undefined) continue;
        const first = samePool && sliceIndex === from.slice ? from.device : 0;
        for (let index = first; index < slice.devices.length; index += 1) {
          const device = slice.devices[index];
          if (device === undefined) continue;
          const candidate = { id: deviceId(pool.driver, pool.name, device.name), device, slice, pool };
          const next: Location = { pool: poolIndex, slice: sliceIndex, device: index + 1 };
          const outcome = this.#try(at, ask, candidate, { inAlternative, next });
          if (outcome !== "no") return outcome;
        }
      }
    }
    return "no";
  }

  #try(
    at: Position,
    ask: Ask,
    candidate: Candidate,
    { inAlternative, next }: { readonly inAlternative: boolean; readonly next: Location },
  ): Outcome {
    const { adminAccess } = ask.sub;
    if (adminAccess ? this.#isTaken(candidate.id, at.claim) : this.#isInUse(candidate.id)) return "no";
    const claim = this.#wanted[at.claim]?.claim ?? "";
    const matches = this.#isSelectable(claim, ask, candidate);
    if (matches === null) return "stop";
    if (!matches || !this.#fits(ask, candidate, this.#used(candidate.id))) return "no";
    const undo = this.#take(at, ask, candidate, false);
    if (undo === null) return this.#stopped === null ? "no" : "stop";
    // 1.34 and 1.35 look at all devices again for the next one of a request: they find the same ones.
    const outcome = this.#next({ ...at, device: at.device + 1 }, inAlternative, next);
    if (outcome !== "done") undo();
    return outcome;
  }

  /** Null: it was stopped. */
  #isSelectable(claim: string, ask: Ask, { device, slice }: Candidate): boolean | null {
    if (!this.#inventory.features.bindingConditions && device.bindingConditions.length > 0) return false;
    const known = ask.selectable.get(device);
    if (known !== undefined) return known;
    const ofClass = this.#match(`class ${ask.deviceClass.name}`, ask.deviceClass.selectors, slice, device);
    if (ofClass === null) return null;
    const ofRequest = ofClass && this.#match(`claim ${claim}`, ask.sub.selectors, slice, device);
    if (ofRequest === null) return null;
    const selectable = ofRequest && (!slice.perDeviceNodeSelection || isOn(device, this.#node));
    ask.selectable.set(device, selectable);
    return selectable;
  }

  #match(whose: string, selectors: readonly string[], slice: ResourceSlice, device: Device): boolean | null {
    for (const [index, expression] of selectors.entries()) {
      const answer = deviceMatches(expression, slice.driver, device);
      if (answer.match === "no") return false;
      if (answer.match === "yes") continue;
      const on = this.#inventory.features.newAllocator
        ? ` on device ${deviceId(slice.driver, slice.pool.name, device.name)}`
        : "";
      if (answer.match === "error")
        this.#fail(
          `${whose}: selector #${index}${on}: CEL runtime error: ${answer.message}${on === "" ? "" : hint(answer.message)}`,
        );
      else this.#halt({ result: "notModelled", message: `${whose}: selector #${index}: ${answer.message}` });
      return null;
    }
    return true;
  }

  #fits(ask: Ask, { device }: Candidate, used: readonly Amounts[]): boolean {
    return !this.#inventory.features.consumableCapacity || fitsCapacity(device, ask.sub.capacityRequests, used);
  }

  #used(id: DeviceId): readonly Amounts[] {
    const before = this.#inventory.state.shared.get(id);
    return [...(before === undefined ? [] : [before]), ...(this.#shares.get(id) ?? [])];
  }

  /** Takes a device for a request. Null: it cannot be had. Else how to give it back. */
  #take(at: Position, ask: Ask, candidate: Candidate, must: boolean): (() => void) | null {
    const { features } = this.#inventory;
    const { id, device, pool, slice } = candidate;
    const { sub, request } = ask;
    const shared = features.consumableCapacity && device.allowMultipleAllocations;
    if (sub.adminAccess ? !shared && this.#isTaken(id, at.claim) : this.#isInUse(id)) return null;
    const undo: (() => void)[] = [];
    const giveUp = (): null => {
      for (const step of undo.reverse()) step();
      return null;
    };
    if (device.consumesCounters.length > 0) {
      if (!features.partitionableDevices) return null;
      const alreadyCounted = shared && (this.#inventory.state.shared.has(id) || this.#shares.has(id));
      if (!alreadyCounted) {
        if (!this.#counters.take(pool, device)) return null;
        undo.push(() => this.#counters.giveBack(pool, device));
      }
    }
    if (features.deviceTaints) {
      const taints = taintsOf(slice, device, features.deviceTaintRules ? this.#inventory.taintRules : []);
      if (taints.some((taint) => !isTolerated(taint, sub.tolerations))) return giveUp();
    }
    const taking: Taking = { request: request.name, alternative: sub.name, driver: slice.driver, device };
    for (const constraint of this.#constraints[at.claim] ?? []) {
      if (!constraint.add(taking)) {
        const claim = this.#wanted[at.claim]?.claim ?? "";
        const name = sub.name === "" ? request.name : sub.name;
        const why = `claim ${claim}, request ${name}: cannot add device ${id} because a claim constraint would not be satisfied`;
        if (must) this.#fail(why);
        return giveUp();
      }
      undo.push(() => constraint.remove(taking));
    }
    if (!this.#fits(ask, candidate, this.#used(id))) return giveUp();
    const consumed: Amounts = shared ? consumedCapacity(device, sub.capacityRequests) : new Map();
    if (shared) undo.push(this.#share(id, consumed));
    else undo.push(this.#use(id, at.claim));
    const name = sub.name === "" ? request.name : `${request.name}/${sub.name}`;
    this.#taken[at.claim]?.push({ ...candidate, request: name, adminAccess: sub.adminAccess, consumed });
    undo.push(() => this.#taken[at.claim]?.pop());
    return () => {
      giveUp();
    };
  }

  #share(id: DeviceId, consumed: Amounts): () => void {
    const shares = this.#shares.get(id) ?? [];
    this.#shares.set(id, [...shares, consumed]);
    return () => {
      if (shares.length === 0) this.#shares.delete(id);
      else this.#shares.set(id, shares);
    };
  }

  #use(id: DeviceId, claim: number): () => void {
    const claims = this.#inUse.get(id) ?? new Set<number>();
    this.#inUse.set(id, claims.add(claim));
    return () => claims.delete(claim);
  }

  #isTaken(id: DeviceId, claim: number): boolean {
    return this.#inUse.get(id)?.has(claim) === true;
  }

  #isInUse(id: DeviceId): boolean {
    return this.#inventory.state.devices.has(id) || (this.#inUse.get(id)?.size ?? 0) > 0;
  }

  #allocation(taken: readonly Taken[]): Allocation {
    return {
      results: taken.map(({ request, pool, device, adminAccess, consumed }) => ({
        request,
        driver: pool.driver,
        pool: pool.name,
        device: device.name,
        adminAccess,
        consumedCapacity: consumed,
      })),
      nodeSelector: nodeSelectorOf(taken, this.#node),
    };
  }

  #fail(message: string): "stop" {
    return this.#halt({ result: "error", message });
  }

  #halt(why: Allocated): "stop" {
    this.#stopped ??= why;
    return "stop";
  }
}

/** Said from 1.37 on. */
function hint(message: string): string {
  if (!message.includes("no such key:")) return "";
  return ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";
}

function* candidates(pool: Pool): Iterable<Candidate> {
  for (const slice of pool.slices) {
    for (const device of slice.devices) {
      yield { id: deviceId(pool.driver, pool.name, device.name), device, slice, pool };
    }
  }
}

/** Where the allocated devices can be used, all of them together. Null: everywhere. */
function nodeSelectorOf(taken: readonly Taken[], node: Node): readonly NodeSelectorTerm[] | null {
  const matchExpressions: NodeSelectorTerm["matchExpressions"][number][] = [];
  const matchFields: NodeSelectorTerm["matchFields"][number][] = [];
  for (const { slice, device } of taken) {
    const place = slice.perDeviceNodeSelection ? device : slice;
    if (place.nodeName !== null || device.bindsToNode) {
      return [{ matchExpressions: [], matchFields: [{ key: "metadata.name", operator: "In", values: [node.name] }] }];
    }
    const [term] = place.nodeSelector ?? [];
    matchExpressions.push(...(term?.matchExpressions ?? []));
    matchFields.push(...(term?.matchFields ?? []));
  }
  return matchExpressions.length + matchFields.length === 0 ? null : [{ matchExpressions, matchFields }];
}
