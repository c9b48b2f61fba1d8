import { unreachable } from "../base/invariant.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Actor } from "../maintenance/actor.ts";
import { nodeCount } from "../maintenance/node-count.ts";
import { type Pool, poolsOf } from "../maintenance/pool.ts";
import { settingOf } from "../maintenance/settings.ts";
import type { Cluster } from "../model/cluster.ts";
import { type Node, zoneOf } from "../model/node.ts";

/** Nodes that an actor works through with one count of how many at once: a pool, or all of them. */
export interface Lane {
  /** Of the pool; of the first one, where several are worked on as one. */
  readonly pool: string;
  /** As the cluster sets it for this pool. */
  readonly actor: Actor;
  /** Every node of the pool, those outside the maintenance too: they may use up what is allowed at once. */
  readonly members: readonly string[];
  /** In the order in which they are taken, where the actor has one. */
  readonly nodes: readonly string[];
  readonly nodesAtOnce: number;
  readonly surgeNodes: number;
  /** Why none of its nodes is taken; "" when they are. */
  readonly held: string;
  /** Its nodes as they were at the beginning: new ones are made like them. */
  readonly like: ReadonlyMap<string, Node>;
}

/** The nodes of a maintenance as the actor divides them. */
export function lanesOf(
  cluster: Cluster,
  actor: Actor,
  nodes: readonly Node[],
  order: "any" | "given",
): readonly Lane[] {
  const all = poolsOf(cluster.nodes);
  const poolOf = membersOf(all);
  const touched = new Set(nodes.map((node) => poolOf.get(node)));
  const pools = all.filter((pool) => touched.has(pool));
  const [first] = pools;
  if (first === undefined) return [];
  if (actor.pools === "together") {
    const whole = pools.length === 1 ? first : { name: first.name, nodes: pools.flatMap((pool) => pool.nodes) };
    return [laneOf(cluster, actor, whole, nodes, order)];
  }
  return pools.map((pool) => {
    const own = nodes.filter((node) => poolOf.get(node) === pool);
    return laneOf(cluster, actor, pool, own, order);
  });
}

/** Node → its pool; the same for every maintenance of a cluster. */
function membersOf(pools: readonly Pool[]): ReadonlyMap<Node, Pool> {
  let members = poolByNode.get(pools);
  if (members === undefined) {
    members = new Map(pools.flatMap((pool) => pool.nodes.map((node) => [node, pool] as const)));
    poolByNode.set(pools, members);
  }
  return members;
}

const poolByNode = new WeakMap<readonly Pool[], ReadonlyMap<Node, Pool>>();

function namesOf(pool: Pool): readonly string[] {
  let names = namesByPool.get(pool);
  if (names === undefined) {
    names = pool.nodes.map(({ name }) => name);
    namesByPool.set(pool, names);
  }
  return names;
}

const namesByPool = new WeakMap<Pool, readonly string[]>();

function laneOf(cluster: Cluster, registered: Actor, pool: Pool, nodes: readonly Node[], order: "any" | "given"): Lane {
  const { actor, held } = settingOf(cluster, pool, registered);
  return {
    pool: pool.name,
    actor,
    members: namesOf(pool),
    nodes: (order === "given" ? nodes : inActorsOrder(actor, nodes)).map(({ name }) => name),
    // Shares are of the pool; every one means those of the maintenance.
    nodesAtOnce: nodeCount(actor.nodesAtOnce, actor.nodesAtOnce === "all" ? nodes : pool.nodes),
    surgeNodes:
      actor.surge === null ? 0 : nodeCount(actor.surge.nodes, actor.surge.nodes === "all" ? nodes : pool.nodes),
    held,
    like: new Map(nodes.map((node) => [node.name, node])),
  };
}

function inActorsOrder(actor: Actor, nodes: readonly Node[]): readonly Node[] {
  switch (actor.order) {
    case "any":
    case "given":
      return nodes;
    case "name":
      return [...nodes].sort((a, b) => byCodeUnit(a.name, b.name));
    case "zone-then-oldest": {
      // Nodes without a zone come last.
      const zone = (node: Node): string => zoneOf(node.labels) || "\uffff";
      const born = (node: Node): number => node.createdAtMs ?? 0;
      return [...nodes].sort((a, b) => byCodeUnit(zone(a), zone(b)) || born(a) - born(b));
    }
    default:
      return unreachable(actor.order);
  }
}
