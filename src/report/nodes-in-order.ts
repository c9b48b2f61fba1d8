import type { NodeChoice } from "../sim/scenario.ts";

/**
 * The nodes of a maintenance, `nodes`, in this order. All of a pool are told as the pool and those of it that come first, the
 * others as the pool has them: there may be thousands.
 */
export function nodesInOrder(nodes: NodeChoice, order: readonly string[], pool: string): NodeChoice {
  if (nodes.by !== "names" || nodes.names.length === 1 || order.length < nodes.names.length)
    return { by: "names", names: order };
  const { names } = nodes;
  let first = order.length;
  for (let place = names.length; first > 0 && place > 0; first -= 1) {
    place = names.lastIndexOf(order[first - 1] ?? "", place - 1);
    if (place < 0) break;
  }
  return { by: "pool", pool, first: order.slice(0, first) };
}
