import { underKey } from "../../base/under-key.ts";
import { mayRefuse, planDrain } from "../../eviction/drain.ts";
import { type DrainFlags, parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { poolsOf } from "../../maintenance/pool.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { PodKin } from "../../model/pod-columns.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { PodsRead } from "../../sim/pods-read.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { few } from "../knob-text.ts";
import { severityOf } from "../outcome.ts";
import type { Scene } from "../scene.ts";

/** Pods because of which kubectl drain refuses a node. Mirrors: kubectl drain's filters, 1.36. */
export const drainRefused = findingRule({
  name: "drain-refused",
  code: "HF026",
  title: "Pods that make kubectl drain refuse",
  explain: `A pod has no controller, or belongs to a DaemonSet that is gone. kubectl drain refuses its whole node without --force, and leaves the node cordoned with everything still on it; with --force, and under most actors, the pod is deleted and nothing ever brings it back.

Run what the path needs under a Deployment. Anything else (a debug pod, a test) is deleted before the maintenance, by those it belongs to.

For a pod of the path it is an error where a likely maintenance breaks or stalls through it, else a warning. Other pods on the nodes of the path are named in one note, where whoever maintains the nodes refuses them.`,
  messages: {
    bare: (f: { part: string; pod: string }) => ({
      message: `${f.pod} (${f.part}) has no controller: kubectl drain refuses its node, and once it is evicted nothing brings it back.`,
      remedy: "Run it under a Deployment.",
    }),
    refuses: (f: { actor: string; nodes: string }) => ({
      message: `${f.actor} refuses ${f.nodes}: nothing is evicted there, and the node stays closed.`,
      remedy: "Delete the pods that the evidence names, or let their owners do it; --force deletes them for good.",
    }),
  },
  look: (scene, say) => [
    ...scene.stops.flatMap((stop) => {
      const pod = stop.pods.find(isBare);
      if (pod === undefined) return [];
      const about = { severity: severityOf(stop.shown, "warning", "either") };
      return [say.of(stop, about, "bare", { part: nameOf(stop), pod: pod.key })];
    }),
    ...refusalsOf(scene).map(({ actor, nodes, lines }) => {
      const about = { severity: "note" as const, endpoint: "", component: "", evidence: lines };
      return say.about(about, "refuses", { actor, nodes: few(nodes) });
    }),
  ],
});

function isBare({ owner, mirror }: PodView): boolean {
  return owner === null && !mirror;
}

interface Refusal {
  readonly actor: string;
  readonly nodes: readonly string[];
  readonly lines: readonly string[];
}

/** By actor: the nodes of the path it would refuse for the sake of somebody else's pods. */
function refusalsOf({ cluster, view, stops, maintainers }: Scene): readonly Refusal[] {
  const near = new Set(stops.flatMap(({ pods }) => pods.flatMap(({ node }) => node?.name ?? [])));
  const told = new Set(stops.flatMap(({ pods }) => pods.filter(isBare).flatMap(({ node }) => node?.name ?? [])));
  // One actor mostly maintains several pools.
  const refusingBy = new Map<Actor, (node: string) => boolean>();
  const refused = poolsOf(cluster.nodes).flatMap(({ name, nodes }) => {
    const actor = maintainers.get(name);
    const parsed = parseDrainFlags(actor?.drain.flags ?? []);
    if (actor === undefined || actor.drain.by !== "eviction" || !parsed.ok || actor.drain.barePods === "skipped")
      return [];
    const refusing = underKey(refusingBy, actor, () => refusingNodes(cluster, view, parsed.flags));
    return nodes
      .filter((node) => near.has(node.name) && !told.has(node.name) && refusing(node.name))
      .flatMap((node) =>
        planDrain(view, node.name, parsed.flags).refusals.map((line) => ({ actor, node: node.name, line })),
      );
  });
  return [...Map.groupBy(refused, ({ actor }) => actor)].map(([actor, all]) => ({
    actor: actor.title,
    nodes: [...new Set(all.map(({ node }) => node))],
    lines: all.map(({ node, line }) => `node ${node}: ${line}`),
  }));
}

/** Whether a node has pods that may refuse a drain: those that are alike are looked at once. */
function refusingNodes(cluster: Cluster, view: ClusterView, flags: DrainFlags): (node: string) => boolean {
  const read = PodsRead.of(cluster);
  const known = new Map<PodKin, boolean>();
  const may = (kin: PodKin): boolean => underKey(known, kin, () => mayRefuse(view, kin, flags));
  return (node) => read.onNode(node).some((uid) => may(read.kinAt(uid)));
}
