import { scaledValue } from "../../model/int-or-percent.ts";
import { matches } from "../../model/labels.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../../model/pod-template.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import type { Deployment } from "../../model/workload.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { hasRoom, taintedNodes, usableNodes } from "../nodes.ts";
import type { Stop } from "../scene.ts";

const host = "kubernetes.io/hostname";

/**
 * A rolling update that must place a new pod before an old one goes, and has no place for it.
 * Mirrors: Deployment rolling updates (maxUnavailable rounds down, maxSurge up) and the scheduler's spread counts, 1.36.
 */
export const rolloutCannotFinish = findingRule({
  name: "rollout-cannot-finish",
  code: "HF011",
  title: "A rollout that cannot finish",
  explain: `By default (25 % and 25 %) a Deployment of up to three replicas may not lose one before a new one is Ready: maxUnavailable rounds down to 0. The new pod needs a place beside all old ones. It has none when

required anti-affinity leaves no node without an old pod;
a hard topology spread counts the old pods too (no matchLabelKeys), so that a node with a replica is always one too many while an empty or unusable node counts as zero;
no node has room, most often no free GPU.

And a leader-elected picker rolls for ever: the new standby is never Ready.

Every later change hangs on it, the fix of something else included. Nothing is down meanwhile, so this is a warning and never an error.`,
  messages: {
    apart: (f: { part: string; nodes: number }) => ({
      message: `${f.part} must place a new pod before an old one goes, but required anti-affinity keeps it off all ${f.nodes} nodes it may use: no rollout finishes.`,
      remedy: "Set the rolling update to maxSurge 0, maxUnavailable 1, at the object that owns the strategy.",
    }),
    spread: (f: { part: string }) => ({
      message: `${f.part} must place a new pod before an old one goes, but its hard spread counts the old pods and leaves no node for it: no rollout finishes.`,
      remedy:
        "Let the spread count only new pods and usable nodes (matchLabelKeys [pod-template-hash], nodeTaintsPolicy Honor); " +
        "`holdfast fix` finds the form whose own rollout finishes here.",
    }),
    noRoom: (f: { part: string; what: string }) => ({
      message: `${f.part} must place a new pod before an old one goes, but no node it may use has ${f.what} free: no rollout finishes.`,
      remedy:
        "Set the rolling update to maxSurge 0, maxUnavailable 1, at the object that owns the strategy; or add a node.",
    }),
    standbys: (f: { part: string }) => ({
      message: `${f.part} elects a leader, so a new standby is never Ready and a rolling update waits for it for ever.`,
      remedy: "Use strategy Recreate at a quiet time, or run the pickers without leader election.",
    }),
  },
  look: ({ stops, view }, say) =>
    stops.flatMap((stop) => {
      const { workload, template, hop } = stop;
      if (workload?.kind !== "Deployment" || template === null || workload.replicas === 0) return [];
      if (!mustSurge(workload)) return [];
      const about = { severity: "warning" as const, quiet: true };
      const part = nameOf(stop);
      if (hop.leaderElected && workload.replicas > 1) return [say.of(stop, about, "standbys", { part })];
      const usable = usableNodes(view, template);
      if (usable.length === 0) return [];
      const apart = usable.filter((node) => !hasNeighbour(node, template));
      if (apart.length === 0) return [say.of(stop, about, "apart", { part, nodes: usable.length })];
      const evened = apart.filter((node) => !tooMany(view, node, stop, template));
      if (evened.length === 0) return [say.of(stop, about, "spread", { part })];
      if (evened.some((node) => hasRoom(node, template))) return [];
      return [say.of(stop, about, "noRoom", { part, what: scarce(evened, template) })];
    }),
});

function mustSurge({ strategy, replicas }: Deployment): boolean {
  return strategy.type === "RollingUpdate" && scaledValue(strategy.maxUnavailable, replicas, "down") === 0;
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
    const domains = [
      ...usableNodes(view, template),
      ...(constraint.nodeTaintsPolicy === "Ignore" ? taintedNodes(view, template) : []),
    ];
    const fewest = domains.length < (constraint.minDomains ?? 1) ? 0 : Math.min(...domains.map(count));
    return count(node) + 1 - fewest > constraint.maxSkew;
  });
}

function counted(node: NodeView, { pods }: Stop, { selector }: TopologySpreadConstraint): number {
  return pods.filter((pod) => pod.node === node && selector !== null && matches(selector, pod.template.labels)).length;
}

/** What is missing: the accelerator where it is that. */
function scarce(nodes: readonly NodeView[], template: PodTemplate): string {
  const missing = [...template.requests.scalar].find(([name, amount]) =>
    nodes.every(
      (node) => (node.requested.scalar.get(name) ?? 0) + amount > (node.node.allocatable.scalar.get(name) ?? 0),
    ),
  );
  return missing === undefined ? "CPU and memory" : `${missing[1]} ${missing[0]}`;
}
