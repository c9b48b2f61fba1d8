import type { Cluster } from "../model/cluster.ts";
import type { Service } from "../model/policy.ts";
import {
  type DownSpan,
  darkSpans,
  type Effort,
  type EndpointRecord,
  type HopRecord,
  longestMs,
  type ServiceRecord,
} from "../sim/monitor.ts";
import type { PlannedStep } from "../sim/program.ts";
import type { EvictionOrders } from "../sim/rivals.ts";
import type { SettledChoice } from "../sim/scenario.ts";
import { Simulation, type SimulationOptions, type TakenChoice } from "../sim/simulation.ts";
import { atEnd, isRange, type Timing } from "../sim/timing.ts";
import { type DrainRecord, endsWell, type TimelineEntry } from "../sim/trace.ts";
import type { Gap } from "../sim/world.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { explore } from "./explore.ts";
import { settledBy } from "./settled-choices.ts";
import { isWorse, type Severity } from "./severity.ts";
import { type Stall, stallsOf } from "./stall-chain.ts";

/** What is asked of many maintenances of one cluster alike. */
export type Watch = Omit<Question, "steps" | "choices">;

/** What is played, and what is watched while it is. */
export interface Question {
  readonly cluster: Cluster;
  readonly steps: readonly PlannedStep[];
  readonly endpoints: readonly Endpoint[];
  readonly supporting: readonly Hop[];
  readonly timing: Timing;
  readonly states: number;
  readonly horizonMs: number;
  readonly choices: readonly SettledChoice[];
}

/** One whole course of events, copied out of a simulation. */
export interface Course {
  readonly timeline: readonly TimelineEntry[];
  readonly drains: readonly DrainRecord[];
  readonly choices: readonly TakenChoice[];
  /** Those that a scenario settles to play it again. */
  readonly settled: readonly SettledChoice[];
  /** Endpoints that were down. */
  readonly downs: ReadonlyMap<Endpoint, readonly DownSpan[]>;
  readonly services: readonly ServiceRecord[];
  readonly pending: readonly { readonly pod: string; readonly sinceMs: number; readonly message: string }[];
  /** Drains that cannot end, each with who waits for whom. Takes a while in a large cluster: for what is shown. */
  stalls(): readonly Stall[];
}

export interface EndpointOutcome {
  readonly endpoint: Endpoint;
  now: "up" | "degraded" | "down" | "idle";
  verdict: Severity;
  /** The shortest course that breaks it, else one that stalls on it; null when safe. */
  course: Course | null;
  /** What that course took to get there. */
  effort: Effort | null;
  /** Longest time down in one course, ms: the least and the most over all; null: down to the end. */
  downLeastMs: number | null;
  downMostMs: number | null;
  minCapacity: number;
  /** A time that is not known came up in its courses, and nothing else says that it does not matter. */
  leansOnTime?: boolean;
}

export interface HopOutcome {
  readonly hop: Hop;
  /** In some course without a ready unit for a time. */
  wasZero: boolean;
  min: number;
  /** In some course a drain waited for one of its pods to the end. */
  stalled: boolean;
  /** Not every course was played, and nothing else says that it kept a ready unit. */
  unclear?: boolean;
}

export interface Judgement {
  readonly endpoints: readonly EndpointOutcome[];
  readonly hops: readonly HopOutcome[];
  /** The maintenance itself, whoever's pods are in its way; unclear: it stands still here, for want of what is not modelled. */
  maintenance: "completes" | "stalls" | "unclear";
  states: number;
  exhaustive: boolean;
  /** Which orders of evictions were tried. */
  evictions: EvictionOrders;
  /** The first course played: what would be shown when nothing is wrong. */
  first: Course | null;
  /** The first course in which the maintenance does not complete. */
  stalling: Course | null;
  /** Services that were ready and in some course had nothing ready for a time; the longest. */
  readonly lost: Map<Service, ServiceLoss>;
  /** The course in which a Service is longest without anything ready. */
  losing: Course | null;
  readonly notModelled: Map<string, Gap>;
}

/** How long a Service had nothing ready, ms; null: to the end. */
export interface ServiceLoss {
  readonly lengthMs: number | null;
}

/** How much of the timed question is played. */
export interface Extent {
  readonly placement: "top" | "feasible";
  readonly states: number;
  /** One course of each end of a range is enough: everything is decided already. */
  readonly onlyShown: boolean;
  readonly evictions: EvictionOrders;
  readonly paces: readonly Pace[];
}

/** Of ranges of times: all pods as slow as can be or all as quick; mixed: and each pod's start at either end too. */
export type Starts = "alike" | "mixed";

