import { underKey } from "../../base/under-key.ts";
import type { Actor } from "../../maintenance/actor.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { ObjectKey, PodKey } from "../../model/key.ts";
import { matches } from "../../model/labels.ts";
import type { Node } from "../../model/node.ts";
import type { Pod } from "../../model/pod.ts";
import type { NodeSelectorTerm, PodTemplate } from "../../model/pod-template.ts";
import { toleratesAny } from "../../model/taints.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import type { Workload } from "../../model/workload.ts";
import type { Lane } from "../../sim/lanes.ts";
import type { PlannedStep } from "../../sim/program.ts";
import type { Scarce } from "../../sim/simulation.ts";
import type { Question } from "../judge.ts";
import { rootOf, topOf } from "../owners.ts";
import { isPlainPod } from "../plain-pod.ts";
import type { Standing } from "../proof/standing.ts";
import { onlyDelay } from "./others.ts";
import { type Part, podsOfPart } from "./part.ts";

/** A play of one part alone that takes at least every course in which the part is hurt. */
export interface Reduced {
  readonly question: Question;
  readonly placement: Scarce;
}

export interface Whole {
  readonly question: Question;
  /** Where newcomers are known, they, what stands now and what is coming are all that may ever take room. */
  readonly standing: Standing;
}

/**
 * The question about one part without the rest of the cluster: other pods are left out, and may take any room they could ever
 * have, or none. Of nodes only what this part's pods can tell is kept, and of empty ones that nothing tells apart a few.
 * Null: other pods can do more than take room and time.
 */
export function reduced(whole: Whole, part: Part): Reduced | null {
  const { question, standing } = whole;
  const { view, coupling } = standing;
  const [step, ...more] = question.steps;
  if (step?.do !== "maintain" || more.length > 0 || question.choices.length > 0) return null;
  if (question.timing.scenario.drainTimeoutMs !== null || part.endpoint.maxDownMs > 0) return null;
  const own = podsOfPart(coupling, part);
  // A single node would be taken again and again without anything to choose.
  const again = step.nodes.length > 1 && step.options.lanes.every(comesBack);
  if (own.some(({ template }) => !isPlainPod(template))) return null;
  if (!onlyDelay(view, step.options, own)) return null;
  const shape = shapes(view, own, new Set(step.nodes));
  // Of several that stay closed, how many there are decides.
  const kept = again || step.nodes.length === 1 ? keptNodes(view, own, shape, step.nodes) : view.cluster.nodes;
  const nodes = kept.map((node) => shape(node).node);
  const cluster = partOfCluster(whole, part, own, nodes);
  return {
    question: {
      ...question,
      cluster,
      steps: [narrowed(step, cluster, again)],
      endpoints: [part.endpoint],
      supporting: [],
      horizonMs: again ? longMs : question.horizonMs,
    },
    placement: scarcity(standing, kept, step),
  };
}

/** A play without end comes back to where it was long before. */
const longMs = 100 * 86_400_000;

/** Its nodes are open again after their turn, so that a play in which they have no end of turns takes in all orders. */
function comesBack({ actor }: Lane): boolean {
  const { afterDrain, closeWhen } = actor;
  return closeWhen !== "all" && (afterDrain === "opens" || afterDrain === "reboots" || afterDrain === "replaced");
}

type Shapes = (node: Node) => { readonly node: Node; readonly key: string };

