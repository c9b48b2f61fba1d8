import type { PodTemplate } from "../model/pod-template.ts";
import type { NodeView } from "../model/view.ts";

/** Whether the node has room for one more of these pods beside those there now. */
export function hasRoom(node: NodeView, template: PodTemplate): boolean {
  const { requests } = template;
  const { requested } = node;
  const { allocatable } = node.node;
  if (node.podCount >= node.node.podsMax) return false;
  if (requests.milliCpu > 0 && requested.milliCpu + requests.milliCpu > allocatable.milliCpu) return false;
  if (requests.memoryBytes > 0 && requested.memoryBytes + requests.memoryBytes > allocatable.memoryBytes) return false;
  for (const [name, amount] of requests.scalar)
    if ((requested.scalar.get(name) ?? 0) + amount > (allocatable.scalar.get(name) ?? 0)) return false;
  return true;
}
