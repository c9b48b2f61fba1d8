import { unreachable } from "../base/invariant.ts";
import { listedAtMost, spokenExactly, spokenSeconds } from "../base/words.ts";
import { counted } from "./text.ts";
import type { TimelineEvent, Trace } from "./types.ts";
import { percent, withoutSchedulerText } from "./verdict.ts";

/** A line of a story: when, and what happened, to be read aloud. */
export interface StoryLine {
  readonly atSeconds: number;
  readonly text: string;
  /** What breaks, what heals, and the rest: for colour. */
  readonly tone: "bad" | "good" | "plain";
}

/** About a dozen lines: what happens to one endpoint in one trace, the parts that fail before those that do not. */
export function storyOf(trace: Trace, endpoint: string, most = 13): readonly StoryLine[] {
  const componentOf = new Map(trace.pods.map((entry) => [entry.pod, entry.component]));
  const cast: Cast = {
    endpoint,
    componentOf,
    failing: failingIn(trace, componentOf),
    over: lastTurnOf(trace, endpoint),
  };
  const told = onceUnschedulable(merged(trace.timeline))
    .map((event) => ({ event, weight: weightOf(event, cast) }))
    .filter((entry) => entry.weight > 0);
  const keep = heaviest(
    told.map((entry) => entry.weight),
    most,
  );
  return told.filter((_, index) => keep.has(index)).map(({ event }) => lineOf(event, cast.componentOf));
}

interface Cast {
  readonly endpoint: string;
  /** Pod → its component's name. */
  readonly componentOf: ReadonlyMap<string, string>;
  /** Components that have nothing ready at some moment, or a pod without a place. */
  readonly failing: ReadonlySet<string>;
  /** When the endpoint's lot changes for the last time; what comes later is of less interest. */
  readonly over: number;
}

function failingIn(trace: Trace, componentOf: ReadonlyMap<string, string>): ReadonlySet<string> {
  const homeless = trace.timeline.flatMap((event) => {
    const component = event.type === "pod-unschedulable" ? componentOf.get(event.pod) : undefined;
    return component === undefined ? [] : [component];
  });
  return new Set([...trace.down.map((down) => down.hop), ...homeless]);
}

function lastTurnOf(trace: Trace, endpoint: string): number {
  const turns = trace.timeline.filter((event) => "endpoint" in event && event.endpoint === endpoint);
  const last = turns.at(-1);
  return last === undefined || last.type === "endpoint-down" ? Number.POSITIVE_INFINITY : last.atSeconds;
}

/** Every event, one line each, in order. */
export function transcriptOf(timeline: readonly TimelineEvent[]): readonly StoryLine[] {
  return merged(timeline).map((event) => lineOf(event, new Map()));
}

/** Nodes cordoned, drained or returned at one moment by one hand are one event: `nodes` has them all. */
interface Told {
  readonly event: TimelineEvent;
  readonly nodes: readonly string[];
}

function merged(timeline: readonly TimelineEvent[]): readonly Told[] {
  const told: { event: TimelineEvent; nodes: string[] }[] = [];
  const evicted = new Set<string>();
  for (const event of timeline) {
    if (event.type === "eviction" && event.code === 201) evicted.add(event.pod);
    // An accepted eviction is a deletion: one line.
    if (event.type === "pod-deleted" && evicted.has(event.pod)) continue;
    const last = told.at(-1);
    if (last !== undefined && "node" in event && isSameDeed(last.event, event)) last.nodes.push(event.node);
    else told.push({ event, nodes: "node" in event ? [event.node] : [] });
  }
  return told;
}

/** The scheduler says the same of a pod again and again; a story says it once. */
function onceUnschedulable(told: readonly Told[]): readonly Told[] {
  const seen = new Set<string>();
  return told.filter(({ event }) => {
    if (event.type !== "pod-unschedulable") return true;
    const isNew = !seen.has(event.pod);
    seen.add(event.pod);
    return isNew;
  });
}