/**
 * The timed question: the scenario's times, the nodes the scheduler could really pick, every order and every choice
 * among them. Endpoints without a break in any course are `safe`, and `undecided` where a limit was reached.
 */
export function judgeTimed(question: Question, placement: "top" | "feasible", starts: Starts = "mixed"): Judgement {
  const judgement = newJudgement(question);
  const { states } = question;
  const paces = pacesOf(question, starts);
  playTimed(question, judgement, { placement, states, onlyShown: false, evictions: "for-room", paces });
  if (!judgement.exhaustive) leaveOpen(judgement, () => false);
  return judgement;
}

/** Plays courses of the timed question and adds what they show. */
export function playTimed(question: Question, judgement: Judgement, extent: Extent): void {
  const { placement, states, onlyShown, evictions, paces } = extent;
  for (const pace of paces) {
    const sim = simulationOf(question, { timed: true, placement, ...pace, evictions });
    const explored = explore(sim, { ...question, states }, (end) => {
      note(judgement, end);
      if (onlyShown) return "enough";
      return end.monitor.endpoints.some(isHurt) ? "hurt" : "on";
    });
    judgement.states += explored.states;
    judgement.exhaustive &&= explored.ended === "whole" && !explored.horizon;
  }
}

/** What no course has hurt so far is undecided, but where it is known to be safe. */
export function leaveOpen({ endpoints }: Judgement, isProved: (endpoint: Endpoint) => boolean): void {
  for (const outcome of endpoints) {
    const { endpoint, verdict } = outcome;
    if (verdict === "safe" && !endpoint.idle && !isProved(endpoint)) outcome.verdict = "undecided";
  }
}

export interface UntimedAnswer {
  /** Endpoints that some order, placement and timing breaks, or that stop the maintenance. */
  readonly broken: ReadonlySet<Endpoint>;
  readonly exhaustive: boolean;
  readonly states: number;
}

/** The untimed question: any feasible node, start-ups of any finite length. Ends when every endpoint is hurt. */
export function judgeUntimed(question: Question): UntimedAnswer {
  const broken = new Set<Endpoint>();
  const sim = simulationOf(question, {
    timed: false,
    placement: "feasible",
    ...slowest(question),
    evictions: "for-room",
  });
  const noteBroken = (at: Simulation): "on" | "enough" => {
    for (const record of at.monitor.endpoints) if (isHurt(record)) broken.add(record.endpoint);
    return broken.size === question.endpoints.length ? "enough" : "on";
  };
  const explored = explore(sim, question, noteBroken, noteBroken);
  return { broken, exhaustive: explored.exhaustive && !explored.horizon, states: explored.states };
}

/** What can happen to any of the endpoints at all. */
export interface Harm {
  /** Some course breaks one, or it cannot be said that none does. */
  readonly breaks: boolean;
  /** The same for a drain that cannot end because of one. */
  readonly stalls: boolean;
  /** There were too many states to say. */
  readonly isOpen: boolean;
}

/** The worst there is over all courses; ends at the first break. Untimed, `starts` says nothing. */
export function harmOf(
  question: Question,
  how: { readonly timed: boolean; readonly placement: Placement; readonly starts: Starts },
): Harm {
  const paces = how.timed ? pacesOf(question, how.starts) : [slowest(question)];
  let stalls = false;
  for (const pace of paces) {
    const { timed, placement } = how;
    const sim = simulationOf(question, { timed, placement, ...pace, evictions: "for-room" });
    const look = (at: Simulation): "on" | "enough" => {
      stalls ||= at.monitor.endpoints.some(({ stalledBy }) => stalledBy.length > 0);
      return at.monitor.endpoints.some(({ broken }) => broken) ? "enough" : "on";
    };
    const { ended, horizon } = explore(sim, question, look, look);
    if (ended !== "whole" || horizon) return { breaks: true, stalls: true, isOpen: ended === "limit" || horizon };
  }
  return { breaks: false, stalls, isOpen: false };
}

/** Whether some course of the timed question hurts an endpoint, or it cannot be said. Ends at the first that does. */
export function hurtsTimed(question: Question, { placement, evictions, starts }: TimedPlay): boolean {
  return pacesOf(question, starts).some((pace) => {
    const sim = simulationOf(question, { placement, evictions, timed: true, ...pace });
    const isHurtNow = (at: Simulation): "on" | "enough" => (at.monitor.endpoints.some(isHurt) ? "enough" : "on");
    const explored = explore(sim, question, isHurtNow, isHurtNow);
    return explored.ended === "enough" || !explored.exhaustive || explored.horizon;
  });
}

export type TimedPlay = Pick<SimulationOptions, "placement" | "evictions"> & { readonly starts: Starts };

export type Placement = SimulationOptions["placement"];

