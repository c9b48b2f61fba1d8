import { unreachable } from "../base/invariant.ts";
import { spokenSeconds } from "../base/words.ts";
import { circle, drawing, label, rectangle, stroke } from "./drawing.ts";
import { bareNames, shortened } from "./node-names.ts";
import type { TimelineEvent, Trace } from "./types.ts";

/**
 * What happens in a trace, lane by lane: the endpoint, the nodes that are closed or away, and the parts that move.
 * Gaps between events are drawn shorter the longer they are; the moments under them are right.
 */
export function coursePicture(endpoint: string, trace: Trace): string {
  const { timeline } = trace;
  if (timeline.length === 0) return "";
  const scale = scaleOf(timeline);
  const lanes = [endpointLane(endpoint, trace, scale), ...nodeLanes(timeline, scale), ...partLanes(trace, scale)];
  const height = (lanes.length + 1) * laneHeight + 34;
  const width = labelWidth + scale.width + margin;
  const shapes = [
    ...momentsOf(timeline, endpoint, scale).flatMap(({ x, text }) => [
      stroke({ x, y: 4 }, { x, y: (lanes.length + 0.3) * laneHeight }, "grid"),
      label({ x, y: (lanes.length + 0.8) * laneHeight }, text, "faint", "middle"),
    ]),
    ...lanes.flatMap(({ title, draw }, index) => {
      const y = index * laneHeight + 6;
      return [label({ x: labelWidth - 10, y: y + 13 }, shortened(title, 26), "small", "end"), ...draw(y)];
    }),
    ...legend((lanes.length + 1.4) * laneHeight),
  ];
  return drawing({ width: Math.max(width, 640), height }, `Timeline of ${trace.name}`, shapes.join(""));
}

const labelWidth = 190;
const laneHeight = 24;
const margin = 40;

interface Lane {
  readonly title: string;
  readonly draw: (y: number) => readonly string[];
}

interface Scale {
  readonly at: (seconds: number) => number;
  readonly end: number;
  readonly width: number;
}

/** Each gap takes some room, and ten times as long a gap only a little more. */
function scaleOf(timeline: readonly TimelineEvent[]): Scale {
  const moments = [...new Set([0, ...timeline.map(({ atSeconds }) => atSeconds)])].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let x = 0;
  let before = 0;
  for (const moment of moments) {
    x += moment === before ? 0 : 10 + 22 * Math.log10(1 + moment - before);
    places.set(moment, x);
    before = moment;
  }
  const most = 720;
  const shrink = x > most ? most / x : 1;
  const end = (x + 34) * shrink;
  return { at: (seconds) => labelWidth + (places.get(seconds) ?? x) * shrink, end: labelWidth + end, width: end };
}

interface Span {
  readonly fromSeconds: number;
  /** Null: to the end. */
  readonly toSeconds: number | null;
  readonly look: string;
  readonly says: string;
}

function spanShapes(spans: readonly Span[], scale: Scale, y: number): readonly string[] {
  return spans.map(({ fromSeconds, toSeconds, look, says }) => {
    const x = scale.at(fromSeconds);
    const end = toSeconds === null ? scale.end : scale.at(toSeconds);
    return rectangle({ x, y, width: Math.max(2, end - x), height: laneHeight - 8 }, look, says);
  });
}

function endpointLane(endpoint: string, { timeline }: Trace, scale: Scale): Lane {
  const turns = timeline.flatMap((event): readonly Turn[] => {
    if (!("endpoint" in event) || event.endpoint !== endpoint) return [];
    switch (event.type) {
      case "endpoint-down":
        return [{ atSeconds: event.atSeconds, look: "span bad", says: `down: nothing ready of ${event.hop}` }];
      case "endpoint-degraded":
        return [{ atSeconds: event.atSeconds, look: "span warn", says: "below its floor" }];
      case "endpoint-up":
        return [{ atSeconds: event.atSeconds, look: "span good", says: "up" }];
      default:
        return unreachable(event);
    }
  });
  const spans = spansOf([{ atSeconds: 0, look: "span good", says: "up" }, ...turns]);
  return { title: endpoint, draw: (y) => spanShapes(spans, scale, y) };
}

interface Turn {
  readonly atSeconds: number;
  /** "" draws nothing. */
  readonly look: string;
  readonly says: string;
}

/** From each turn to the next. */
function spansOf(turns: readonly Turn[]): readonly Span[] {
  return turns.flatMap(({ atSeconds, look, says }, index) => {
    const next = turns[index + 1];
    if (look === "" || next?.atSeconds === atSeconds) return [];
    return [{ fromSeconds: atSeconds, toSeconds: next?.atSeconds ?? null, look, says }];
  });
}

const mostNodes = 8;

