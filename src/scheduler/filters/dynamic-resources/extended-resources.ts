import { byCodeUnit } from "../../../base/ordering.ts";
import type { DeviceClass, DeviceRequest, DeviceSubRequest } from "../../../model/device.ts";
import type { Container, PodTemplate } from "../../../model/pod-template.ts";
import type { NodeView } from "../../../model/view.ts";

const implicitPrefix = "deviceclass.resource.kubernetes.io/";

/** Resource name → class whose devices stand for it, for the resources a pod asks for. Empty: devices play no part. */
export function delegatedResources(
  template: PodTemplate,
  classes: ReadonlyMap<string, DeviceClass>,
): ReadonlyMap<string, DeviceClass> {
  const found = new Map<string, DeviceClass>();
  if (classes.size === 0) return found;
  for (const [name, amount] of template.requests.scalar) {
    const deviceClass = amount === 0 || !isExtended(name) ? null : classFor(name, classes);
    if (deviceClass !== null) found.set(name, deviceClass);
  }
  return found;
}

/** Upstream prefers the class made last; the input does not say, so the lowest name wins, which is its tie-breaker. */
function classFor(resource: string, classes: ReadonlyMap<string, DeviceClass>): DeviceClass | null {
  if (resource.startsWith(implicitPrefix)) return classes.get(resource.slice(implicitPrefix.length)) ?? null;
  const named = [...classes.values()].filter(({ extendedResourceName }) => extendedResourceName === resource);
  return named.sort((a, b) => byCodeUnit(a.name, b.name))[0] ?? null;
}

function isExtended(name: string): boolean {
  if (name.startsWith(implicitPrefix)) return true;
  return name.includes("/") && !/(^|\.)kubernetes\.io\//.test(name) && !name.startsWith("requests.");
}

export type NodeNeed =
  /** A resource neither a device plugin nor a driver provides there. */
  | { readonly need: "cannotFit" }
  /** Amounts the node's drivers must provide. May be empty. */
  | { readonly need: "devices"; readonly resources: ReadonlyMap<string, DeviceClass> };

/**
 * Which of the resources devices must provide on this node: those its device plugins have none of.
 * Mirrors: plugins/dynamicresources/extendeddynamicresources.go filterExtendedResources, Kubernetes 1.36 and 1.37.
 */
export function needOn(node: NodeView, template: PodTemplate, delegated: ReadonlyMap<string, DeviceClass>): NodeNeed {
  const resources = new Map<string, DeviceClass>();
  const { scalar } = node.node.allocatable;
  for (const [name, amount] of template.requests.scalar) {
    if (amount === 0 || !isExtended(name)) continue;
    const deviceClass = delegated.get(name);
    if (deviceClass !== undefined && (scalar.get(name) ?? 0) === 0) resources.set(name, deviceClass);
    else if (!scalar.has(name)) return { need: "cannotFit" };
  }
  return { need: "devices", resources };
}

/**
 * Requests for the containers' amounts. Init containers that end use the devices of the containers after them; only what they
 * need beyond that is asked for, once, for the largest of them.
 */
export function requestsFor(
  template: PodTemplate,
  resources: ReadonlyMap<string, DeviceClass>,
): readonly DeviceRequest[] {
  const containers = [...template.initContainers, ...template.containers];
  const isShort = (index: number): boolean =>
    index < template.initContainers.length && containers[index]?.sidecar === false;
  const requests: DeviceRequest[] = [];
  for (const [resource, deviceClass] of [...resources].sort(([a], [b]) => byCodeUnit(a, b))) {
    const amounts = containers.map((container) => container.requests.scalar.get(resource) ?? 0);
    const lasting = amounts.map((amount, index) => (isShort(index) ? 0 : amount));
    let largest: { index: number; count: number } | null = null;
    for (const [index, amount] of amounts.entries()) {
      if (!isShort(index) || amount === 0) continue;
      const count = amount - lasting.slice(index).reduce((sum, one) => sum + one, 0);
      if (count > 0 && (largest === null || count > largest.count)) largest = { index, count };
    }
    const add = (index: number, count: number): void => {
      const container = containers[index];
      if (container !== undefined) requests.push(request(nameOf(container, index, resource), deviceClass, count));
    };
    if (largest !== null) add(largest.index, largest.count);
    for (const [index, count] of lasting.entries()) if (count > 0) add(index, count);
  }
  return requests.sort((a, b) => byCodeUnit(a.name, b.name));
}

function request(name: string, deviceClass: DeviceClass, count: number): DeviceRequest {
  const alternative: DeviceSubRequest = {
    name: "",
    deviceClassName: deviceClass.name,
    selectors: [],
    allocationMode: "ExactCount",
    count,
    adminAccess: false,
    tolerations: [],
    capacityRequests: new Map<string, number>(),
  };
  return { name, alternatives: [alternative], isFirstAvailable: false };
}

/** Container and the resource's place among all the container asks for, by name. */
function nameOf(container: Container, index: number, resource: string): string {
  const { milliCpu, memoryBytes, ephemeralStorageBytes, scalar } = container.requests;
  const names = [...scalar.keys()];
  if (milliCpu > 0) names.push("cpu");
  if (memoryBytes > 0) names.push("memory");
  if (ephemeralStorageBytes > 0) names.push("ephemeral-storage");
  return `container-${index}-request-${names.sort(byCodeUnit).indexOf(resource)}`;
}
