import type { Cluster } from "../../model/cluster.ts";
import { matches } from "../../model/labels.ts";
import type { Node } from "../../model/node.ts";
import { matchesRequiredNodeAffinity } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { toleratesAny } from "../../model/taints.ts";
import type { ClusterView, PodView } from "../../model/view.ts";

/**
 * Whether a pod always finds a place: whatever else moved where, and whichever `closedAtMost` nodes are closed, some open
 * node of those it may use has room for it.
 *
 * The argument: for no node to have room, each of them must be filled so far that one more pod does not fit. What can fill
 * them is at most everything that may ever stand there. Where that is less than the cheapest way to fill all but the closed
 * ones, one is left. A pod that may be on one of these nodes only counts as being there.
 */
export function alwaysHasRoom(view: ClusterView, template: PodTemplate, closedAtMost: number): boolean {
  if (!isPlain(view.cluster, template)) return false;
  const siblings = siblingsKeptApart(view, template);
  if (siblings === null) return false;
  const { places, filled } = fillable(view, template);
  return places.length - filled > closedAtMost + siblings;
}

/** Nodes that a pod may use by affinity and taints, and how many of them can at most be without room for it at one time. */
export function fillable(
  view: ClusterView,
  template: PodTemplate,
): { readonly places: readonly Node[]; readonly filled: number } {
  const places = view.nodes.filter((node) => mayUse(template, node.node, node.taints)).map(({ node }) => node);
  const { free, groups } = visitorsOf(view, places, template);
  let filled = 0;
  for (const { of, read } of [...amountsOf(template), podCount]) {
    const sum = (pods: readonly PodView[]): number => pods.reduce((total, pod) => total + read(pod.requests), 0);
    const steps = groups.flatMap(({ members, shared }) => {
      const costs = members.map(({ node, standing }) =>
        Math.max(0, of(node) - sum(standing) - read(template.requests) + 1),
      );
      return stepCosts(costs, sum(shared));
    });
    filled += mostFilled(steps, sum(free));
  }
  return { places, filled: Math.min(filled, places.length) };
}

/** How many can be had for so much, the cheapest first. */
function mostFilled(costs: readonly number[], budget: number): number {
  let left = budget;
  let filled = 0;
  for (const cost of [...costs].sort((a, b) => a - b)) {
    if (cost > left) break;
    left -= cost;
    filled += 1;
  }
  return filled;
}

/**
 * What one more filled place of a group costs beyond what its own pods bring, the first, the second and so on. Own pods fill
 * the cheapest places first, so that each step costs at least what the one before did.
 */
function stepCosts(costs: readonly number[], own: number): readonly number[] {
  let sum = 0;
  let paid = 0;
  return [...costs]
    .sort((a, b) => a - b)
    .map((cost) => {
      sum += cost;
      const total = Math.max(0, sum - own);
      const step = total - paid;
      paid = total;
      return step;
    });
}

const podCount = { of: (node: Node): number => node.podsMax, read: (): number => 1 };

function amountsOf(
  template: PodTemplate,
): readonly { readonly of: (node: Node) => number; readonly read: (requests: PodTemplate["requests"]) => number }[] {
  const scalar = [...template.requests.scalar.keys()].map((name) => ({
    of: (node: Node) => node.allocatable.scalar.get(name) ?? 0,
    read: (requests: PodTemplate["requests"]) => requests.scalar.get(name) ?? 0,
  }));
  // What a pod does not ask for never keeps it out.
  return [
    ...(template.requests.milliCpu > 0
      ? [{ of: (n: Node) => n.allocatable.milliCpu, read: (r: PodTemplate["requests"]) => r.milliCpu }]
      : []),
    ...(template.requests.memoryBytes > 0
      ? [{ of: (n: Node) => n.allocatable.memoryBytes, read: (r: PodTemplate["requests"]) => r.memoryBytes }]
      : []),
    ...(template.requests.ephemeralStorageBytes > 0
      ? [
          {
            of: (n: Node) => n.allocatable.ephemeralStorageBytes,
            read: (r: PodTemplate["requests"]) => r.ephemeralStorageBytes,
          },
        ]
      : []),
    ...scalar,
  ];
}