/** Broken, or a drain that cannot end because of it. */
function isHurt({ broken, stalledBy }: EndpointRecord): boolean {
  return broken || stalledBy.length > 0;
}

export function simulationOf(
  question: Question,
  how: Pick<SimulationOptions, "timed" | "placement" | "evictions"> & Pace,
): Simulation {
  const { cluster, steps, endpoints, supporting, horizonMs } = question;
  return new Simulation(cluster, steps, { endpoints, supporting }, { ...how, startUps: "that-matter", horizonMs });
}

/** How long things take in one play. */
export type Pace = Pick<SimulationOptions, "timing" | "span">;

/** The plays that ranges of times ask for. */
export function pacesOf(question: Question, starts: Starts): readonly Pace[] {
  return starts === "alike" ? alikePaces(question) : [...alikePaces(question), ...mixedPaces(question)];
}

/** Every time at its longest, then every one at its least; where it is settled which starts are quick, just that. */
function alikePaces(question: Question): readonly Pace[] {
  if (hasSettledStarts(question)) return eitherEnd(question);
  const slow = slowest(question);
  return hasRanges(question) ? [slow, { timing: question.timing, span: "least" }] : [slow];
}

/** Plays in which some start slowly and some quickly; none where no start is a range. */
export function mixedPaces(question: Question): readonly Pace[] {
  return hasSettledStarts(question) ? [] : eitherEnd(question);
}

function eitherEnd(question: Question): readonly Pace[] {
  if (!hasStarts(question)) return [];
  const { timing } = question;
  const { nodeDown } = timing.scenario;
  const each: Pace = { timing, span: "each" };
  return nodeDown === null || !isRange(nodeDown) ? [each] : [each, { ...each, timing: withShortDowns(timing) }];
}

function hasSettledStarts(question: Question): boolean {
  return question.choices.some(({ soon }) => soon) && hasStarts(question);
}

/** The times that the course of a single play takes. */
function slowest({ timing }: Question): Pace {
  return { timing, span: "most" };
}

function withShortDowns(timing: Timing): Timing {
  return { ...timing, scenario: atEnd(timing, "least").scenario };
}

function hasRanges(question: Question): boolean {
  const { nodeDown, podReady, podStop } = question.timing.scenario;
  const others = [...(nodeDown === null ? [] : [nodeDown]), ...[...podReady, ...podStop].map(({ span }) => span)];
  return others.some(isRange) || hasStarts(question);
}

function hasStarts({ cluster, timing }: Question): boolean {
  return cluster.pods.some((pod) => isRange(timing.podStart(pod)));
}

export function newJudgement({ endpoints, supporting }: Question): Judgement {
  const hops = new Set([...endpoints.flatMap((endpoint) => endpoint.hops), ...supporting]);
  return {
    endpoints: endpoints.map((endpoint) => ({
      endpoint,
      now: "up",
      verdict: "safe",
      course: null,
      effort: null,
      downLeastMs: null,
      downMostMs: 0,
      minCapacity: 1,
    })),
    hops: [...hops].map((hop) => ({ hop, wasZero: false, min: Number.POSITIVE_INFINITY, stalled: false })),
    maintenance: "completes",
    states: 0,
    exhaustive: true,
    evictions: "for-room",
    first: null,
    stalling: null,
    lost: new Map(),
    losing: null,
    notModelled: new Map(),
  };
}

/** Adds what one course, played to its end, has shown. */
export function note(judgement: Judgement, sim: Simulation, told: (sim: Simulation) => Course = courseOf): void {
  let course: Course | null = null;
  const copy = (): Course => {
    course ??= told(sim);
    return course;
  };
  judgement.first ??= copy();
  for (const [what, gap] of sim.notModelled) judgement.notModelled.set(what, gap);
  if (!completes(sim)) {
    judgement.maintenance = "stalls";
    judgement.stalling ??= copy();
  }
  for (const record of sim.monitor.services) {
    const loss = lossOf(record);
    if (loss === null || !isLonger(loss, judgement.lost.get(record.service) ?? null)) continue;
    const longest = [...judgement.lost.values()].every((other) => isLonger(loss, other));
    judgement.lost.set(record.service, loss);
    if (longest) judgement.losing = copy();
  }
  for (const outcome of judgement.endpoints) {
    const record = sim.monitor.endpoint(outcome.endpoint);
    if (record === undefined || record.now === "idle") continue;
    outcome.now = record.now;
    outcome.minCapacity = Math.min(outcome.minCapacity, record.minCapacity);
    noteDown(outcome, record.downs, judgement.first === course);
    const verdict = record.broken ? "unsafe" : record.stalledBy.length > 0 ? "stalls" : "safe";
    const effort = record.brokenAfter ?? wholeEffort(sim);
    if (
      isWorse(verdict, outcome.verdict) ||
      (verdict === outcome.verdict && verdict !== "safe" && isLess(effort, outcome.effort))
    ) {
      outcome.effort = effort;
      outcome.verdict = verdict;
      outcome.course = copy();
    }
  }
  for (const outcome of judgement.hops) {
    const record = sim.monitor.hop(outcome.hop);
    if (record !== undefined) noteHop(outcome, record);
  }
}