function isSameDeed(a: TimelineEvent, b: TimelineEvent): boolean {
  if (a.type !== b.type || a.atSeconds !== b.atSeconds) return false;
  if (a.type === "node-cordoned" && b.type === "node-cordoned") return a.by === b.by;
  if (a.type === "node-uncordoned" && b.type === "node-uncordoned") return a.by === b.by;
  return a.type === "node-up" && b.type === "node-up";
}

/** 0: not of this endpoint's story. The lightest go first when there are too many. */
function weightOf({ event }: Told, cast: Cast): number {
  const weight = bareWeightOf(event, cast);
  if (weight === 0 || "endpoint" in event) return weight;
  const isLate = event.atSeconds > cast.over;
  const component = "pod" in event ? cast.componentOf.get(event.pod) : undefined;
  const isOfOthers = component !== undefined && cast.failing.size > 0 && !cast.failing.has(component);
  return Math.max(1, weight - (isLate ? 4 : 0) - (isOfOthers ? 4 : 0));
}

function bareWeightOf(event: TimelineEvent, { endpoint, componentOf }: Cast): number {
  switch (event.type) {
    case "endpoint-down":
    case "endpoint-up":
      return event.endpoint === endpoint ? 10 : 0;
    case "endpoint-degraded":
      return event.endpoint === endpoint ? 9 : 0;
    case "drain-stalled":
      return event.blockedBy.some((blocker) => componentOf.has(blocker.pod)) ? 9 : 6;
    case "pod-unschedulable":
      return componentOf.has(event.pod) ? 8 : 0;
    case "eviction":
      return componentOf.has(event.pod) ? (event.code === 201 ? 7 : 8) : 0;
    case "pod-preempted":
      return componentOf.has(event.pod) ? 8 : 0;
    case "node-cordoned":
    case "node-down":
    case "node-up":
    case "node-removed":
      return 6;
    case "drain-started":
    case "drain-completed":
      return 5;
    case "pod-ready":
      return componentOf.has(event.pod) ? 6 : 0;
    case "pod-deleted":
      return componentOf.has(event.pod) ? 5 : 0;
    case "node-uncordoned":
    case "node-added":
    case "node-tainted":
      return 4;
    case "pod-bound":
      return componentOf.has(event.pod) ? 3 : 0;
    case "pod-unready":
      return componentOf.has(event.pod) ? 2 : 0;
    case "rollout-stalled":
    case "pod-rejected":
      return 5;
    case "pod-created":
    case "scaled":
      return 0;
    default:
      return unreachable(event);
  }
}

/** Indexes of the heaviest, the earlier of equals. */
function heaviest(weights: readonly number[], most: number): ReadonlySet<number> {
  const ranked = weights.map((weight, index) => ({ weight, index }));
  ranked.sort((a, b) => b.weight - a.weight || a.index - b.index);
  return new Set(ranked.slice(0, most).map((entry) => entry.index));
}

function lineOf({ event, nodes }: Told, componentOf: ReadonlyMap<string, string>): StoryLine {
  const { text, tone } = wordsOf(event, nodes, (pod) => {
    const component = componentOf.get(pod);
    return component === undefined ? pod : `${pod} (${component})`;
  });
  return { atSeconds: event.atSeconds, text, tone };
}

interface Words {
  readonly text: string;
  readonly tone: StoryLine["tone"];
}

const plain = (text: string): Words => ({ text, tone: "plain" });
const bad = (text: string): Words => ({ text, tone: "bad" });
const good = (text: string): Words => ({ text, tone: "good" });

