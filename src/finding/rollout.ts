import { matches, templateHashLabel } from "../model/labels.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../model/pod-template.ts";
import type { ClusterView, NodeView } from "../model/view.ts";
import type { Deployment } from "../model/workload.ts";
import { rolloutRoom } from "../workload/deployment-sizes.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { countedNodes, roomyNodes, scarceOn, usableNodes } from "./nodes.ts";
import type { Stop } from "./scene.ts";
import { host } from "./spread.ts";

/** Why a rolling update does not finish. */
export type RolloutObstacle =
  | { readonly kind: "apart"; readonly nodes: number }
  | { readonly kind: "spread" }
  | { readonly kind: "noRoom"; readonly what: string }
  | { readonly kind: "standbys" };

/** Null: it finishes, or the part is none that rolls so. */
export function rolloutObstacle(view: ClusterView, stop: Stop): RolloutObstacle | null {
  const { workload, template, hop } = stop;
  if (workload?.kind !== "Deployment" || template === null || workload.replicas === 0) return null;
  if (!mustSurge(workload)) return null;
  if (hop.leaderElected && workload.replicas > 1) return { kind: "standbys" };
  const usable = usableNodes(view, template);
  if (usable.length === 0) return null;
  const neighbours = withNeighbours(view, template);
  const spreads = template.topologySpread.filter(countsOldPods).map((one) => new Evened(view, stop, template, one));
  const isApart = (node: NodeView): boolean => !neighbours.has(node);
  const isEven = (node: NodeView): boolean => spreads.every((spread) => spread.takes(node));
  if (roomyNodes(view, template).some((node) => isApart(node) && isEven(node))) return null;
  const apart = neighbours.size === 0 ? usable : usable.filter(isApart);
  if (apart.length === 0) return { kind: "apart", nodes: usable.length };
  const evened = spreads.length === 0 ? apart : apart.filter(isEven);
  if (evened.length === 0) return { kind: "spread" };
  return { kind: "noRoom", what: scarceOn(evened, template) };
}

function mustSurge(deployment: Deployment): boolean {
  return deployment.strategy.type === "RollingUpdate" && rolloutRoom(deployment).maxUnavailable === 0;
}

/** Nodes with a pod that a required anti-affinity of the new one keeps away from. */
function withNeighbours(view: ClusterView, { namespace, requiredPodAntiAffinity }: PodTemplate): ReadonlySet<NodeView> {
  const found = new Set<NodeView>();
  for (const { topologyKey, selector } of requiredPodAntiAffinity) {
    if (topologyKey !== host || selector === null) continue;
    for (const cohort of view.cohortsIn(namespace)) {
      if (cohort.size === 0 || !matches(selector, cohort.template.labels)) continue;
      for (const pod of cohort.pods) if (pod.node !== null && !isTerminal(pod)) found.add(pod.node);
    }
  }
  return found;
}

/** A hard spread over nodes, old pods counted unless the hash is among the keys. */
function countsOldPods({ topologyKey, whenUnsatisfiable, matchLabelKeys }: TopologySpreadConstraint): boolean {
  return topologyKey === host && whenUnsatisfiable === "DoNotSchedule" && !matchLabelKeys.includes(templateHashLabel);
}

/** Says of nodes whether one more pod there would break such a spread. */
class Evened {
  readonly #counts = new Map<NodeView, number>();
  readonly #most: number;

  constructor(view: ClusterView, { pods }: Stop, template: PodTemplate, constraint: TopologySpreadConstraint) {
    const { selector, minDomains, maxSkew } = constraint;
    for (const pod of pods)
      if (pod.node !== null && selector !== null && matches(selector, pod.template.labels))
        this.#counts.set(pod.node, this.#on(pod.node) + 1);
    const domains = countedNodes(view, template, constraint);
    const isFew = domains.length < (minDomains ?? 1);
    this.#most = isFew ? maxSkew : maxSkew + domains.reduce((least, node) => Math.min(least, this.#on(node)), Infinity);
  }

  takes(node: NodeView): boolean {
    return this.#on(node) + 1 <= this.#most;
  }

  #on(node: NodeView): number {
    return this.#counts.get(node) ?? 0;
  }
}
