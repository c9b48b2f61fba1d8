import { budgetsOf } from "../eviction/budgets-of.ts";
import { asItStands } from "../sim/as-it-stands.ts";
import { podsOf } from "../sim/monitor.ts";
import { nodesWorkedOn } from "../sim/program.ts";
import type { EvictionOrders } from "../sim/rivals.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { hunt, type Wanted } from "./hunt.ts";
import {
  type Judgement,
  judgeUntimed,
  leaveOpen,
  mixedPaces,
  newJudgement,
  pacesOf,
  playTimed,
  type Question,
  type Starts,
} from "./judge.ts";
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

/** All orders of evictions are followed so far for a counterexample of fewer drains. */
const fewerStatesMax = 300;

/** Mixtures of slow and quick starts are followed so far: past that an answer rests on all starting alike. */
const mixedStatesMax = 3_000;

/** Orders of evictions that only scores tell apart are followed so far. */
const scoreStatesMax = 1_000;

/** The timed question alone: what it says without asking what `safe` rests on. */
export function answerTimed(question: Question): Judgement {
  const known = knownOf(question);
  const judgement = decide(question, known);
  leanOnTime(judgement, known);
  return judgement;
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
    else {
      const found = proof();
      if (found.length > 0) rests.set(endpoint, found);
    }
  }
  const byTimes = hurtUntimed(question, open);
  const couldBeWorse = judgement.endpoints.some(
    ({ verdict, effort }) => verdict === "stalls" || (verdict === "unsafe" && (effort?.drains ?? 0) > 1),
  );
  const starts = byTimes.length > 0 || couldBeWorse ? tryMixtures(question, judgement) : "mixed";
  for (const endpoint of stillSafe(judgement, byTimes)) {
    const alike: readonly Rest[] = starts === "alike" ? [{ kind: "starts" }] : [];
    const found = [...alike, ...restsOn(question, endpoint, { evictions: judgement.evictions, starts })];
    const order: readonly Rest[] = judgement.evictions === "for-budgets" ? [{ kind: "order", decides: "room" }] : [];
    rests.set(endpoint, [...found, ...order]);
  }
  tryScores(question, judgement, rests);
  tryFewerDrains(question, judgement);
  leanOnTime(judgement, known);
  return { judgement, rests };
}

/** A proof holds whenever others go and come back; courses hold for the times they were played with. */
function leanOnTime({ endpoints, notModelled }: Judgement, { safe }: Known): void {
  if (![...notModelled.values()].some(({ isOfTime }) => isOfTime)) return;
  for (const outcome of endpoints) if (!safe.has(outcome.endpoint)) outcome.leansOnTime = true;
}

/** Those that some timing or placement hurts, or of which it cannot be said. */
function hurtUntimed(question: Question, open: readonly Endpoint[]): readonly Endpoint[] {
  if (open.length === 0) return [];
  const states = Math.min(untimedStatesMax, statesAffordable(question));
  const { broken, exhaustive } = judgeUntimed({ ...question, endpoints: open, supporting: [], states });
  return open.filter((endpoint) => !exhaustive || broken.has(endpoint));
}

function stillSafe({ endpoints }: Judgement, among: readonly Endpoint[]): readonly Endpoint[] {
  return among.filter((one) => endpoints.some(({ endpoint, verdict }) => endpoint === one && verdict === "safe"));
}

/** Adds what mixtures of slow and quick starts do. Alike: they were too many. */
function tryMixtures(question: Question, judgement: Judgement): Starts {
  const paces = mixedPaces(question);
  if (paces.length === 0 || !judgement.exhaustive || isTooLarge(question)) return "mixed";
  const { evictions } = judgement;
  const states = Math.min(mixedStatesMax, statesAffordable(question));
  playTimed(question, judgement, { placement: "top", states, onlyShown: false, evictions, paces });
  const isWhole = judgement.exhaustive;
  judgement.exhaustive = true;
  return isWhole ? "mixed" : "alike";
}

/** What breaks is looked for with fewer drains in orders of evictions that are not told apart otherwise. */
function tryFewerDrains(question: Question, judgement: Judgement): void {
  if (!judgement.exhaustive || isTooLarge(question)) return;
  const broken = judgement.endpoints.filter(({ verdict, effort }) => verdict === "unsafe" && (effort?.drains ?? 0) > 1);
  const wanted: Wanted = new Map(
    broken.map(({ endpoint }) => [endpoint, { worst: "unsafe", hops: endpoint.hops } as const]),
  );
  const drainsMax = Math.max(0, ...broken.map(({ effort }) => effort?.drains ?? 0)) - 1;
  const states = Math.min(fewerStatesMax, statesAffordable(question));
  hunt(question, wanted, judgement, { states, drainsMax, evictions: "every" });
}

/**
 * What holds by the scheduler's scores alone is held to the orders of evictions that only scores tell apart; where they are too
 * many, it is told to rest on them.
 */
