import type { NodeChoice } from "../sim/scenario.ts";

/**
 * The nodes of a maintenance, `nodes`, in this order. All of a pool are told as the pool and those of it that come first, the
 * others as the pool has them: there may be thousands.
 */
export function nodesInOrder(nodes: NodeChoice, order: readonly string[], pool: string): NodeChoice {
  if (nodes.by !== "names" || nodes.names.length === 1 || order.length < nodes.names.length)
    return { by: "names", names: order };
  const places = new Map(nodes.names.map((name, place) => [name, place]));
  const placeOf = (at: number): number => places.get(order[at] ?? "") ?? 0;
  let first = order.length - 1;
  while (first > 0 && placeOf(first - 1) < placeOf(first)) first -= 1;
  return { by: "pool", pool, first: order.slice(0, first) };
}
