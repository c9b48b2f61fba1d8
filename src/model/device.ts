import type { Labels } from "./labels.ts";
import type { NodeSelectorTerm, Toleration } from "./pod-template.ts";

/** Dynamic resource allocation (resource.k8s.io/v1), as the DynamicResources plugin sees it. */
export interface Devices {
  readonly slices: readonly ResourceSlice[];
  readonly classes: ReadonlyMap<string, DeviceClass>;
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, ResourceClaim>;
  readonly claimTemplates: ReadonlyMap<string, ResourceClaimTemplate>;
  readonly taintRules: readonly DeviceTaintRule[];
}

export interface ResourceSlice {
  readonly name: string;
  readonly driver: string;
  readonly pool: { readonly name: string; readonly generation: number; readonly sliceCount: number };
  /** Exactly one of the four says where the devices are; perDevice: each device says it itself. */
  readonly nodeName: string | null;
  readonly allNodes: boolean;
  readonly nodeSelector: readonly NodeSelectorTerm[] | null;
  readonly perDeviceNodeSelection: boolean;
  readonly devices: readonly Device[];
  readonly sharedCounters: readonly CounterSet[];
}

export interface CounterSet {
  readonly name: string;
  readonly counters: ReadonlyMap<string, number>;
}

export interface Device {
  readonly name: string;
  /** Qualified or plain name → value, as written. */
  readonly attributes: ReadonlyMap<string, DeviceAttribute>;
  readonly capacity: ReadonlyMap<string, DeviceCapacity>;
  readonly consumesCounters: readonly { readonly counterSet: string; readonly counters: ReadonlyMap<string, number> }[];
  readonly nodeName: string | null;
  readonly nodeSelector: readonly NodeSelectorTerm[] | null;
  readonly allNodes: boolean;
  readonly taints: readonly DeviceTaint[];
  readonly allowMultipleAllocations: boolean;
  readonly bindsToNode: boolean;
  readonly bindingConditions: readonly string[];
}

export type DeviceAttribute =
  | { readonly type: "int"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "version"; readonly value: string };

export interface DeviceCapacity {
  readonly value: number;
  readonly requestPolicy: unknown;
}

export interface DeviceTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface DeviceClass {
  readonly name: string;
  /** CEL expressions, all must hold. */
  readonly selectors: readonly string[];
  readonly extendedResourceName: string | null;
}

export interface ResourceClaim {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Labels;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
  readonly allocation: Allocation | null;
  /** Pods that hold it, `namespace/name`. */
  readonly reservedFor: readonly string[];
  /** Owner pod of a claim made from a template; null: stands by itself. */
  readonly ownerPod: string | null;
  readonly deleting: boolean;
}

export interface ResourceClaimTemplate {
  readonly namespace: string;
  readonly name: string;
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly DeviceConstraint[];
}

/** One request; `firstAvailable` alternatives are tried in order, else `exactly` is the only one. */
export interface DeviceRequest {
  readonly name: string;
  readonly alternatives: readonly DeviceSubRequest[];
  readonly isFirstAvailable: boolean;
}

export interface DeviceSubRequest {
  /** "" for an exact request; the subrequest's name else. */
  readonly name: string;
  readonly deviceClassName: string;
  readonly selectors: readonly string[];
  readonly allocationMode: "ExactCount" | "All";
  readonly count: number;
  readonly adminAccess: boolean;
  readonly tolerations: readonly Toleration[];
  readonly capacityRequests: ReadonlyMap<string, number>;
}

export interface DeviceConstraint {
  /** Empty: all requests. */
  readonly requests: readonly string[];
  readonly matchAttribute: string | null;
  readonly distinctAttribute: string | null;
}

export interface Allocation {
  readonly results: readonly {
    readonly request: string;
    readonly driver: string;
    readonly pool: string;
    readonly device: string;
    readonly adminAccess: boolean;
    readonly consumedCapacity: ReadonlyMap<string, number>;
  }[];
  /** Null: usable on every node. */
  readonly nodeSelector: readonly NodeSelectorTerm[] | null;
}

export interface DeviceTaintRule {
  readonly name: string;
  /** False: the rule names no selector at all and selects nothing. A selector without fields selects every device. */
  readonly hasSelector: boolean;
  readonly driver: string | null;
  readonly pool: string | null;
  readonly device: string | null;
  readonly taint: DeviceTaint;
}
