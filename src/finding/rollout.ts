import { matches } from "../model/labels.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../model/pod-template.ts";
import type { ClusterView, NodeView } from "../model/view.ts";
import type { Deployment } from "../model/workload.ts";
import { hasRoom } from "../scheduler/has-room.ts";
import { rolloutRoom } from "../workload/deployment-sizes.ts";
import { countedNodes, scarceOn, usableNodes } from "./nodes.ts";
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
  const takes = (node: NodeView): boolean => !hasNeighbour(node, template) && !tooMany(view, node, stop, template);
  if (usable.length === 0 || usable.some((node) => hasRoom(node, template) && takes(node))) return null;
  const apart = usable.filter((node) => !hasNeighbour(node, template));
  if (apart.length === 0) return { kind: "apart", nodes: usable.length };
  const evened = apart.filter((node) => !tooMany(view, node, stop, template));
  if (evened.length === 0) return { kind: "spread" };
  return { kind: "noRoom", what: scarceOn(evened, template) };
}

function mustSurge(deployment: Deployment): boolean {
  return deployment.strategy.type === "RollingUpdate" && rolloutRoom(deployment).maxUnavailable === 0;
}

/** A pod here that a required anti-affinity of the new one keeps away from. */
function hasNeighbour(node: NodeView, template: PodTemplate): boolean {
  return template.requiredPodAntiAffinity.some(
    ({ topologyKey, selector }) =>
      topologyKey === host &&
      selector !== null &&
      node.pods.some((pod) => pod.namespace === template.namespace && matches(selector, pod.template.labels)),
  );
}

/** One more pod here would break a hard spread over nodes, old pods counted unless the hash is among the keys. */
function tooMany(view: ClusterView, node: NodeView, stop: Stop, template: PodTemplate): boolean {
  return template.topologySpread.some((constraint) => {
    if (constraint.topologyKey !== host || constraint.whenUnsatisfiable !== "DoNotSchedule") return false;
    if (constraint.matchLabelKeys.includes("pod-template-hash")) return false;
    const count = (one: NodeView): number => counted(one, stop, constraint);
    const domains = countedNodes(view, template, constraint);
    const fewest = domains.length < (constraint.minDomains ?? 1) ? 0 : Math.min(...domains.map(count));
    return count(node) + 1 - fewest > constraint.maxSkew;
  });
}

function counted(node: NodeView, { pods }: Stop, { selector }: TopologySpreadConstraint): number {
  return pods.filter((pod) => pod.node === node && selector !== null && matches(selector, pod.template.labels)).length;
}