function nodeLanes(timeline: readonly TimelineEvent[], scale: Scale): readonly Lane[] {
  const turns = new Map<string, Turn[]>();
  for (const event of timeline) {
    const turn = nodeTurn(event);
    if (turn === null || !("node" in event)) continue;
    const known = turns.get(event.node);
    if (known === undefined) turns.set(event.node, [turn]);
    else known.push(turn);
  }
  const shown = [...turns].slice(0, mostNodes);
  const titles = bareNames(shown.map(([node]) => node));
  return shown.map(([node, list], index) => ({
    title: titles[index] ?? node,
    draw: (y) => spanShapes(spansOf(list), scale, y),
  }));
}

function nodeTurn(event: TimelineEvent): Turn | null {
  const { atSeconds } = event;
  switch (event.type) {
    case "node-cordoned":
      return { atSeconds, look: "span closed", says: "cordoned" };
    case "drain-started":
      return { atSeconds, look: "span draining", says: "drained" };
    case "drain-stalled":
      return { atSeconds, look: "span warn", says: "the drain waits" };
    case "drain-completed":
      return { atSeconds, look: "span closed", says: `drained: ${event.outcome}` };
    case "node-down":
      return { atSeconds, look: "span away", says: "down" };
    case "node-removed":
      return { atSeconds, look: "span away", says: "removed" };
    case "node-up":
      return { atSeconds, look: "span closed", says: "back" };
    case "node-uncordoned":
      return { atSeconds, look: "", says: "open" };
    default:
      return null;
  }
}

const mostParts = 8;

/** Only the parts something happens to. */
function partLanes(trace: Trace, scale: Scale): readonly Lane[] {
  const componentOf = new Map(trace.pods.map(({ pod, component }) => [pod, component]));
  const marks = new Map<string, Map<string, { readonly at: number; readonly look: string; readonly says: string }>>();
  for (const event of trace.timeline) {
    const mark = podMark(event);
    const component = "pod" in event ? componentOf.get(event.pod) : undefined;
    if (mark === null || component === undefined) continue;
    const known = marks.get(component) ?? new Map();
    marks.set(component, known);
    known.set(`${event.atSeconds} ${mark.look}`, { at: event.atSeconds, ...mark });
  }
  return [...marks].slice(0, mostParts).map(([component, list]) => ({
    title: component,
    draw: (y) => [
      stroke({ x: labelWidth, y: y + 8 }, { x: scale.end, y: y + 8 }, "grid"),
      ...[...list.values()].map(({ at, look, says }) => circle({ x: scale.at(at), y: y + 8 }, 5, look, says)),
    ],
  }));
}

function podMark(event: TimelineEvent): { readonly look: string; readonly says: string } | null {
  switch (event.type) {
    case "eviction":
      return event.code === 201
        ? { look: "mark gone", says: `${event.pod} is evicted` }
        : { look: "mark held", says: `${event.pod}: eviction refused, ${event.code}` };
    case "pod-deleted":
    case "pod-preempted":
      return { look: "mark gone", says: `${event.pod} goes` };
    case "pod-unschedulable":
      return { look: "mark homeless", says: `${event.pod} has no place` };
    case "pod-ready":
      return { look: "mark ready", says: `${event.pod} is ready` };
    default:
      return null;
  }
}

/** The moments when the endpoint or a node turns, as far as there is room for them. */
function momentsOf(
  timeline: readonly TimelineEvent[],
  endpoint: string,
  scale: Scale,
): readonly { readonly x: number; readonly text: string }[] {
  const turns = (event: TimelineEvent): boolean => "endpoint" in event && event.endpoint === endpoint;
  const all = timeline.filter((event) => turns(event) || nodeTurn(event) !== null);
  const ranked = [...all.filter(turns), ...all.filter((event) => !turns(event))];
  const taken: { readonly x: number; readonly text: string }[] = [];
  for (const { atSeconds } of ranked) {
    const x = scale.at(atSeconds);
    if (taken.every((other) => Math.abs(other.x - x) > 64))
      taken.push({ x, text: spokenSeconds(Math.round(atSeconds)) });
  }
  return taken;
}

function legend(y: number): readonly string[] {
  const items: readonly (readonly [string, string])[] = [
    ["span good", "up"],
    ["span warn", "below floor, or waiting"],
    ["span bad", "down"],
    ["span closed", "closed"],
    ["span draining", "draining"],
    ["span away", "node away"],
  ];
  let x = 10;
  return items.flatMap(([look, text]) => {
    const at = x;
    x += 28 + text.length * 6.4;
    return [rectangle({ x: at, y: y - 9, width: 12, height: 10 }, look), label({ x: at + 17, y }, text, "faint")];
  });
}