/** Nodes as this part's pods see them. */
function shapes(view: ClusterView, own: readonly PodView[], maintained: ReadonlySet<string>): Shapes {
  const templates = [...new Set(own.map(({ template }) => template))];
  const keys = labelsRead(templates);
  const asked = new Set(templates.flatMap(namesAsked));
  const amples = amountNeeded(own);
  const known = new Map<Node, ReturnType<Shapes>>();
  return (node) => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const taints = node.taints.flatMap((taint) => {
      if (taint.effect === "PreferNoSchedule") return [];
      const tolerated = templates.map(({ tolerations }) => toleratesAny(tolerations, taint));
      if (tolerated.every((yes) => yes)) return [];
      return tolerated.some((yes) => yes) ? [taint] : [{ key: "closed", value: "", effect: taint.effect }];
    });
    const distinct = [...new Map(taints.map((taint) => [JSON.stringify(taint), taint])).values()];
    const labels = new Map([...node.labels].filter(([key]) => keys.has(key)));
    const isAmple = amples.every(({ of, need }) => of(node) >= need);
    const made: Node = {
      ...node,
      labels,
      taints: distinct,
      annotations: new Map(),
      images: new Map(),
      ...(isAmple ? { allocatable: ample(node), capacity: ample(node), podsMax: 110 } : {}),
    };
    const key = JSON.stringify([
      asked.has(node.name) ? node.name : "",
      [...labels].filter(([, value]) => value !== node.name).sort(),
      [...labels].filter(([, value]) => value === node.name).map(([label]) => label),
      distinct,
      isAmple ? null : [made.allocatable, [...made.allocatable.scalar], made.podsMax],
      node.unschedulable,
      node.ready,
      view.node(node.name)?.taints.length,
      node.declaredFeatures,
      maintained.has(node.name),
    ]);
    const shape = { node: made, key };
    known.set(node, shape);
    return shape;
  };
}

const plenty = 1_000_000_000;

function ample({ allocatable }: Node): Node["allocatable"] {
  return {
    milliCpu: plenty,
    memoryBytes: plenty * 1_000_000,
    ephemeralStorageBytes: plenty * 1_000_000,
    scalar: new Map([...allocatable.scalar.keys()].map((name) => [name, plenty])),
  };
}

/** Twice of all of the part: each pod and one that follows it. */
function amountNeeded(
  own: readonly PodView[],
): readonly { readonly of: (node: Node) => number; readonly need: number }[] {
  const sum = (read: (pod: PodView) => number): number => 2 * own.reduce((total, pod) => total + read(pod), 0);
  const names = new Set(own.flatMap(({ requests }) => [...requests.scalar.keys()]));
  return [
    { of: (node) => node.allocatable.milliCpu, need: sum(({ requests }) => requests.milliCpu) },
    { of: (node) => node.allocatable.memoryBytes, need: sum(({ requests }) => requests.memoryBytes) },
    {
      of: (node) => node.allocatable.ephemeralStorageBytes,
      need: sum(({ requests }) => requests.ephemeralStorageBytes),
    },
    { of: (node) => node.podsMax, need: 2 * own.length },
    ...[...names].map((name) => ({
      of: (node: Node) => node.allocatable.scalar.get(name) ?? 0,
      need: sum(({ requests }) => requests.scalar.get(name) ?? 0),
    })),
  ];
}

function labelsRead(templates: readonly PodTemplate[]): ReadonlySet<string> {
  const keys = new Set(["kubernetes.io/hostname"]);
  for (const template of templates) {
    for (const key of template.nodeSelector.keys()) keys.add(key);
    for (const { matchExpressions } of template.requiredNodeAffinity ?? []) {
      for (const { key } of matchExpressions) keys.add(key);
    }
    for (const { topologyKey } of [...template.requiredPodAffinity, ...template.requiredPodAntiAffinity]) {
      keys.add(topologyKey);
    }
    for (const { topologyKey, whenUnsatisfiable } of template.topologySpread) {
      if (whenUnsatisfiable === "DoNotSchedule") keys.add(topologyKey);
    }
  }
  return keys;
}

function namesAsked({ nodeSelector, requiredNodeAffinity }: PodTemplate): readonly string[] {
  const ofTerm = ({ matchExpressions, matchFields }: NodeSelectorTerm): readonly string[] =>
    [...matchExpressions, ...matchFields].flatMap(({ values }) => values);
  return [...nodeSelector.values(), ...(requiredNodeAffinity ?? []).flatMap(ofTerm)];
}

/**
 * Those with a pod of the part, one that is maintained by itself, and of the others of each shape as many as its pods could ever
 * stand on, and a few.
 */
function keptNodes(
  { cluster }: ClusterView,
  own: readonly PodView[],
  shape: Shapes,
  maintained: readonly string[],
): readonly Node[] {
  const hosts = new Set([...own.map(({ node }) => node?.name), ...(maintained.length === 1 ? maintained : [])]);
  const spare = 2 * own.length + 2;
  const counts = new Map<string, number>();
  return cluster.nodes.filter((node) => {
    if (hosts.has(node.name)) return true;
    const { key } = shape(node);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count < spare;
  });
}

