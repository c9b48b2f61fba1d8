import type { Labels } from "../model/labels.ts";
import type { NodeView } from "../model/view.ts";

const known = new WeakMap<readonly NodeView[], readonly NodeView[]>();

/**
 * The order in which the scheduler looks at nodes: one of each zone in turn, zones and nodes in the order they were added.
 * Mirrors: backend/cache/node_tree.go and component-helpers node/topology GetZoneKey, Kubernetes 1.34 to 1.37.
 */
export function snapshotOrder(nodes: readonly NodeView[]): readonly NodeView[] {
  let ordered = known.get(nodes);
  if (ordered === undefined) {
    ordered = interleaved([...Map.groupBy(nodes, ({ node }) => zoneKey(node.labels)).values()]);
    known.set(nodes, ordered);
  }
  return ordered;
}

function interleaved(zones: readonly (readonly NodeView[])[]): readonly NodeView[] {
  const ordered: NodeView[] = [];
  const longest = zones.reduce((most, zone) => Math.max(most, zone.length), 0);
  for (let i = 0; i < longest; i += 1) {
    for (const zone of zones) {
      const node = zone[i];
      if (node !== undefined) ordered.push(node);
    }
  }
  return ordered;
}

/** The old labels go before the new ones; a label that is there but empty counts. "" when a node has neither region nor zone. */
function zoneKey(labels: Labels): string {
  const zone = labels.get("failure-domain.beta.kubernetes.io/zone") ?? labels.get("topology.kubernetes.io/zone") ?? "";
  const region =
    labels.get("failure-domain.beta.kubernetes.io/region") ?? labels.get("topology.kubernetes.io/region") ?? "";
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}
