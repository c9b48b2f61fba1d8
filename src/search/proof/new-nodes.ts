import type { Node } from "../../model/node.ts";
import type { NodeSelectorTerm, PodTemplate } from "../../model/pod-template.ts";
import { isWithin } from "../../model/resources.ts";
import type { ClusterView, PodView, WorkloadView } from "../../model/view.ts";
import type { Lane } from "../../sim/lanes.ts";
import { freshNode } from "../../sim/node-closing.ts";
import { judgeNode, targetOf } from "../../workload/daemon-nodes.ts";
import { isDaemon, nextOf, templatesOf } from "../owners.ts";
import { hostname } from "./kept-apart.ts";
import type { Standing } from "./standing.ts";

/**
 * Whether a new node of each old one's shape is the same place under another name: whoever could use the one can use the other,
 * and nobody else can. Then an old node that goes when its new one is there was never closed, and what is argued about nodes that
 * come back holds of those that are replaced.
 */
export function standForOldOnes(
  { view, alone, newcomers }: Pick<Standing, "view" | "alone" | "newcomers">,
  lanes: readonly Lane[],
): boolean {
  const renewed = lanes.filter(({ actor }) => actor.surge !== null || actor.afterDrain === "replaced");
  if (renewed.length === 0) return true;
  const old = renewed.flatMap((lane) => lane.nodes.map((name) => ({ lane, node: view.node(name)?.node })));
  const alike = old.every(({ lane, node }) => {
    if (node === undefined || node.labels.get(hostname) !== node.name) return false;
    return freshNode(node, node.name, lane.actor).taints.length === node.taints.length;
  });
  if (!alike) return false;
  const names = new Set(old.map(({ node }) => node?.name ?? ""));
  const nodes = old.flatMap(({ node }) => node ?? []);
  const daemons = [...view.workloads].filter(({ spec }) => spec.kind === "DaemonSet");
  if (!daemons.every((daemon) => isEverywhere(view, daemon, { nodes, coming: alone.coming }))) return false;
  const pods = [...view.pods, ...(newcomers?.pods ?? [])].filter(({ mirror }) => !mirror);
  // A DaemonSet's pod names its own node, and another comes with the new one.
  const [own, free] = [pods.filter((pod) => isDaemon(view, pod)), pods.filter((pod) => !isDaemon(view, pod))];
  if (![...templatesOf(view, free)].every((template) => !namesNodes(template, nodes))) return false;
  // One that is made again is of the newest template, which may ask for more.
  return own.every((pod) => !names.has(pod.node?.name ?? "") || isWithin(nextOf(view, pod).requests, pod.requests));
}

/** It has its pod on each of these nodes that it runs on, or one that is coming, so that a new node gets no other. */
function isEverywhere(
  view: ClusterView,
  { key, spec }: WorkloadView,
  { nodes, coming }: { readonly nodes: readonly Node[]; readonly coming: readonly PodView[] },
): boolean {
  if (spec.kind !== "DaemonSet" || namesNodes(spec.template, nodes)) return false;
  const served = new Set([...view.podsOwnedBy(key), ...coming.filter(({ owner }) => owner === key)].map(targetOf));
  return nodes.every(({ name }) => {
    const node = view.node(name);
    return served.has(name) || node === undefined || judgeNode(node, spec.template) !== "run";
  });
}

/** By name, or by a label that says a node's name: the new one has another. */
function namesNodes({ nodeSelector, requiredNodeAffinity }: PodTemplate, nodes: readonly Node[]): boolean {
  const keys = new Set([...nodeSelector.keys(), ...(requiredNodeAffinity ?? []).flatMap(labelKeys)]);
  if (requiredNodeAffinity?.some(({ matchFields }) => matchFields.length > 0) === true) return true;
  return [...keys].some((key) => nodes.some(({ name, labels }) => labels.get(key) === name));
}

function labelKeys({ matchExpressions }: NodeSelectorTerm): readonly string[] {
  return matchExpressions.map(({ key }) => key);
}