function partOfCluster(
  { question, standing: { view } }: Whole,
  part: Part,
  own: readonly PodView[],
  nodes: readonly Node[],
): Cluster {
  const { cluster } = question;
  const { pods, workloads: byTop } = indexOf(view);
  const tops = new Set(own.map((pod) => rootOf(view, pod)));
  const workloads = new Map([...tops].flatMap((top) => byTop.get(top) ?? []));
  const isSelected = (selector: Parameters<typeof matches>[0], namespace: string): boolean =>
    own.some((pod) => pod.namespace === namespace && matches(selector, pod.template.labels));
  return {
    ...cluster,
    nodes,
    pods: own.flatMap(({ key }) => pods.get(key) ?? []),
    workloads,
    services: cluster.services.filter(({ ref }) =>
      part.endpoint.hops.some((hop) => hop.service === `${ref.namespace}/${ref.name}`),
    ),
    budgets: cluster.budgets.filter(({ selector, ref }) => selector !== null && isSelected(selector, ref.namespace)),
    autoscalers: cluster.autoscalers.filter(({ target }) => workloads.has(target)),
  };
}

/** A cluster's pods by key, and its workloads by the one at the top of their owners: looked up for every part. */
interface ClusterIndex {
  readonly pods: ReadonlyMap<PodKey, Pod>;
  readonly workloads: ReadonlyMap<ObjectKey, readonly (readonly [ObjectKey, Workload])[]>;
}

function indexOf(view: ClusterView): ClusterIndex {
  return underKey(indexes, view, () => {
    const { pods, workloads } = view.cluster;
    return {
      pods: new Map(pods.map((pod) => [pod.key, pod])),
      workloads: Map.groupBy(workloads, ([key]) => topOf(view, key)),
    };
  });
}

const indexes = new WeakMap<ClusterView, ClusterIndex>();

function narrowed(
  step: Extract<PlannedStep, { readonly do: "maintain" }>,
  { nodes }: Cluster,
  again: boolean,
): PlannedStep {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const isKept = (name: string): boolean => byName.has(name);
  const lanes = step.options.lanes.map((lane): Lane => {
    const actor: Actor = again
      ? { ...lane.actor, order: "any", surge: null, marks: [], afterDrain: backAs(lane.actor) }
      : lane.actor;
    const like = new Map([...lane.like.keys()].flatMap((name) => [[name, byName.get(name)] as const]));
    return {
      ...lane,
      actor,
      members: lane.members.filter(isKept),
      nodes: lane.nodes.filter(isKept),
      surgeNodes: again ? 0 : lane.surgeNodes,
      like: new Map([...like].flatMap(([name, node]) => (node === undefined ? [] : [[name, node] as const]))),
    };
  });
  return {
    ...step,
    nodes: step.nodes.filter(isKept),
    options: { ...step.options, lanes, anyOrder: step.options.anyOrder || again, again },
  };
}

/** A new node of the shape is to the pods as the old one back. */
function backAs({ afterDrain }: Actor): Actor["afterDrain"] {
  return afterDrain === "replaced" ? "reboots" : afterDrain;
}

/** A place is lacking where others could fill all of those that are left. */
function scarcity(
  standing: Standing,
  kept: readonly Node[],
  { nodes, options: { lanes } }: Extract<PlannedStep, { readonly do: "maintain" }>,
): Scarce {
  const isKnown = standing.newcomers !== null;
  const rooms = standing.roomsAnyhow(nodes);
  const keptNames = new Set(kept.map(({ name }) => name));
  const surge = lanes.reduce((sum, { surgeNodes }) => sum + surgeNodes, 0);
  const lackAt = new WeakMap<PodTemplate, number>();
  const atOf = (template: PodTemplate): number => {
    const before = lackAt.get(template);
    if (before !== undefined) return before;
    const leftOut = [...rooms.usable(template)].filter((name) => !keptNames.has(name)).length;
    const at = rooms.filledAtMost(template) + surge - leftOut;
    lackAt.set(template, at);
    return at;
  };
  return { mayLack: ({ template }, places) => !isKnown || places <= atOf(template) };
}