/** The longest time without anything ready of a Service that had something; null: never for longer than a moment. */
function lossOf({ sequence }: ServiceRecord): ServiceLoss | null {
  let longest: ServiceLoss | null = null;
  for (const { fromMs, toMs } of darkSpans(sequence)) {
    const loss = { lengthMs: toMs === null ? null : toMs - fromMs };
    if (isLonger(loss, longest)) longest = loss;
  }
  return longest;
}

function isLonger(a: ServiceLoss, b: ServiceLoss | null): boolean {
  if (b === null) return true;
  return b.lengthMs !== null && (a.lengthMs === null || a.lengthMs > b.lengthMs);
}

function noteDown(outcome: EndpointOutcome, downs: readonly DownSpan[], isFirst: boolean): void {
  const longest = longestMs(downs);
  if (isFirst) outcome.downLeastMs = longest;
  else if (longest !== null && (outcome.downLeastMs === null || longest < outcome.downLeastMs))
    outcome.downLeastMs = longest;
  if (longest === null || outcome.downMostMs === null) outcome.downMostMs = null;
  else outcome.downMostMs = Math.max(outcome.downMostMs, longest);
}

function noteHop(outcome: HopOutcome, record: HopRecord): void {
  outcome.wasZero ||= record.wasZero;
  outcome.min = Math.min(outcome.min, record.min);
  outcome.stalled ||= record.stalled;
}

/** Every step ends, every drain ends well, and rollouts that the steps ask for come to an end. */
function completes(sim: Simulation): boolean {
  if (sim.program.stalled.length > (sim.isCut ? 1 : 0)) return false;
  const changes = sim.steps.some((step) => step.do === "change" || step.do === "scaleTo");
  if (changes && sim.timeline.some(({ fact }) => fact.type === "rollout-stalled")) return false;
  return sim.drainsEnded.every(endsWell);
}

/** What the whole course took. */
export function wholeEffort(sim: Simulation): Effort {
  return { drains: sim.drains.length, choices: sim.choicesTaken.length, atMs: sim.ledger.nowMs };
}

/** Fewest drains, then fewest choices, then soonest. */
export function isLess(a: Effort, b: Effort | null): boolean {
  if (b === null) return true;
  return (
    a.drains - b.drains < 0 ||
    (a.drains === b.drains && (a.choices < b.choices || (a.choices === b.choices && a.atMs < b.atMs)))
  );
}

export function courseOf(sim: Simulation): Course {
  const stalls = stallsOf(sim.ledger, sim.drains);
  return courseWith(sim, () => stalls);
}

/** The same where it can be played again to ask for its stalls. */
export function courseWith(sim: Simulation, playedAgain: () => readonly Stall[]): Course {
  let known: readonly Stall[] | null = sim.drains.every(endsWell) ? [] : null;
  const stalls = (): readonly Stall[] => {
    known ??= playedAgain();
    return known;
  };
  const down = sim.monitor.endpoints.filter((record) => record.downs.length > 0);
  const pending = [...sim.ledger.waiting]
    .filter(({ phase }) => phase === "Pending")
    .sort((a, b) => a.uid - b.uid)
    .map((pod) => ({ pod: pod.key, sinceMs: Math.max(0, pod.createdAtMs), message: pod.unschedulableMessage }));
  return {
    timeline: [...sim.timeline],
    drains: [...sim.drains],
    choices: told(sim.choicesTaken),
    settled: settledBy(sim.choicesTaken),
    downs: new Map(down.map(({ endpoint, downs }) => [endpoint, downs])),
    services: sim.monitor.services.map((record) => ({ ...record })),
    pending,
    stalls,
  };
}

/** Of thousands of nodes to choose from it is kept that there were several; of the last that came next, which were left. */
function told(choices: readonly TakenChoice[]): readonly TakenChoice[] {
  const last = choices.findLast(({ choice }) => choice.kind === "next-node");
  return choices.map((made) => {
    const { choice } = made;
    if (made === last || !("nodes" in choice) || choice.nodes.length <= nodesTold) return made;
    return { ...made, choice: { ...choice, nodes: choice.nodes.slice(0, nodesTold) } };
  });
}

const nodesTold = 8;
