import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { type Amount, amountsAsked } from "../proof/amounts.ts";
import { hostname } from "../proof/kept-apart.ts";
import { isOpenTo } from "./fitting.ts";

/**
 * How many of these nodes, each of which has room for a pod, can be without it when others have found a place, wherever they go.
 *
 * Each goes to one node. One that is kept apart from the pod blocks that node. The rest have to bring more of some amount than
 * the node has to spare: of each amount they block the nodes with the least to spare first, and no more nodes than they are.
 */
export function blockedAtMost(
  cluster: Cluster,
  template: PodTemplate,
  { nodes, others }: { readonly nodes: readonly NodeView[]; readonly others: readonly PodTemplate[] },
): number {
  const open = nodes.map((node) => others.filter((other) => isOpenTo(other, node)));
  const coming = new Set(open.flat());
  const apart = new Set([...coming].filter((other) => areApart(cluster, template, other)));
  if ([...apart].some(reachesFar)) return nodes.length;
  const count = (those: readonly PodTemplate[], isMeant: (other: PodTemplate) => boolean): readonly PodTemplate[] =>
    those.filter((other) => coming.has(other) && isMeant(other));
  const repelling = count(others, (other) => apart.has(other)).length;
  const filling = count(others, (other) => !apart.has(other));
  const blockable = new Set<NodeView>();
  let filled = 0;
  for (const amount of amountsAsked(template)) {
    const spare: number[] = [];
    for (const [at, node] of nodes.entries()) {
      const spared = amount.of(node.node) - amount.held(node) - amount.read(template.requests);
      const brought = sumOf(
        count(open[at] ?? [], (other) => !apart.has(other)),
        amount,
      );
      if (brought <= spared) continue;
      blockable.add(node);
      spare.push(spared);
    }
    filled += countWithin(spare, sumOf(filling, amount));
  }
  return repelling + Math.min(filling.length, blockable.size, filled);
}

function areApart(cluster: Cluster, one: PodTemplate, other: PodTemplate): boolean {
  return (
    one.requiredPodAntiAffinity.some((term) => incomingTerm(cluster, term).matches(other)) ||
    other.requiredPodAntiAffinity.some((term) => existingTerm(cluster, term).matches(one))
  );
}

function reachesFar({ requiredPodAntiAffinity }: PodTemplate): boolean {
  return requiredPodAntiAffinity.some(({ topologyKey }) => topologyKey !== hostname);
}

function sumOf(templates: readonly PodTemplate[], { read }: Amount): number {
  return templates.reduce((sum, { requests }) => sum + read(requests), 0);
}

/** Each takes more than is to spare. */
function countWithin(spare: readonly number[], most: number): number {
  let left = most;
  let count = 0;
  for (const spared of [...spare].sort((a, b) => a - b)) {
    if (spared >= left) break;
    left -= spared;
    count += 1;
  }
  return count;
}