function tryScores(question: Question, judgement: Judgement, rests: Map<Endpoint, readonly Rest[]>): void {
  const byScores = [...rests].filter(([, found]) => found.some(({ kind }) => kind === "scores"));
  if (byScores.length === 0 || !judgement.exhaustive || judgement.evictions !== "for-room") return;
  const states = Math.min(scoreStatesMax, statesAffordable(question));
  playTimed(question, judgement, {
    placement: "top",
    states,
    onlyShown: false,
    evictions: "for-scores",
    paces: pacesOf(question, "alike"),
  });
  const isWhole = judgement.exhaustive;
  judgement.exhaustive = true;
  const hurt = new Set(judgement.endpoints.filter(({ verdict }) => verdict !== "safe").map(({ endpoint }) => endpoint));
  for (const [endpoint, found] of byScores) {
    if (hurt.has(endpoint)) rests.delete(endpoint);
    else if (!isWhole) rests.set(endpoint, [...found, { kind: "order", decides: "place" }]);
  }
}

/** What is known before any course is played. */
interface Known {
  /** Endpoints that are safe whatever the order, with what that rests on. */
  readonly safe: ReadonlyMap<Endpoint, () => readonly Rest[]>;
  /** Endpoints that no course breaks; some may stall on them. */
  readonly unbroken: ReadonlySet<Endpoint>;
  /** Hops that could be hurt as far as is known. */
  readonly openHops: ReadonlyMap<Endpoint, readonly Hop[]>;
}

function knownOf(question: Question): Known {
  const safe = new Map([...prove(question)].map(([endpoint, { rests }]) => [endpoint, () => rests]));
  const unbroken = new Set<Endpoint>();
  const open = question.endpoints.filter((endpoint) => !endpoint.idle && !safe.has(endpoint));
  const { proved, openHops } = proveParts(question, open);
  for (const [endpoint, proof] of proved) {
    if (proof.neverStalls) safe.set(endpoint, () => proof.rests());
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
  const isLarge = isTooLarge(question);
  if (onlyShown && sizeOf(question) > shownSizeMax && !holdsElsewhere(question, [...safe.keys()])) return judgement;
  for (const evictions of ordersTried(question, onlyShown || isLarge)) {
    judgement.exhaustive = true;
    judgement.evictions = evictions;
    const paces = pacesOf(question, "alike");
    playTimed(question, judgement, { placement: "top", states, onlyShown: onlyShown || isLarge, evictions, paces });
    if (judgement.exhaustive) break;
  }
  if (judgement.exhaustive) {
    playSettled(question, judgement);
    return judgement;
  }
  const wanted: Wanted = new Map(
    open.map((endpoint) => [
      endpoint,
      { worst: unbroken.has(endpoint) ? "stalls" : "unsafe", hops: openHops.get(endpoint) ?? endpoint.hops } as const,
    ]),
  );
  hunt(question, wanted, judgement, { states, drainsMax: huntedDrainsMax, evictions: "for-budgets" });
  leaveOpen(judgement, (endpoint) => safe.has(endpoint));
  judgement.exhaustive = judgement.endpoints.every(
    ({ endpoint, verdict }) =>
      endpoint.idle || safe.has(endpoint) || verdict === "unsafe" || (verdict === "stalls" && unbroken.has(endpoint)),
  );
  judgement.exhaustive &&= judgement.maintenance === "stalls" || !holdsElsewhere(question, question.endpoints);
  return judgement;
}

/** Turns may be settled that are not told apart: where nothing is hurt without them, the course that they lead to is played. */
function playSettled(question: Question, judgement: Judgement): void {
  if (!question.choices.some(({ leaves }) => leaves) || judgement.endpoints.some(({ verdict }) => verdict !== "safe"))
    return;
  const paces = pacesOf(question, "alike");
  playTimed(question, judgement, {
    placement: "top",
    states: question.states,
    onlyShown: true,
    evictions: "every",
    paces,
  });
  judgement.exhaustive = true;
}

/** Tried one after the other, until all could be followed. What a single drain does is told even then, and on what that rests. */
function ordersTried({ steps }: Question, onlyShown: boolean): readonly EvictionOrders[] {
  if (onlyShown) return ["for-budgets"];
  const drains = steps.reduce((sum, step) => sum + (step.do === "maintain" ? step.nodes.length : 0), 0);
  return drains > 1 ? ["for-room"] : ["for-room", "for-budgets"];
}

/** All orders of its nodes are more than can be followed. */
function isTooLarge(question: Question): boolean {
  return statesAffordable(question) < exactStatesMin && isOfManyNodes(question);
}

/** Nothing but a drain that many nodes may be first in has more orders than can be followed. */
function isOfManyNodes({ steps }: Question): boolean {
  return steps.some((step) => step.do === "maintain" && step.nodes.length > 1);
}

/** Drains times pods: one course of more is not played only to be shown. */
const shownSizeMax = 50_000;

function sizeOf({ cluster, steps }: Question): number {
  return nodesWorkedOn(steps) * cluster.pods.length;
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
  const view = asItStands(cluster);
  const own = new Set(
    endpoints.flatMap((endpoint) =>
      endpoint.hops.flatMap((hop) => (hop.onPath ? podsOf(view, hop.pods).map(({ uid }) => uid) : [])),
    ),
  );
  for (const pod of view.pods) if (!own.has(pod.uid) && budgetsOf(view, pod).length > 0) return true;
  return false;
}
