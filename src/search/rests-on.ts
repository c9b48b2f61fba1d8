import type { Cluster } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import type { PodView } from "../model/view.ts";
import type { EvictionOrders } from "../sim/rivals.ts";
import type { Timing } from "../sim/timing.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { hurtsTimed, type Question, type Starts, type TimedPlay } from "./judge.ts";

/**
 * What `safe` leans on: a part that must start in time, the scheduler's preferences, all pods starting as slowly as can be or all as
 * quickly, or evictions of one moment going by name.
 */
export type Rest =
  | { readonly kind: "time"; readonly hop: Hop; readonly atMostMs: number }
  | { readonly kind: "scores" }
  /** Mixtures of slow and quick starts were too many to play. */
  | { readonly kind: "starts" }
  /** Another order could lead the scheduler to other places, or decide who finds room. */
  | { readonly kind: "order"; readonly decides: "place" | "room" };

/** Adds what an endpoint rests on to what it does already. */
export function addRests(to: Map<Endpoint, readonly Rest[]>, endpoint: Endpoint, found: readonly Rest[]): void {
  if (found.length > 0) to.set(endpoint, [...(to.get(endpoint) ?? []), ...found]);
}

/** Each try follows at most so many states; what is cut off counts as breaking. */
const statesMax = 1_000;
/** No start-up is looked at beyond this. */
const longestStartMs = 24 * 3_600_000;
/** The limit is told to this precision. */
const precisionMs = 60_000;

/**
 * Why an endpoint is safe in the scenario's times although some other timing or placement breaks it. A part it rests on is
 * found by making that part alone start later and later; the limit is the longest start that breaks nothing.
 */
export function restsOn(
  question: Question,
  endpoint: Endpoint,
  play: { readonly evictions: EvictionOrders; readonly starts: Starts },
): readonly Rest[] {
  const states = Math.min(question.states, statesMax);
  const only: Question = { ...question, endpoints: [endpoint], supporting: [], states };
  const scores: readonly Rest[] = hurtsTimed(only, { placement: "feasible", ...play }) ? [{ kind: "scores" }] : [];
  return [...scores, ...longestStarts(only, endpoint, { placement: "top", ...play })];
}

/** Parts of the endpoint that have to start in time. */
export function longestStarts(question: Question, endpoint: Endpoint, play: TimedPlay): readonly Rest[] {
  const rests: Rest[] = [];
  for (const hop of endpoint.hops) {
    if (!hop.onPath || hop.outside !== "") continue;
    const limitMs = longestSafeStart(question, hop, play);
    if (limitMs !== null) rests.push({ kind: "time", hop, atMostMs: limitMs });
  }
  return rests;
}

/** Null: this part alone may start as late as it likes. */
function longestSafeStart(question: Question, hop: Hop, play: TimedPlay): number | null {
  const isPart = partOf(question.cluster, hop);
  const safeAt = (startMs: number): boolean =>
    !hurtsTimed({ ...question, timing: withStart(question.timing, isPart, startMs) }, play);
  if (safeAt(longestStartMs)) return null;
  // As it is said to start, it is safe.
  const said = question.cluster.pods.filter(isPart).map((pod) => question.timing.podStart(pod).mostMs);
  let safeMs = said.length === 0 ? 0 : Math.min(longestStartMs, ...said);
  let brokenMs = longestStartMs;
  while (brokenMs - safeMs > precisionMs) {
    const middleMs = Math.floor((safeMs + brokenMs) / 2 / precisionMs) * precisionMs;
    const tryMs = middleMs > safeMs ? middleMs : safeMs + precisionMs;
    if (safeAt(tryMs)) safeMs = tryMs;
    else brokenMs = tryMs;
  }
  return safeMs;
}

/** Its pods take any time up to this one, but not less than is said. */
function withStart(timing: Timing, isPart: (pod: StartingPod) => boolean, startMs: number): Timing {
  return {
    ...timing,
    podStart(pod) {
      const said = timing.podStart(pod);
      return isPart(pod) ? { ...said, leastMs: Math.min(said.leastMs, startMs), mostMs: startMs } : said;
    },
  };
}

type StartingPod = Pick<PodView, "key" | "template" | "owner">;

function partOf(cluster: Cluster, hop: Hop): (pod: StartingPod) => boolean {
  if (hop.pods.by === "selector") {
    const { namespace, selector } = hop.pods;
    return (pod) => pod.key.startsWith(`${namespace}/`) && matches(selector, pod.template.labels);
  }
  const owners = new Set<ObjectKey>(hop.pods.owners);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { key, owner } of cluster.workloads.values()) {
      if (owner === null || owners.has(key) || !owners.has(owner)) continue;
      owners.add(key);
      grown = true;
    }
  }
  return (pod) => pod.owner !== null && owners.has(pod.owner);
}
