import { byKey } from "../base/ordering.ts";
import { partNameOf, replicasOf } from "./component-cells.ts";
import { circle, drawing, headDown, label, rectangle, stroke } from "./drawing.ts";
import { bareNames, shortened } from "./node-names.ts";
import { counted } from "./text.ts";
import type { CheckEndpoint, Component, Placed } from "./types.ts";

/**
 * The path of an endpoint over the machines it stands on: parts from top to bottom as a request passes them, nodes from
 * left to right, zone by zone. A filled circle is ready, an empty one is not; a number is how many.
 */
export function pathPicture(endpoint: CheckEndpoint): string {
  const parts = endpoint.path.filter((part) => part.onPath);
  if (parts.length === 0) return "";
  const columns = columnsOf(parts);
  const width = labelWidth + columns.length * columnWidth + margin;
  const height = headHeight + (parts.length + 1) * rowHeight;
  const shapes = [
    ...zoneBands(columns, height),
    ...columns.map((column, index) =>
      label({ x: centre(index), y: headHeight - 8 }, shortened(column.title, 14), "small", "middle"),
    ),
    label({ x: margin, y: headHeight + rowHeight / 2 + 4 }, "requests", "faint"),
    ...parts.flatMap((part, index) => rowShapes(part, index + 1, columns)),
  ];
  return drawing({ width, height }, `Path of ${endpoint.namespace}/${endpoint.name} over nodes`, shapes.join(""));
}

const labelWidth = 270;
const columnWidth = 104;
const rowHeight = 40;
const headHeight = 44;
const margin = 12;
/** Where the line of requests runs. */
const flow = 4;

/** More nodes than this are drawn zone by zone. */
const mostNodes = 9;

interface Column {
  readonly title: string;
  readonly zone: string;
  readonly holds: (place: Placed) => boolean;
}

function columnsOf(parts: readonly Component[]): readonly Column[] {
  const places = new Map(
    parts.flatMap(({ placed }) =>
      placed.filter(({ node }) => node !== "").map((place) => [place.node, place] as const),
    ),
  );
  const nodes = [...places.values()].sort(byKey(({ zone, node }) => [zone, node].join("\0")));
  if (nodes.length <= mostNodes) {
    const titles = bareNames(nodes.map(({ node }) => node));
    return nodes.map(({ node, zone }, index) => ({
      title: titles[index] ?? node,
      zone,
      holds: (place) => place.node === node,
    }));
  }
  const zones = [...Map.groupBy(nodes, ({ zone }) => zone)].slice(0, mostNodes);
  return zones.map(([zone, here]) => ({
    title: counted(here.length, "node"),
    zone,
    holds: (place) => place.node !== "" && place.zone === zone,
  }));
}

function centre(column: number): number {
  return labelWidth + (column + 0.5) * columnWidth;
}

function zoneBands(columns: readonly Column[], height: number): readonly string[] {
  const bands: string[] = [];
  for (let first = 0; first < columns.length; ) {
    const zone = columns[first]?.zone ?? "";
    let next = first + 1;
    while (columns[next]?.zone === zone) next += 1;
    const box = {
      x: labelWidth + first * columnWidth + 3,
      y: 2,
      width: (next - first) * columnWidth - 6,
      height: height - 4,
    };
    bands.push(rectangle(box, "band"));
    const title = zone === "" ? "no zone stated" : `zone ${zone}`;
    const room = Math.floor(box.width / 7);
    bands.push(label({ x: box.x + box.width / 2, y: 18 }, shortened(title, room), "faint", "middle"));
    first = next;
  }
  return bands;
}

function rowShapes(part: Component, row: number, columns: readonly Column[]): readonly string[] {
  const y = headHeight + row * rowHeight + rowHeight / 2;
  const name = partNameOf(part);
  const line = { x: flow, y: y - rowHeight + 4 };
  return [
    stroke(line, { x: flow, y }, part.needed ? "flow" : "flow dashed"),
    headDown({ x: flow, y: y + 2 }, "head"),
    label({ x: margin, y: y - 1 }, shortened(name, 36), part.needed ? "name" : "faint"),
    label({ x: margin, y: y + 13 }, shortened(detailOf(part), 44), "small"),
    ...(part.outside === ""
      ? podShapes(part, y, columns)
      : [label({ x: labelWidth + 8, y: y + 4 }, part.outside, "faint")]),
  ];
}

function detailOf(part: Component): string {
  const survives = { yes: "survives one drain", no: "lost in one drain", stalls: "stalls a drain", unknown: "" };
  const lot = part.outside === "" && part.needed ? survives[part.survives.drainOneNode] : "";
  return [replicasOf(part), part.needed ? "" : "not needed", lot].filter((text) => text !== "").join(" · ");
}

function podShapes(part: Component, y: number, columns: readonly Column[]): readonly string[] {
  const waiting = part.placed.filter(({ node }) => node === "").reduce((sum, { pods }) => sum + pods, 0);
  const shapes = columns.flatMap((column, index) => {
    const here = part.placed.filter(column.holds);
    const pods = here.reduce((sum, place) => sum + place.pods, 0);
    if (pods === 0) return [];
    const ready = here.reduce((sum, place) => sum + place.ready, 0);
    const look = ready === pods ? "pod" : ready === 0 ? "pod off" : "pod part";
    const says = `${part.component}: ${ready} of ${pods} ready on ${column.title}`;
    const at = { x: centre(index), y };
    return [
      circle(at, 10, look, says),
      ...(pods > 1 ? [label({ x: at.x, y: y + 4 }, String(pods), "count", "middle")] : []),
    ];
  });
  if (waiting > 0) shapes.push(label({ x: labelWidth - 8, y: y + 4 }, `${waiting} pending`, "lost", "end"));
  else if (part.placed.length === 0) shapes.push(label({ x: labelWidth - 8, y: y + 4 }, "no pods", "lost", "end"));
  return shapes;
}
