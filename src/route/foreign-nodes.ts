import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Node } from "../model/node.ts";
import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { repelled } from "../model/taints.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { Part } from "../systems/facts.ts";

const osLabel = "kubernetes.io/os";

/**
 * The scheduler does not look at what system an image is for: where nodes of two systems are, only selectors and taints keep pods on
 * theirs, and on the other kind they never start. The play lets them.
 */
export function foreignNodesOf(cluster: Cluster, { workload, template, pods }: Part): Endpoint["notModelled"] {
  const { systems, byName } = underKey(known, cluster, () => systemsOf(cluster));
  if (systems.size < 2 || template === null || workload.kind === "DaemonSet") return [];
  const { kind, namespace, name } = workload.ref;
  const own = new Set(pods.flatMap(({ nodeName }) => byName.get(nodeName) ?? []));
  if (own.size !== 1) return [];
  for (const [system, nodes] of systems) {
    const place = own.has(system) ? undefined : nodes.find((node) => mayTake(node, template));
    if (place === undefined) continue;
    return [
      {
        what: `${place.name}, a node of ${system} that nothing keeps its pods of ${[...own].join()} off, as a nodeSelector of ${osLabel} would`,
        ref: `${kind} ${namespace}/${name}`,
        couldChange: "whether new pods start",
      },
    ];
  }
  return [];
}

interface Systems {
  readonly systems: ReadonlyMap<string, readonly Node[]>;
  /** Node → its system. */
  readonly byName: ReadonlyMap<string, string>;
}

const known = new WeakMap<Cluster, Systems>();

function systemsOf({ nodes }: Cluster): Systems {
  return { systems: Map.groupBy(nodes, systemOf), byName: new Map(nodes.map((node) => [node.name, systemOf(node)])) };
}

/** A node that does not say is one of Linux. */
function systemOf({ labels }: Node): string {
  return labels.get(osLabel) ?? "linux";
}

function mayTake(node: Node, template: PodTemplate): boolean {
  return (
    matchesRequiredNodeAffinity(template, node) &&
    !repelled(node.taints, template.tolerations) &&
    [...template.requests.scalar].every(([name, amount]) => amount <= (node.allocatable.scalar.get(name) ?? 0))
  );
}
