import { budgetsOf } from "../eviction/budgets-of.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { podsOf } from "../sim/monitor.ts";
import type { EvictionOrders } from "../sim/rivals.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { hunt, type Wanted } from "./hunt.ts";
import { type Judgement, judgeUntimed, leaveOpen, newJudgement, playTimed, type Question } from "./judge.ts";
import { proveParts } from "./part/prove-parts.ts";
import { prove } from "./proof/prove.ts";
import { type Rest, restsOn } from "./rests-on.ts";

/** A judgement, and what the safe ones of it rest on. */
export interface Answer {
  readonly judgement: Judgement;
  /** Safe endpoints that are not here rest on nothing: no order, placement or start-up breaks them. */
  readonly rests: ReadonlyMap<Endpoint, readonly Rest[]>;
}

/** The untimed question follows at most so many states: past that an answer rests on the scenario's times. */
const untimedStatesMax = 3_000;

/** The timed question alone: what it says without asking what `safe` rests on. */
export function answerTimed(question: Question): Judgement {
  return decide(question, knownOf(question));
}

/** Both questions about one maintenance: proofs where they hold, else every order and choice. */
export function answer(question: Question): Answer {
  const known = knownOf(question);
  const judgement = decide(question, known);
  const rests = new Map<Endpoint, readonly Rest[]>();
  const open: Endpoint[] = [];
  for (const { endpoint, verdict, now } of judgement.endpoints) {
    if (verdict !== "safe" || now === "idle") continue;
    const proof = known.safe.get(endpoint);
    if (proof === undefined) open.push(endpoint);
    else if (proof.length > 0) rests.set(endpoint, proof);
  }
  if (open.length === 0) return { judgement, rests };
  const states = Math.min(untimedStatesMax, statesAffordable(question));
  const untimed = judgeUntimed({ ...question, endpoints: open, supporting: [], states });
  for (const endpoint of open) {
    if (untimed.exhaustive && !untimed.broken.has(endpoint)) continue;
    const { evictions } = judgement;
    const order: readonly Rest[] =
      evictions === "for-scores" ? [] : [{ kind: "order", decides: evictions === "for-room" ? "place" : "room" }];
    rests.set(endpoint, [
      ...restsOn(question, endpoint, evictions === "for-budgets" ? evictions : "for-room"),
      ...order,
    ]);
  }
  return { judgement, rests };
}

/** What is known before any course is played. */
interface Known {
  /** Endpoints that are safe whatever the order, with what that rests on. */
  readonly safe: ReadonlyMap<Endpoint, readonly Rest[]>;
  /** Endpoints that no course breaks; some may stall on them. */
  readonly unbroken: ReadonlySet<Endpoint>;
  /** Hops that could be hurt as far as is known. */
  readonly openHops: ReadonlyMap<Endpoint, readonly Hop[]>;
}

function knownOf(question: Question): Known {
  const safe = new Map([...prove(question)].map(([endpoint, { rests }]) => [endpoint, rests]));
  const unbroken = new Set<Endpoint>();
  const open = question.endpoints.filter((endpoint) => !endpoint.idle && !safe.has(endpoint));
  const { proved, openHops } = proveParts(question, open);
  for (const [endpoint, { neverStalls, rests }] of proved) {
    if (neverStalls) safe.set(endpoint, rests);
    else unbroken.add(endpoint);
  }
  return { safe, unbroken, openHops };
}

/**
 * Small clusters are followed through every order and choice. In large ones courses that hurt what is not proved are looked
 * for, those with few drains first.
 */
