import type { Allocation, DeviceClass, ResourceClaim } from "../../../model/device.ts";
import { objectKey } from "../../../model/key.ts";
import { matchesAnyTerm } from "../../../model/node-selector.ts";
import type { Effect, NodeView, PodView } from "../../../model/view.ts";
import {
  type Cycle,
  checkNodes,
  type Filter,
  failed,
  type NodeCheck,
  type PreEnqueue,
  pass,
  rejectAll,
  rejectForGood,
  skip,
  type Verdict,
} from "../../framework.ts";
import { notModelledPrefix } from "../../result.ts";
import { allocatedState } from "./allocated-state.ts";
import { allocate, type Inventory, type Wanted } from "./allocator.ts";
import { delegatedResources, needOn, requestsFor } from "./extended-resources.ts";
import { featuresOf } from "./features.ts";
import { claimKey, podClaims } from "./pod-claims.ts";
import { setWork, type Work } from "./work.ts";

const messages = {
  classMissing: (request: string, deviceClass: string) =>
    `request ${request}: device class ${deviceClass} does not exist`,
  unavailable: "resourceclaim not available on the node",
  cannotAllocate: "cannot allocate all claims",
  invalidPools: "invalid resource pools were encountered",
  cannotFit: "cannot fit resource",
  /** Ours: the scheduler binds the pod once a controller of the driver has said that the device is ready. */
  conditional: (device: string) => `the pod waits until device ${device} is prepared for it; how long is not known`,
} as const;

/**
 * A pod's resource claims: allocated ones hold it to the nodes where their devices are, the others need devices on the node.
 * Removing pods never helps: devices stay with their claims.
 * Mirrors: plugins/dynamicresources, Kubernetes 1.34 to 1.37, with the features on by default in each.
 */
export const dynamicResources = {
  name: "DynamicResources",
  messages,
  preEnqueue(view, pod) {
    const claims = podClaims(view, pod);
    return claims.ready ? null : rejectForGood(claims.why);
  },
  prepare(cycle) {
    const { view, pod, minor } = cycle;
    const work: Work = { claims: [], extended: new Map(), unavailable: new Set(), found: new Map() };
    setWork(cycle, work);
    const own = podClaims(view, pod);
    if (!own.ready) return rejectAll(rejectForGood(own.why));
    const { classes } = view.cluster.devices;
    const extended = featuresOf(minor).extendedResources ? delegatedResources(pod.template, classes) : new Map();
    if (own.claims.length === 0 && extended.size === 0) return skip;
    const missing = missingClass(own.claims, classes);
    if (missing !== null) return rejectAll(rejectForGood(missing));
    const ready: Work = { ...work, claims: own.claims, extended };
    setWork(cycle, ready);
    return checkNodes(new Claims(cycle, ready));
  },
} satisfies Filter & PreEnqueue & { messages: unknown };

function missingClass(claims: readonly ResourceClaim[], classes: ReadonlyMap<string, DeviceClass>): string | null {
  for (const { allocation, requests } of claims) {
    if (allocation !== null) continue;
    for (const { name, alternatives } of requests) {
      for (const alternative of alternatives) {
        if (classes.has(alternative.deviceClassName)) continue;
        const request = alternative.name === "" ? name : `${name}/${alternative.name}`;
        return messages.classMissing(request, alternative.deviceClassName);
      }
    }
  }
  return null;
}

class Claims implements NodeCheck {
  readonly #pod: PodView;
  readonly #work: Work;
  readonly #inventory: Inventory;
  readonly #hasWaiting: boolean;

  constructor({ view, pod, minor }: Cycle, work: Work) {
    const features = featuresOf(minor);
    const { slices, classes, taintRules } = view.cluster.devices;
    this.#pod = pod;
    this.#work = work;
    this.#hasWaiting = work.extended.size > 0 || work.claims.some(({ allocation }) => allocation === null);
    const state = this.#hasWaiting ? allocatedState(view, features) : { devices: new Set(""), shared: new Map() };
    this.#inventory = { slices, classes, taintRules, state, features };
  }

  filter(node: NodeView): Verdict {
    const { claims, extended, unavailable, found } = this.#work;
    let more: Wanted | null = null;
    if (extended.size > 0) {
      const needed = needOn(node, this.#pod.template, extended);
      if (needed.need === "cannotFit") return rejectForGood(messages.cannotFit);
      if (claims.length === 0 && needed.resources.size === 0) return pass;
      const requests = requestsFor(this.#pod.template, needed.resources);
      more = { claim: `${this.#pod.namespace}/<extended-resources>`, requests, constraints: [] };
    }
    const unreachable = claims.filter((claim) => !isReachable(claim, node));
    if (this.#hasWaiting) {
      const waiting = claims.filter(({ allocation }) => allocation === null).map(wanted);
      const allocated = allocate(this.#inventory, node.node, more === null ? waiting : [...waiting, more]);
      switch (allocated.result) {
        case "error":
          return failed(allocated.message);
        case "notModelled":
          return failed(`${notModelledPrefix}${allocated.message}`);
        case "invalidPools":
          return rejectForGood(messages.invalidPools);
        case "impossible":
          return rejectForGood(messages.cannotAllocate);
        case "allocated":
          if (unreachable.length === 0) {
            found.set(node.name, allocated);
          }
      }
    }
    for (const claim of unreachable) unavailable.add(claim);
    return unreachable.length === 0 ? pass : rejectForGood(messages.unavailable);
  }

  fork(): NodeCheck {
    return this;
  }

  podAdded(): void {}

  podRemoved(): void {}

  reserve(node: NodeView): readonly Effect[] {
    const { claims, extended, found } = this.#work;
    const here = found.get(node.name);
    const allocations = [...(here?.allocations ?? [])];
    const effects: Effect[] = [];
    const hold = (claim: string, allocation: Allocation): void => {
      effects.push({ do: "allocateClaim", claim, allocation, pod: this.#pod.key });
    };
    for (const claim of claims) {
      const allocation = claim.allocation ?? allocations.shift();
      if (allocation !== undefined) hold(claimKey(claim), allocation);
    }
    const [own] = allocations;
    if (extended.size > 0 && own !== undefined && own.results.length > 0) {
      hold(`${this.#pod.key}-extended-resources`, own);
    }
    if (here !== undefined && here.conditional !== null) {
      const ref = objectKey({ apiVersion: "v1", kind: "Pod", namespace: this.#pod.namespace, name: this.#pod.name });
      effects.push({ do: "report", type: "not-modelled", ref, message: messages.conditional(here.conditional) });
    }
    return effects;
  }
}

function isReachable({ allocation }: ResourceClaim, { node }: NodeView): boolean {
  return allocation === null || allocation.nodeSelector === null || matchesAnyTerm(allocation.nodeSelector, node);
}

function wanted(claim: ResourceClaim): Wanted {
  return { claim: claimKey(claim), requests: claim.requests, constraints: claim.constraints };
}
