import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Pod } from "../model/pod.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { PodView } from "../model/view.ts";
import { podStopMs } from "../workload/termination.ts";
import { PodsRead } from "./pods-read.ts";
import type { ScenarioTiming, Span } from "./scenario.ts";

/** Where a time comes from, for the report. */
export interface TimingSource {
  readonly what: "pod-start" | "pod-stop" | "node-down" | "drain-timeout";
  /** `namespace/owner`, a pattern, or a node. */
  readonly of: string;
  readonly leastMs: number;
  /** Null: without limit. */
  readonly mostMs: number | null;
  readonly from: "scenario" | "config" | "learnt" | "actor" | "default";
}

/** How long things take in one simulation. */
export interface Timing {
  /** From being bound to being Ready. */
  podStart(pod: Pick<PodView, "key" | "template" | "owner">): Span & { readonly from: TimingSource["from"] };
  /** A pod unready in the snapshot: when it turns Ready, from the start; null: never by itself. */
  podReady(pod: Pick<PodView, "key">): Span | null;
  /** From deletion to gone, when the scenario says; null: preStop + 5 s within the grace. */
  podStop(pod: Pick<PodView, "key">): Span | null;
  readonly scenario: ScenarioTiming;
}

const defaultStartMs = 30_000;
/** Models load for minutes. */
const acceleratedStartMs = 600_000;
/** A start longer than this was waiting for something else. */
const learntStartMaxMs = 3_600_000;

/**
 * Times in the order of the contract: the scenario's; learnt from pods of the same owner that never restarted (least to
 * twice the most); else 30 s, and 10 min for pods with accelerators or device claims.
 */
export function timingOf(cluster: Cluster, scenario: ScenarioTiming): Timing {
  return {
    scenario,
    podStart(pod) {
      const stated = mostSpecific(scenario.podStart, pod.key);
      if (stated !== null) return { ...stated, from: "scenario" };
      const seen = learntStart(cluster, pod);
      if (seen !== null) return { ...seen, from: "learnt" };
      const ms = isAccelerated(pod.template) ? acceleratedStartMs : defaultStartMs;
      return { leastMs: ms, mostMs: ms, from: "default" };
    },
    podReady: (pod) => mostSpecific(scenario.podReady, pod.key),
    podStop: (pod) => mostSpecific(scenario.podStop, pod.key),
  };
}

/**
 * From being told to go to gone, ms: as the scenario says, else its preStop hook and a little, at most its grace. `graceMs`: the
 * deleter's grace, null for the pod's own.
 */
export function stopMostMs(timing: Timing, pod: PodView, graceMs: number | null): number {
  if (pod.node === null) return 0;
  const stopMs = timing.podStop(pod)?.mostMs ?? podStopMs(pod, graceMs);
  return Math.min(stopMs, graceMs ?? pod.template.terminationGraceMs);
}

/** Every range of times at this end of it. */
export function atEnd(timing: Timing, end: "least" | "most"): Timing {
  const one = ({ leastMs, mostMs }: Span): Span => {
    const ms = end === "least" ? leastMs : mostMs;
    return { leastMs: ms, mostMs: ms };
  };
  const oneOrNone = (span: Span | null): Span | null => (span === null ? null : one(span));
  const { scenario } = timing;
  return {
    scenario: { ...scenario, nodeDown: oneOrNone(scenario.nodeDown) },
    podStart(pod) {
      const span = timing.podStart(pod);
      return { ...one(span), from: span.from };
    },
    podReady: (pod) => oneOrNone(timing.podReady(pod)),
    podStop: (pod) => oneOrNone(timing.podStop(pod)),
  };
}

export function isRange({ leastMs, mostMs }: Span): boolean {
  return leastMs < mostMs;
}

/** `*` matches any run of characters. Among the patterns that match, the longest decides. */
export function mostSpecific(
  patterns: readonly { readonly pattern: string; readonly span: Span }[],
  key: string,
): Span | null {
  let best: { readonly pattern: string; readonly span: Span } | null = null;
  for (const candidate of patterns) {
    if (!matchesPattern(candidate.pattern, key)) continue;
    if (best === null || candidate.pattern.length > best.pattern.length) best = candidate;
  }
  return best?.span ?? null;
}

export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!text.startsWith(first)) return false;
  if (rest.length === 0) return text === first;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const last = index === rest.length - 1;
    const found = last ? text.length - piece.length : text.indexOf(piece, at);
    if (found < at || !text.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return true;
}

/** An extended resource (a GPU by any vendor's name) or a device claim. */
export function isAccelerated(template: PodTemplate): boolean {
  if (template.resourceClaims.length > 0) return true;
  for (const name of template.requests.scalar.keys()) {
    if (name.includes("/") && !name.startsWith("attachable-volumes-")) return true;
  }
  return false;
}

/**
 * How long pods that start like this one took: those of one ReplicaSet, StatefulSet or other owner. Custom resources make pods of
 * several kinds, by labels. Null: none tells.
 */
function learntStart(cluster: Cluster, { owner, template }: Pick<Pod, "owner" | "template">): Span | null {
  if (owner === null) return null;
  const byKind = underKey(learnt, cluster, () => new Map<string, Span | null>());
  const isCustom = cluster.workloads.get(owner)?.kind === "Other";
  return underKey(byKind, isCustom ? `${owner} ${template.id}` : owner, () => {
    const read = PodsRead.of(cluster);
    const pods = Array.from(read.ownedBy(owner), (uid) => read.at(uid));
    return learntOf(isCustom ? pods.filter((pod) => pod.template.id === template.id) : pods);
  });
}

const learnt = new WeakMap<Cluster, Map<string, Span | null>>();

function learntOf(pods: readonly Pod[]): Span | null {
  let [leastMs, mostMs] = [Number.POSITIVE_INFINITY, 0];
  for (const pod of pods) {
    const ms = startOf(pod);
    if (ms === null) continue;
    leastMs = Math.min(leastMs, ms);
    mostMs = Math.max(mostMs, ms);
  }
  return mostMs === 0 ? null : { leastMs, mostMs: 2 * mostMs };
}

function startOf(pod: Pod): number | null {
  if (!pod.ready || pod.restarts > 0 || pod.scheduledAtMs === null || pod.readyAtMs === null) return null;
  const ms = pod.readyAtMs - pod.scheduledAtMs;
  return ms > 0 && ms <= learntStartMaxMs ? ms : null;
}
