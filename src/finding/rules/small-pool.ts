import { type Pool, poolsOf } from "../../maintenance/pool.ts";
import type { ClusterView, NodeView } from "../../model/view.ts";
import { type Closing, closingOf, isSetUpWell, livesOn } from "../closing.ts";
import type { Finding } from "../finding.ts";
import { findingRule, nameOf, type Say } from "../finding-rule.ts";
import type { Scene, Stop } from "../scene.ts";

const messages = {
  oneNode: (f: { pool: string; node: string; parts: string }) => ({
    message: `Pool ${f.pool} has one node, ${f.node}: when it is drained, what is evicted of ${f.parts} has nowhere to go until it is back.`,
    remedy: "Give the pool a second node, and each part a second replica on it.",
  }),
  tooFull: (f: { pool: string; node: string; what: string; parts: string }) => ({
    message: `Pool ${f.pool} cannot lose ${f.node}: the ${f.what} its pods ask for is not free on the other nodes, so some of ${f.parts} may stay Pending.`,
    remedy: "Add a node to the pool, or lower requests that are not used.",
  }),
  allAtOnce: (f: { pool: string; nodes: number; actor: string; parts: string }) => ({
    message: `${f.actor} closes all ${f.nodes} nodes of pool ${f.pool} before it drains the first: replacements of ${f.parts} wait until a node is back.`,
    remedy:
      "Run two of each part, on different nodes, under budgets of maxUnavailable 1; then the second node waits for the first.",
  }),
  closesAll: (f: { pools: string; actor: string }) => ({
    message: `${f.actor} closes all nodes of ${f.pools} before it drains the first: what is evicted waits until a node is back.`,
    remedy:
      "Keep two replicas of each part on different nodes, under budgets of maxUnavailable 1: they get through it.",
  }),
  opensNone: (f: { pools: string; actor: string }) => ({
    message: `Told to take all nodes of ${f.pools}, ${f.actor} opens none of them again: what is evicted first waits for ever, and under its budget so does the maintenance.`,
    remedy: "Drain one node at a time and open it again before the next.",
  }),
};

/** The nodes a path part may use: too few, too full, or all closed at once. */
export const smallPool = findingRule({
  name: "small-pool",
  code: "HF014",
  title: "A pool too small to lose a node",
  explain: `Some parts of the path can run on one pool only: small ones (proxies, pickers, DNS) on a few system nodes, because GPU nodes are tainted; engines on the GPU nodes. Three ways in which a pool is too little for them:

one node: whatever is evicted from it has nowhere to go until it is back;

too full: the other nodes have no room for what the drained one runs;

all at once: whoever maintains the pool closes every node before draining the first, so a replacement waits for the first node to come back, minutes or more, however many nodes there are. Two replicas on different nodes under a budget of maxUnavailable 1 get through that. Where nobody opens a node before the last is drained (kubectl drain of the whole pool), nothing gets through, however it is set up: that is for whoever drains to avoid.

It is an error where a likely maintenance breaks or stalls because of it: on a pool of one node through any part; else through parts that are themselves set up well (several replicas on several nodes, under a budget), since the others are told of by what is wrong with them (HF001, HF002, HF008 and others). Else it is a note, and so is what only the way of draining decides.`,
  messages,
  look: (scene, say) => {
    const pools = poolsOf(scene.cluster.nodes).map((pool) => ({ pool, closing: closingOf(scene, pool) }));
    const closings = pools.flatMap(({ closing }) => closing ?? []);
    const noted = closings.filter(({ hurt, comeBack }) => hurt.length > 0 !== comeBack);
    const byActor = Map.groupBy(noted, ({ actor }) => actor);
    return [
      ...pools.flatMap(({ pool }) => sizeOf(scene, pool, say)),
      ...closings.filter(({ hurt, comeBack }) => hurt.length > 0 && comeBack).map((closing) => allAtOnce(closing, say)),
      ...[...byActor.values()].flatMap((alike) => wholePools(alike, say)),
    ];
  },
});

function sizeOf(scene: Scene, pool: Pool, say: Say<typeof messages>): readonly Finding[] {
  const stops = scene.stops.filter((stop) => stop.hop.hop !== "engine" && livesOn(scene, stop, pool));
  const [only] = pool.nodes;
  if (stops.length === 0 || only === undefined) return [];
  if (pool.nodes.length === 1) {
    const hurt = stops.filter(({ shown }) => shown.broke.length + shown.stalled.length + shown.closedOut.length > 0);
    const facts = { pool: pool.name, node: only.name, parts: partsText(hurt.length > 0 ? hurt : stops) };
    return [say.about(aboutPool(pool, hurt.length > 0), "oneNode", facts)];
  }
  const full = tooFull(scene.view, pool);
  if (full === null) return [];
  const hurt = stops.filter((stop) => isSetUpWell(stop) && stop.shown.broke.length + stop.shown.stalled.length > 0);
  const facts = { pool: pool.name, ...full, parts: partsText(hurt.length > 0 ? hurt : stops) };
  return [say.about(aboutPool(pool, hurt.length > 0), "tooFull", facts)];
}

function allAtOnce({ pool, actor, hurt }: Closing, say: Say<typeof messages>): Finding {
  const facts = { pool: pool.name, nodes: pool.nodes.length, actor: actor.title };
  return say.about(aboutPool(pool, true), "allAtOnce", { ...facts, parts: partsText(hurt) });
}

/** One actor's way, told once for all its pools. */
function wholePools(closings: readonly Closing[], say: Say<typeof messages>): readonly Finding[] {
  const [first] = closings;
  if (first === undefined) return [];
  const { actor } = first;
  const names = closings.map(({ pool }) => pool.name).join(", ");
  const facts = { pools: `${closings.length > 1 ? "pools" : "pool"} ${names}`, actor: actor.title };
  const about = { severity: "note" as const, endpoint: "", component: `Pool ${names}` };
  return [say.about(about, first.comeBack ? "closesAll" : "opensNone", facts)];
}

function aboutPool({ name, nodes }: Pool, hurts: boolean) {
  return {
    severity: hurts ? ("error" as const) : ("note" as const),
    endpoint: "",
    component: `Pool ${name}`,
    evidence: nodes.map((node) => `node ${node.name}`),
  };
}

function partsText(stops: readonly Stop[]): string {
  return stops.map((stop) => nameOf(stop)).join(", ");
}

/** A node whose pods' requests exceed what the others have free, summed up; null: any one can go. */
function tooFull(view: ClusterView, pool: Pool): { readonly node: string; readonly what: string } | null {
  const nodes = pool.nodes.flatMap(({ name }) => view.node(name) ?? []);
  const free = { cpu: freeOf(nodes, cpu), memory: freeOf(nodes, memory) };
  for (const node of nodes) {
    if (free.cpu - freeOf([node], cpu) < movable(view, node, cpu)) return { node: node.name, what: "CPU" };
    if (free.memory - freeOf([node], memory) < movable(view, node, memory)) return { node: node.name, what: "memory" };
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
