import { type Node, zoneOf } from "../model/node.ts";
import type { NodeCount } from "./actor.ts";

/** How many nodes that is for a pool of these nodes. */
export function nodeCount(count: NodeCount, pool: readonly Pick<Node, "labels">[]): number {
  if (count === "all") return pool.length;
  if (typeof count === "number") return count;
  if ("perZone" in count) {
    const zones = new Set(pool.map(({ labels }) => zoneOf(labels)));
    return Math.max(count.least, count.perZone * zones.size);
  }
  const share = (pool.length * count.percent) / 100;
  return Math.max(count.least, count.rounds === "up" ? Math.ceil(share) : Math.floor(share));
}

/** `1`, `every one`, `10 % (rounded up)`, `2 for each zone`: for people. */
export function nodeCountText(count: NodeCount): string {
  if (count === "all") return "every one";
  if (typeof count === "number") return String(count);
  if ("perZone" in count) return `${count.perZone} for each zone`;
  const least = count.least > 0 ? `, at least ${count.least}` : "";
  return `${count.percent} % (rounded ${count.rounds}${least})`;
}