function wordsOf(event: TimelineEvent, nodes: readonly string[], named: (pod: string) => string): Words {
  const all = listedAtMost(nodes, 6);
  switch (event.type) {
    case "node-cordoned":
      return plain(`${event.by} cordons ${all}`);
    case "node-uncordoned":
      return plain(`${event.by} uncordons ${all}`);
    case "node-tainted":
      return plain(`${event.by} taints ${event.node} with ${event.taint}`);
    case "node-down":
      return plain(`${event.node} goes down${event.because === "" ? "" : ` (${event.because})`}`);
    case "node-up":
      return plain(`${all} ${nodes.length > 1 ? "are" : "is"} back`);
    case "node-removed":
      return plain(`${event.by} removes ${event.node}`);
    case "node-added":
      return plain(`${event.by} adds ${event.node}`);
    case "eviction":
      return event.code === 201
        ? plain(`${named(event.pod)} is evicted from ${event.node}`)
        : bad(
            `eviction of ${named(event.pod)} is refused (${event.code}): ${event.cause !== "" ? event.cause : event.message}`,
          );
    case "pod-deleted":
      return plain(`${named(event.pod)} is deleted by ${event.by}`);
    case "pod-created":
      return plain(`${objectInWords(event.owner)} creates ${named(event.pod)}`);
    case "pod-rejected":
      return bad(`${objectInWords(event.owner)} cannot create a pod: ${event.message}`);
    case "pod-bound":
      return plain(`${named(event.pod)} starts on ${event.node}`);
    case "pod-unschedulable":
      return bad(`${named(event.pod)} has no place: ${event.message}`);
    case "pod-preempted":
      return bad(`${named(event.pod)} is preempted on ${event.node} by ${event.by}`);
    case "pod-ready":
      return good(`${named(event.pod)} is ready on ${event.node}`);
    case "pod-unready":
      return plain(`${named(event.pod)} is no longer ready`);
    case "drain-started":
      return plain(`${event.by} begins to drain ${event.node}`);
    case "drain-stalled": {
      const blocker = event.blockedBy[0];
      const more = event.blockedBy.length > 1 ? ` and ${counted(event.blockedBy.length - 1, "other pod")}` : "";
      return bad(`the drain of ${event.node} waits${blocker === undefined ? "" : ` on ${named(blocker.pod)}${more}`}`);
    }
    case "drain-completed":
      return plain(
        `the drain of ${event.node} ${event.outcome === "completed" ? "is complete" : `ends: ${event.outcome}`}`,
      );
    case "endpoint-down":
      return bad(
        `${event.endpoint} is DOWN: nothing is ready of ${event.hop} (${withoutSchedulerText(event.because)})`,
      );
    case "endpoint-up":
      return good(`${event.endpoint} is up again`);
    case "endpoint-degraded":
      return bad(`${event.endpoint} is at ${percent(event.capacity)} of its capacity: ${event.because}`);
    case "rollout-stalled":
      return bad(`the rollout of ${objectInWords(event.ref)} is past its deadline: ${event.message}`);
    case "scaled":
      return plain(`${event.by} scales ${objectInWords(event.ref)} from ${event.from} to ${event.to}`);
    default:
      return unreachable(event);
  }
}

/** `ReplicaSet.apps/ml/picker-7d` → `ReplicaSet ml/picker-7d`; anything else stays. */
function objectInWords(key: string): string {
  const [, kind, rest] = /^([A-Za-z0-9]+)(?:\.[a-z0-9.-]*)?\/\/?(.+)$/s.exec(key) ?? [];
  return kind === undefined || rest === undefined ? key : `${kind} ${rest}`;
}

/** When each line happens, `3 min 40 s`; to the millisecond where two moments would read alike that are not one. */
export function momentsOf(story: readonly StoryLine[]): readonly string[] {
  const seen = new Map<string, Set<number>>();
  for (const { atSeconds } of story) {
    const spoken = spokenSeconds(atSeconds);
    seen.set(spoken, (seen.get(spoken) ?? new Set()).add(atSeconds));
  }
  return story.map(({ atSeconds }) => {
    const spoken = spokenSeconds(atSeconds);
    return (seen.get(spoken)?.size ?? 0) > 1 ? spokenExactly(atSeconds) : spoken;
  });
}

/** Moment and text of each line. */
export function storyTexts(story: readonly StoryLine[]): readonly string[] {
  const moments = momentsOf(story);
  return story.map((line, index) => `${moments[index]}  ${line.text}`);
}
