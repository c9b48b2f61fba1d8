import { listed } from "../base/words.ts";
import { printable } from "./columns.ts";
import { bareNames, shortened } from "./node-names.ts";
import { columnsOf, counted } from "./text.ts";
import type { Component } from "./types.ts";

/** Columns from the end of one part to the next. */
const gap = 4;

/**
 * The path as one line, with the nodes its parts stand on under them; nothing where the terminal is too narrow for it.
 *
 *     CoreDNS 2 ─▶ Gateway proxy 1 ─▶ Engine 2
 *     n1 and n2    n1                 gpu-1 and gpu-2
 */
export function pathLines(path: readonly Component[], width: number | null): readonly string[] {
  const parts = path.filter((part) => part.onPath);
  if (width === null || parts.length < 2) return [];
  const names = nodeNames(parts);
  const cells = parts.map((part) => ({ head: headOf(part), place: placeOf(part, names) }));
  const widths = cells.map(({ head, place }) => Math.max(columnsOf(head), columnsOf(place)));
  if (2 + widths.reduce((sum, each) => sum + each + gap, 0) - gap > width) return [];
  const heads = cells.map(({ head }, at) => {
    const room = (widths[at] ?? 0) - columnsOf(head);
    return at === cells.length - 1 ? head : `${head} ${"─".repeat(room + 1)}▶ `;
  });
  const places = cells.map(({ place }, at) => place + " ".repeat((widths[at] ?? 0) - columnsOf(place) + gap));
  return [`  ${heads.join("")}`, `  ${places.join("")}`.trimEnd()];
}

function nodeNames(parts: readonly Component[]): ReadonlyMap<string, string> {
  const nodes = [...new Set(parts.flatMap((part) => part.nodes))];
  const bare = bareNames(nodes);
  return new Map(nodes.map((node, index) => [node, shortened(printable(bare[index] ?? node), 18)]));
}

function headOf(part: Component): string {
  const name = printable(part.component);
  if (part.outside !== "") return name;
  const wanted = part.desired ?? part.ready;
  const count = part.ready === wanted ? `${wanted}` : `${part.ready}/${wanted}`;
  return `${name} ${count}${part.needed ? "" : " (not needed)"}`;
}

function placeOf({ outside, nodes, zones }: Component, names: ReadonlyMap<string, string>): string {
  if (outside !== "") return "outside";
  if (nodes.length <= 2) return listed(nodes.map((node) => names.get(node) ?? node));
  return `${counted(nodes.length, "node")}${zones.length > 1 ? ` in ${counted(zones.length, "zone")}` : ""}`;
}