function decide(question: Question, { safe, unbroken, openHops }: Known): Judgement {
  const judgement = newJudgement(question);
  const open = question.endpoints.filter((endpoint) => !endpoint.idle && !safe.has(endpoint));
  const states = statesAffordable(question);
  const onlyShown = open.length === 0 && question.endpoints.length > 0;
  const isLarge = states < exactStatesMin && isOfManyNodes(question);
  if (onlyShown && sizeOf(question) > shownSizeMax && !holdsElsewhere(question, [...safe.keys()])) return judgement;
  for (const evictions of ordersTried(question, { states, onlyShown: onlyShown || isLarge })) {
    judgement.exhaustive = true;
    judgement.evictions = evictions;
    playTimed(question, judgement, { placement: "top", states, onlyShown: onlyShown || isLarge, evictions });
    if (judgement.exhaustive) break;
  }
  if (judgement.exhaustive) return judgement;
  const wanted: Wanted = new Map(
    open.map((endpoint) => [
      endpoint,
      { worst: unbroken.has(endpoint) ? "stalls" : "unsafe", hops: openHops.get(endpoint) ?? endpoint.hops } as const,
    ]),
  );
  hunt(question, wanted, judgement, { states, drainsMax: huntedDrainsMax });
  leaveOpen(judgement, (endpoint) => safe.has(endpoint));
  judgement.exhaustive = judgement.endpoints.every(
    ({ endpoint, verdict }) =>
      endpoint.idle || safe.has(endpoint) || verdict === "unsafe" || (verdict === "stalls" && unbroken.has(endpoint)),
  );
  judgement.exhaustive &&= judgement.maintenance === "stalls" || !holdsElsewhere(question, question.endpoints);
  return judgement;
}

/**
 * What is tried one after the other, until all of it could be followed. Of pods that one drain asks for in any order each subset
 * is a state: more than can be afforded are not begun with. What a single drain does is told even then, and on what that rests.
 */
function ordersTried(
  { cluster, steps }: Question,
  { states, onlyShown }: { readonly states: number; readonly onlyShown: boolean },
): readonly EvictionOrders[] {
  if (onlyShown) return ["for-budgets"];
  const nodes = steps.flatMap((step) => (step.do === "maintain" ? step.nodes : []));
  const counts = new Map<string, number>();
  for (const { nodeName, owner } of cluster.pods) {
    if (owner?.startsWith("DaemonSet.apps/") !== true) counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
  }
  const most = Math.max(0, ...nodes.map((node) => counts.get(node) ?? 0));
  return [
    ...(2 ** most * nodes.length <= states ? (["for-scores"] as const) : []),
    "for-room",
    ...(nodes.length > 1 ? [] : (["for-budgets"] as const)),
  ];
}

/** Nothing but a drain that many nodes may be first in has more orders than can be followed. */
function isOfManyNodes({ steps }: Question): boolean {
  return steps.some((step) => step.do === "maintain" && step.nodes.length > 1);
}

/** Drains times pods: one course of more is not played only to be shown. */
const shownSizeMax = 50_000;

function sizeOf({ cluster, steps }: Question): number {
  const drains = steps.reduce((sum, step) => sum + (step.do === "maintain" ? step.nodes.length : 1), 0);
  return drains * cluster.pods.length;
}

/** Where fewer states than this can be afforded, all orders of many nodes are not tried. */
const exactStatesMin = 800;
const huntedDrainsMax = 12;

/** A state of a large cluster takes as much longer to reach as it has more pods and nodes. */
function statesAffordable({ cluster, states }: Question): number {
  return Math.min(states, Math.max(1, Math.floor(podStatesMax / (cluster.pods.length + cluster.nodes.length))));
}

const podStatesMax = 120_000;

/** Whether a budget over other pods than those of these endpoints could stop the maintenance. */
function holdsElsewhere({ cluster }: Question, endpoints: readonly Endpoint[]): boolean {
  const view = new Ledger(cluster, new Journal());
  const own = new Set(
    endpoints.flatMap((endpoint) =>
      endpoint.hops.flatMap((hop) => (hop.onPath ? podsOf(view, hop.pods).map(({ uid }) => uid) : [])),
    ),
  );
  for (const pod of view.pods) if (!own.has(pod.uid) && budgetsOf(view, pod).length > 0) return true;
  return false;
}
