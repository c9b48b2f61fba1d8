import type { Node } from "../model/node.ts";

/** One more node of a shape that is there, empty and open. */
export function nodeLike(node: Node, nodes: readonly Node[]): Node {
  let name = `${node.name}-more`;
  while (nodes.some((other) => other.name === name)) name = `${name}-more`;
  return {
    ...node,
    name,
    labels: new Map([...node.labels].map(([key, value]) => [key, key === "kubernetes.io/hostname" ? name : value])),
    conditions: node.conditions.filter(({ type }) => type === "Ready"),
    unschedulable: false,
    providerId: "",
  };
}
