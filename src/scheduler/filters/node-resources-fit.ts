import { byCodeUnit } from "../../base/ordering.ts";
import type { Minor } from "../../model/cluster.ts";
import type { DeviceClass } from "../../model/device.ts";
import type { NodeView } from "../../model/view.ts";
import { checkNodes, type Filter, pass, perNode, rejectForGood, rejectForNow, type Verdict } from "../framework.ts";

const messages = {
  tooManyPods: "Too many pods",
  insufficient: (resource: string) => `Insufficient ${resource}`,
} as const;

/**
 * A node must have room for one more pod and for what the pod requests. All shortages are named, not only the first. When
 * the request is more than the whole node has, no preemption helps. An extended resource the node does not have but a
 * DeviceClass stands for is left to DynamicResources (1.36 on).
 * Mirrors: plugins/noderesources/fit.go, Kubernetes 1.34 to 1.37.
 */
export const nodeResourcesFit = {
  name: "NodeResourcesFit",
  messages,
  prepare({ pod, minor, view }) {
    const wanted = requestsOf(pod.template.requests, delegated(view.cluster.devices.classes, minor));
    return checkNodes(perNode((node) => fits(node, wanted)));
  },
} satisfies Filter & { messages: unknown };

interface Wanted {
  readonly milliCpu: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
  readonly scalar: readonly { readonly name: string; readonly amount: number; readonly byDevice: boolean }[];
}

function requestsOf(requests: NodeView["requested"], byDevice: (resource: string) => boolean): Wanted {
  return {
    milliCpu: requests.milliCpu,
    memoryBytes: requests.memoryBytes,
    ephemeralStorageBytes: requests.ephemeralStorageBytes,
    // Sorted, because upstream's own order is a map's.
    scalar: [...requests.scalar]
      .filter(([, amount]) => amount !== 0)
      .map(([name, amount]) => ({ name, amount, byDevice: byDevice(name) }))
      .sort((a, b) => byCodeUnit(a.name, b.name)),
  };
}

function fits(node: NodeView, wanted: Wanted): Verdict {
  const { allocatable, podsMax } = node.node;
  const { requested } = node;
  const reasons: string[] = [];
  let beyondNode = 0;
  const check = (name: string, amount: number, total: number, used: number): void => {
    if (amount <= 0 || amount <= total - used) return;
    reasons.push(messages.insufficient(name));
    if (amount > total) beyondNode += 1;
  };
  if (node.podCount + 1 > podsMax) reasons.push(messages.tooManyPods);
  check("cpu", wanted.milliCpu, allocatable.milliCpu, requested.milliCpu);
  check("memory", wanted.memoryBytes, allocatable.memoryBytes, requested.memoryBytes);
  check(
    "ephemeral-storage",
    wanted.ephemeralStorageBytes,
    allocatable.ephemeralStorageBytes,
    requested.ephemeralStorageBytes,
  );
  for (const { name, amount, byDevice } of wanted.scalar) {
    const total = allocatable.scalar.get(name) ?? 0;
    if (byDevice && total <= 0) continue;
    check(name, amount, total, requested.scalar.get(name) ?? 0);
  }
  if (reasons.length === 0) return pass;
  return beyondNode > 0 ? rejectForGood(...reasons) : rejectForNow(...reasons);
}

const implicitPrefix = "deviceclass.resource.kubernetes.io/";

/** Which extended resources a DeviceClass stands for. */
function delegated(classes: ReadonlyMap<string, DeviceClass>, minor: Minor): (resource: string) => boolean {
  if (minor < 36 || classes.size === 0) return () => false;
  const named = new Set([...classes.values()].map((c) => c.extendedResourceName));
  return (resource) =>
    named.has(resource) || (resource.startsWith(implicitPrefix) && classes.has(resource.slice(implicitPrefix.length)));
}
