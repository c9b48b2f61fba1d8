import { type Pool, poolsOf } from "../../maintenance/pool.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { findingRule, nameOf } from "../finding-rule.ts";
import { usableNodes } from "../nodes.ts";
import type { Scene, Stop } from "../scene.ts";

/** The nodes a path part may use: too few, too full, or all closed at once. */
export const smallPool = findingRule({
  name: "small-pool",
  code: "HF014",
  title: "A pool too small to lose a node",
  explain: `The small parts of the path (proxies, pickers, DNS) run on a pool of one or two system nodes, because GPU nodes are tainted. Three ways in which that is too little:

one node: whatever is evicted from it has nowhere to go until it is back;

too full: the other nodes have no room for what the drained one runs;

all at once: the actor closes every node of the pool before it drains the first, so a replacement waits for the first node to come back, minutes or more, however many nodes there are. Only replicas on several nodes under a budget get through that.

It is an error where a likely maintenance breaks an endpoint through a part of that pool, or stalls on it because all its nodes are closed, else a note.`,
  messages: {
    oneNode: (f: { pool: string; node: string; parts: string }) => ({
      message: `Pool ${f.pool} has one node, ${f.node}: when it is drained, ${f.parts} have nowhere to go until it is back.`,
      remedy: "Give the pool a second node, and the parts a second replica on it.",
    }),
    tooFull: (f: { pool: string; node: string; what: string; parts: string }) => ({
      message: `Pool ${f.pool} cannot lose ${f.node}: the ${f.what} its pods ask for is not free on the other nodes, so some of ${f.parts} may stay Pending.`,
      remedy: "Add a node to the pool, or lower requests that are not used.",
    }),
    allAtOnce: (f: { pool: string; nodes: number; actor: string; parts: string; comeBack: boolean }) => ({
      message: `${f.actor} closes all ${f.nodes} nodes of pool ${f.pool} before it drains the first: replacements of ${f.parts} wait until a node is back.`,
      remedy: f.comeBack
        ? "Run two of each part, on different nodes, under budgets of maxUnavailable 1; then the second node waits for the first."
        : "Drain one node at a time and open it again before the next; and run two of each part, on different nodes, under budgets of maxUnavailable 1.",
    }),
  },
  look: (scene, say) =>
    poolsOf(scene.cluster.nodes).flatMap((pool) => {
      const closed = closedAtOnce(scene, pool);
      const stops = scene.stops.filter((stop) => livesOn(scene, stop, pool));
      if (stops.length === 0) return closed === null ? [] : [say.about(closed.about, "allAtOnce", closed.facts)];
      const broken = stops.filter(({ shown }) => shown.broke.length > 0);
      const told = broken.length > 0 ? broken : stops;
      const parts = told.map((stop) => nameOf(stop)).join(", ");
      const about = {
        severity: broken.length > 0 ? ("error" as const) : ("note" as const),
        endpoint: "",
        component: `Pool ${pool.name}`,
        evidence: pool.nodes.map(({ name }) => `node ${name}`),
      };
      const [only] = pool.nodes;
      if (pool.nodes.length === 1 && only !== undefined)
        return [say.about(about, "oneNode", { pool: pool.name, node: only.name, parts })];
      const full = tooFull(scene.view, pool);
      if (full !== null) return [say.about(about, "tooFull", { pool: pool.name, ...full, parts })];
      return closed === null ? [] : [say.about(closed.about, "allAtOnce", closed.facts)];
    }),
});

/** What closing the whole pool broke or held, engines included; null: nothing, or its actor does not close it so. */
function closedAtOnce({ actors, stops }: Scene, pool: Pool) {
  const actor = actors.find(({ closeWhen, surge }) => closeWhen === "all" && surge === null);
  const name = `pool-maintenance/${pool.name}`;
  const hurt = stops.filter(
    ({ hop, shown }) => hop.needed && (shown.broke.includes(name) || shown.stalled.includes(name)),
  );
  if (actor === undefined || hurt.length === 0 || pool.nodes.length < 2) return null;
  const comeBack = actor.afterDrain === "reboots" || actor.afterDrain === "replaced";
  const parts = hurt.map((stop) => nameOf(stop)).join(", ");
  return {
    about: {
      severity: "error" as const,
      endpoint: "",
      component: `Pool ${pool.name}`,
      evidence: pool.nodes.map((node) => `node ${node.name}`),
    },
    facts: { pool: pool.name, nodes: pool.nodes.length, actor: actor.title, parts, comeBack },
  };
}

/** A needed part all of whose usable nodes are of this pool. DaemonSets bring their own pod to every node. */
function livesOn({ view }: Scene, { hop, template, workload, units }: Stop, pool: Pool): boolean {
  if (!hop.needed || units === 0 || template === null || workload?.kind === "DaemonSet" || hop.hop === "engine")
    return false;
  const names = new Set(pool.nodes.map(({ name }) => name));
  const usable = usableNodes(view, template);
  return usable.length > 0 && usable.every(({ name }) => names.has(name));
}

/** A node whose pods' requests exceed what the others have free, summed up; null: any one can go. */
function tooFull(view: ClusterView, pool: Pool): { readonly node: string; readonly what: string } | null {
  const nodes = pool.nodes.flatMap(({ name }) => view.node(name) ?? []);
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node);
    if (freeOf(others, cpu) < movable(view, node, cpu)) return { node: node.name, what: "CPU" };
    if (freeOf(others, memory) < movable(view, node, memory)) return { node: node.name, what: "memory" };
  }
  return null;
}

type Amount = { readonly milliCpu: number; readonly memoryBytes: number };
const cpu = ({ milliCpu }: Amount): number => milliCpu;
const memory = ({ memoryBytes }: Amount): number => memoryBytes;

function freeOf(nodes: readonly NodeView[], amount: (of: Amount) => number): number {
  return nodes.reduce((sum, { node, requested }) => sum + amount(node.allocatable) - amount(requested), 0);
}

function movable(view: ClusterView, node: NodeView, amount: (of: Amount) => number): number {
  const moves = node.pods.filter((pod) => {
    const owner = pod.owner === null ? undefined : view.workload(pod.owner);
    return !pod.mirror && pod.owner !== null && owner?.spec.kind !== "DaemonSet";
  });
  return moves.reduce((sum, { requests }) => sum + amount(requests), 0);
}
