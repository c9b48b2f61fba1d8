import { underKey } from "../base/under-key.ts";
import type { Labels } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import type { NodeView } from "../model/view.ts";

/** How many nodes of a zone are ready, and how many are lost. */
export interface ZoneCount {
  readonly ready: number;
  readonly lost: number;
}

/** The zone a node stands in, as the node controller tells zones apart. */
export function zoneKey({ labels }: Node): string {
  return underKey(zones, labels, () => {
    const of = (name: string, older: string): string => labels.get(name) ?? labels.get(older) ?? "";
    return [
      of("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
      of("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
    ].join("/");
  });
}

const zones = new WeakMap<Labels, string>();

/** Every zone with its nodes; those that count for none are left out. */
export function zoneCounts(nodes: readonly NodeView[]): Map<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>();
  for (const view of nodes) if (countsForZone(view.node)) counts.set(zoneKey(view.node), withNode(counts, view, 1));
  return counts;
}

export function countsForZone({ labels }: Node): boolean {
  return !labels.has("node.kubernetes.io/exclude-disruption");
}

/** The count of its zone with this node more, or less. */
export function withNode(
  counts: ReadonlyMap<string, ZoneCount>,
  { node, ready }: Pick<NodeView, "node" | "ready">,
  sign: 1 | -1,
): ZoneCount {
  const before = counts.get(zoneKey(node)) ?? none;
  return ready ? { ...before, ready: before.ready + sign } : { ...before, lost: before.lost + sign };
}

const none: ZoneCount = { ready: 0, lost: 0 };