/** Filters that look at more than affinity, taints and room are not argued about. */
function isPlain(cluster: Cluster, template: PodTemplate): boolean {
  if (template.hostPorts.length > 0 || template.resourceClaims.length > 0 || template.schedulingGates.length > 0)
    return false;
  if (template.volumes.some(({ kind }) => kind === "claim" || kind === "ephemeral" || kind === "inline")) return false;
  if (template.requiredPodAffinity.length > 0 || template.schedulerName !== "default-scheduler") return false;
  if (template.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")) return false;
  return !cluster.pods.some(
    ({ template: other }) =>
      other !== template && other.requiredPodAntiAffinity.some((term) => selects(term, other, template)),
  );
}

/** Nodes that the pod's own kind may take from it by anti-affinity; null: a term that is not about its own kind by node. */
function siblingsKeptApart(view: ClusterView, template: PodTemplate): number | null {
  let apart = 0;
  for (const term of template.requiredPodAntiAffinity) {
    if (term.topologyKey !== "kubernetes.io/hostname") return null;
    let selected = 0;
    for (const pod of view.pods) if (selects(term, template, pod.template)) selected += 1;
    // Without the pod it stands for, which goes from a closed node.
    apart += selected - (selects(term, template, template) ? 1 : 0);
  }
  return apart;
}

function selects(
  term: PodTemplate["requiredPodAntiAffinity"][number],
  of: PodTemplate,
  template: PodTemplate,
): boolean {
  if (term.selector === null) return false;
  const inNamespace =
    term.namespaceSelector !== null ||
    (term.namespaces.length === 0 ? template.namespace === of.namespace : term.namespaces.includes(template.namespace));
  return inNamespace && matches(term.selector, template.labels);
}

export function mayUse(template: PodTemplate, node: Node, taints: ClusterView["nodes"][number]["taints"]): boolean {
  if (node.unschedulable || !node.ready || !matchesRequiredNodeAffinity(template, node)) return false;
  return !taints.some((taint) => taint.effect !== "PreferNoSchedule" && !toleratesAny(template.tolerations, taint));
}

/** Pods that no drain moves: DaemonSets' and static ones. */
function staysPut(view: ClusterView, pod: PodView): boolean {
  return pod.mirror || (pod.owner !== null && view.workload(pod.owner)?.spec.kind === "DaemonSet");
}

/** A pod with no more places than this ties them together as a group; one with more may go to any group. */
const fewPlaces = 2;

interface Visitors {
  /** May stand in many places, in any group. */
  readonly free: readonly PodView[];
  readonly groups: readonly Group[];
}

interface Group {
  readonly members: readonly { readonly node: Node; readonly standing: readonly PodView[] }[];
  /** May stand on several of its members and nowhere else among the places. */
  readonly shared: readonly PodView[];
}

/**
 * Everything that may ever stand on one of these nodes, without the pod itself. A pod that stops holds its room on a closed
 * node only, so that it and its replacement never both fill an open one.
 */
function visitorsOf(view: ClusterView, places: readonly Node[], template: PodTemplate): Visitors {
  const names = new Set(places.map((node) => node.name));
  const usable = new Map<PodTemplate, readonly string[]>();
  const free: PodView[] = [];
  const tied: { readonly pod: PodView; readonly among: readonly string[] }[] = [];
  let self = false;
  for (const pod of view.pods) {
    if (pod.phase === "Succeeded" || pod.phase === "Failed") continue;
    if (!self && (pod.template === template || nextOf(view, pod) === template)) {
      self = true;
      continue;
    }
    const among = placesOf(view, pod, places, usable).filter((name) => names.has(name));
    if (among.length > fewPlaces) free.push(pod);
    else if (among.length > 0) tied.push({ pod, among });
  }
  return { free, groups: groupsOf(places, tied) };
}

/** What the pod's owner makes its next pod of. */
function nextOf(view: ClusterView, { owner }: PodView): PodTemplate | null {
  const spec = owner === null ? undefined : view.workload(owner)?.spec;
  return spec !== undefined && "template" in spec ? spec.template : null;
}

function placesOf(
  view: ClusterView,
  pod: PodView,
  places: readonly Node[],
  usable: Map<PodTemplate, readonly string[]>,
): readonly string[] {
  const here = pod.node?.name ?? "";
  if (staysPut(view, pod)) return [here];
  let may = usable.get(pod.template);
  if (may === undefined) {
    may = places
      .filter((node) => mayUse(pod.template, node, view.node(node.name)?.taints ?? []))
      .map(({ name }) => name);
    usable.set(pod.template, may);
  }
  return may.includes(here) ? may : [here, ...may];
}

/** Places tied together by pods that may stand on a few of them. */
function groupsOf(
  places: readonly Node[],
  tied: readonly { readonly pod: PodView; readonly among: readonly string[] }[],
): readonly Group[] {
  const root = new Map(places.map(({ name }) => [name, name]));
  const find = (name: string): string => {
    let at = name;
    for (let up = root.get(at); up !== undefined && up !== at; up = root.get(at)) at = up;
    return at;
  };
  for (const { among } of tied) for (const name of among) root.set(find(name), find(among[0] ?? name));
  const byRoot = Map.groupBy(places, ({ name }) => find(name));
  const tiedByRoot = Map.groupBy(tied, ({ among }) => find(among[0] ?? ""));
  return [...byRoot].map(([name, nodes]) => {
    const own = tiedByRoot.get(name) ?? [];
    return {
      members: nodes.map((node) => ({
        node,
        standing: own.filter(({ among }) => among.length === 1 && among[0] === node.name).map(({ pod }) => pod),
      })),
      shared: own.filter(({ among }) => among.length > 1).map(({ pod }) => pod),
    };
  });
}
