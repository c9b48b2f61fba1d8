import { byCodeUnit } from "../base/ordering.ts";
import { underKey } from "../base/under-key.ts";
import { listed } from "../base/words.ts";
import type { Pool } from "../maintenance/pool.ts";
import type { Node } from "../model/node.ts";
import { matchesRequiredNodeAffinity, nodesAskedFor } from "../model/node-selector.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../model/pod-template.ts";
import { toleratesAny } from "../model/taints.ts";
import type { ClusterView, NodeView } from "../model/view.ts";
import { hasRoom } from "../scheduler/has-room.ts";

/**
 * Nodes a pod may be on by affinity, taints and size, whatever else is on them; cordoned ones included, because a cordon
 * passes. In node order.
 */
export const usableNodes = alike(needsOf, (view, template) =>
  nodesAllowed(view, template).filter(({ node }) => isLargeEnough(node, template)),
);

/** The same whatever their size. */
const nodesAllowed = alike(nodesAskedFor, (view, template) => view.nodes.filter((node) => isAllowed(node, template)));

/** Those of them that are not cordoned now. */
export const openNodes = alike(needsOf, (view, template) =>
  usableNodes(view, template).filter(({ unschedulable }) => !unschedulable),
);

/** Those of them with room for one more of these pods. */
export const roomyNodes = alike(needsOf, (view, template) =>
  usableNodes(view, template).filter((node) => hasRoom(node, template)),
);

type OfTemplate<T> = (view: ClusterView, template: PodTemplate) => T;

/** Findings are about a cluster that stands still; thousands of parts of it ask for one of a few dozen things. */
function alike<T>(asked: (template: PodTemplate) => string, find: OfTemplate<T>): OfTemplate<T> {
  const known = new WeakMap<ClusterView, Map<string, T>>();
  return (view, template) => {
    const found = underKey(known, view, () => new Map<string, T>());
    return underKey(found, asked(template), () => find(view, template));
  };
}

/** All that `isUsable` and `hasRoom` read of a template. */
function needsOf(template: PodTemplate): string {
  return underKey(needsByTemplate, template, () => {
    const { milliCpu, memoryBytes, scalar } = template.requests;
    return `${nodesAskedFor(template)} ${JSON.stringify([milliCpu, memoryBytes, [...scalar]])}`;
  });
}

const needsByTemplate = new WeakMap<PodTemplate, string>();

/** The pools of these nodes, by name: once for all parts that may use the same ones. */
export function poolsAmong(nodes: readonly NodeView[], pools: readonly Pool[]): ReadonlySet<string> {
  return underKey(poolsByNodes, nodes, () => {
    const names = new Set(nodes.map(({ name }) => name));
    return new Set(pools.filter((pool) => pool.nodes.some(({ name }) => names.has(name))).map(({ name }) => name));
  });
}

const poolsByNodes = new WeakMap<readonly NodeView[], ReadonlySet<string>>();

export function isUsable(view: NodeView, template: PodTemplate): boolean {
  return isAllowed(view, template) && isLargeEnough(view.node, template);
}

function isAllowed({ node, taints }: NodeView, template: PodTemplate): boolean {
  return matchesRequiredNodeAffinity(template, node) && !keptAway(template, taints);
}

/**
 * Nodes that count as domains of a spread over nodes, whether or not the pod has a place there: taints keep none out unless
 * nodeTaintsPolicy is Honor, and size never does. Cordoned ones are among them, because a cordon passes.
 */
export function countedNodes(
  view: ClusterView,
  template: PodTemplate,
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
): readonly NodeView[] {
  return view.nodes.filter(
    ({ node, taints }) =>
      (nodeAffinityPolicy === "Ignore" || matchesRequiredNodeAffinity(template, node)) &&
      (nodeTaintsPolicy === "Ignore" || !keptAway(template, taints)),
  );
}

/** The first open node with room for one more of these pods that only its nodeSelector or node affinity keeps it off; null: none. */
export const barredNode = alike(needsOf, (view, template) => {
  const barred = view.nodes.find(
    (one) =>
      !one.unschedulable &&
      !matchesRequiredNodeAffinity(template, one.node) &&
      !keptAway(template, one.taints) &&
      isLargeEnough(one.node, template) &&
      hasRoom(one, template),
  );
  return barred ?? null;
});

/** What these nodes lack for one more pod: the accelerator where it is that on all of them, else whatever it is on each. */
export function scarceOn(nodes: readonly NodeView[], template: PodTemplate): string {
  const known = underKey(scarce, nodes, () => new Map<string, string>());
  return underKey(known, needsOf(template), () => lackOnAll(nodes, template));
}

const scarce = new WeakMap<readonly NodeView[], Map<string, string>>();

function lackOnAll(nodes: readonly NodeView[], template: PodTemplate): string {
  const lacks = nodes.map((node) => lackOn(node, template));
  const accelerator = [...template.requests.scalar].map(([name, amount]) => `${amount} ${name}`);
  const everywhere = accelerator.find((name) => lacks.every((lack) => lack.includes(name)));
  return everywhere ?? listed([...new Set(lacks.flatMap(([first]) => first ?? []))].sort(byCodeUnit));
}

function lackOn({ node, podCount, requested }: NodeView, { requests }: PodTemplate): readonly string[] {
  const { allocatable } = node;
  const scalars = [...requests.scalar].filter(
    ([name, amount]) => (requested.scalar.get(name) ?? 0) + amount > (allocatable.scalar.get(name) ?? 0),
  );
  return [
    ...scalars.map(([name, amount]) => `${amount} ${name}`),
    ...(podCount >= node.podsMax ? ["room for one more pod"] : []),
    ...(requests.milliCpu > 0 && requested.milliCpu + requests.milliCpu > allocatable.milliCpu ? ["CPU"] : []),
    ...(requests.memoryBytes > 0 && requested.memoryBytes + requests.memoryBytes > allocatable.memoryBytes
      ? ["memory"]
      : []),
  ];
}

/** What it asks for is there at all: a node without accelerators is no place for an engine. */
function isLargeEnough({ allocatable }: Node, { requests }: PodTemplate): boolean {
  if (requests.milliCpu > allocatable.milliCpu || requests.memoryBytes > allocatable.memoryBytes) return false;
  for (const [name, amount] of requests.scalar) if (amount > (allocatable.scalar.get(name) ?? 0)) return false;
  return true;
}

/** A cordon's taint is no property of the node. */
function keptAway(template: PodTemplate, taints: NodeView["taints"]): boolean {
  return taints.some(
    (taint) =>
      taint.effect !== "PreferNoSchedule" &&
      taint.key !== "node.kubernetes.io/unschedulable" &&
      !toleratesAny(template.tolerations, taint),
  );
}
