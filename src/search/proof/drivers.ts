import { underKey } from "../../base/under-key.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { Node } from "../../model/node.ts";
import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { repelled } from "../../model/taints.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { nextOf } from "../owners.ts";
import { amountsAsked } from "./amounts.ts";

/**
 * Of those that are stronger than others the ones that may find no place, and then drive out who is weaker.
 *
 * A pod that is driven out holds its room for a while beside its successor, where the stronger one could stand too. So what is known of
 * the room there does not hold for others who could: they may find none either.
 */
export function driversAmong(
  cluster: Cluster,
  stronger: readonly PodTemplate[],
  finds: (template: PodTemplate) => boolean,
): readonly PodTemplate[] {
  const drivers = stronger.filter((template) => !finds(template) && !standsNowhere(template, cluster));
  const reached = new Set(drivers.flatMap((template) => standsOn(template, cluster)));
  for (let before = 0; before < drivers.length; ) {
    before = drivers.length;
    for (const template of stronger) {
      const nodes = standsOn(template, cluster);
      if (drivers.includes(template) || !nodes.some((node) => reached.has(node))) continue;
      drivers.push(template);
      for (const node of nodes) reached.add(node);
    }
  }
  return drivers;
}

/**
 * Whether one that may drive others out could ever stand where one of these pods is or may come to. If not, none of them is driven
 * out, and what may stand on their nodes is counted right: whoever is driven out holds its room beside its successor elsewhere.
 */
export function mayReach(
  { cluster }: ClusterView,
  drivers: readonly PodTemplate[],
  { pods, templates }: { readonly pods: readonly PodView[]; readonly templates: readonly PodTemplate[] },
): boolean {
  if (drivers.length === 0) return false;
  const own = new Set([
    ...pods.flatMap(({ node }) => node?.node ?? []),
    ...templates.flatMap((template) => standsOn(template, cluster)),
  ]);
  return drivers.some((driver) => standsOn(driver, cluster).some((node) => own.has(node)));
}

/** Nodes where one of them could ever stand. */
export function reachedBy(drivers: readonly PodTemplate[], cluster: Cluster): ReadonlySet<string> {
  return new Set(drivers.flatMap((driver) => standsOn(driver, cluster).map(({ name }) => name)));
}

/** No node is large enough for it, or takes it at all: it waits for ever, takes no room and drives nobody out. */
export function standsNowhere(template: PodTemplate, cluster: Cluster): boolean {
  return standsOn(template, cluster).length === 0;
}

/** What a pod without a node may find a place as: as it is, or as the one that its owner makes in its stead. Undefined: it waits for ever. */
export function comesAs(view: ClusterView, pod: PodView): PodTemplate | undefined {
  return [pod.template, nextOf(view, pod)].find((template) => !standsNowhere(template, view.cluster));
}

/** Nodes it could ever stand on, whoever else is there. */
function standsOn(template: PodTemplate, cluster: Cluster): readonly Node[] {
  const byTemplate = underKey(known, cluster.nodes, () => new WeakMap<PodTemplate, readonly Node[]>());
  return underKey(byTemplate, template, () => cluster.nodes.filter((node) => mayStandOn(template, node, cluster)));
}

const known = new WeakMap<Cluster["nodes"], WeakMap<PodTemplate, readonly Node[]>>();

/** Whoever else is there; nodes that are not Ready may be again, and closed ones may open. */
export function mayStandOn(template: PodTemplate, node: Node, { devices }: Cluster): boolean {
  if (!matchesRequiredNodeAffinity(template, node)) return false;
  const lasting = node.taints.filter(({ key }) => !passing.some((prefix) => key.startsWith(prefix)));
  if (repelled(lasting, template.tolerations)) return false;
  // A device may stand for what the node itself has not.
  const { scalar } = template.requests;
  const asked = amountsAsked(template).filter(({ name }) => devices.classes.size === 0 || !scalar.has(name));
  return asked.every((amount) => amount.read(template.requests) <= amount.of(node));
}

/** Taints that say how a node fares. */
const passing = ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];
