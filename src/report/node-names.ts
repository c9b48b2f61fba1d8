import { columnsOf } from "./text.ts";

/** Names of nodes without their domain, where that leaves them apart. */
export function bareNames(nodes: readonly string[]): readonly string[] {
  const bare = nodes.map((node) => node.split(".")[0] ?? node);
  return new Set(bare).size === new Set(nodes).size ? bare : nodes;
}

/** At most so many columns: names of machines differ at their ends, so the middle goes. */
export function shortened(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  const characters = [...text];
  const tail = Math.ceil((most - 1) * 0.6);
  return `${characters.slice(0, most - 1 - tail).join("")}…${characters.slice(-tail).join("")}`;
}
