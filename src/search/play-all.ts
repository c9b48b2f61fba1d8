import { budgetSync } from "../eviction/budget-status.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { Cluster } from "../model/cluster.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { isLeftToOthers } from "../route/not-modelled.ts";
import { asItStands } from "../sim/as-it-stands.ts";
import type { Ledger } from "../sim/ledger.ts";
import { podsOf, readyUnits } from "../sim/monitor.ts";
import { endsWell } from "../sim/trace.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { isNeverMadeAhead } from "../systems/pod-keepers.ts";
import { answer, answerTimed } from "./answer.ts";
import type { Course, EndpointOutcome, Judgement, Question, Watch } from "./judge.ts";
import { copied, isLonger, mergeHop, mergeOutcome } from "./merge.ts";
import { type Apart, ApartJudge } from "./n-minus-one/apart.ts";
import type { NamedScenario, Variant } from "./named-scenarios.ts";
import { addRests, type Rest } from "./rests-on.ts";
import { isWorse, type Severity, worstOf } from "./severity.ts";
import { type Helpers, Sharing } from "./tasks.ts";
import { Unsure } from "./unsure.ts";

/** How far it is. */
export interface Step {
  readonly doing: string;
  readonly done: number;
  readonly total: number;
}

/** Every scenario, one after the other. */
export function* playAll(
  asked: Asked,
  scenarios: readonly NamedScenario[],
  helpers: Helpers | null = null,
): Generator<Step, readonly Played[]> {
  const { cluster } = asked;
  const played: Played[] = [];
  const apart = cluster.nodes.length >= apartNodesMin ? new ApartJudge(asked) : null;
  const sharing =
    apart === null || helpers === null || !isShared(cluster) ? null : new Sharing(apart, scenarios, helpers);
  const unsure = new Unsure(asked, apart?.ground);
  for (const [index, scenario] of scenarios.entries()) {
    const soFar = earlyAnswer(played);
    const at = { done: index, total: scenarios.length };
    yield { doing: `plays ${scenario.name}${soFar}`, ...at };
    if (apart === null || (isOfPool(scenario) && cluster.pods.length <= wholePoolPodsMax)) {
      played.push(play(asked, scenario, unsure));
      continue;
    }
    const judging = sharing?.judge(index) ?? apart.judge(scenario.variants.map((variant) => variant.steps));
    const steps = playApart(judging, asked, scenario, unsure);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        played.push(step.value);
        break;
      }
      yield { doing: `plays ${scenario.name}, ${step.value} of ${scenario.variants.length}${soFar}`, ...at };
    }
  }
  return played;
}

/** What all that makes the verdict says of an endpoint. */
export interface Judged {
  readonly now: EndpointOutcome["now"];
  /** Null: it is idle. */
  readonly verdict: Severity | null;
  /** What hurt it most. */
  readonly worst: { readonly played: Played; readonly outcome: EndpointOutcome } | null;
}

/** With `isCapped`, something that is not known could change it, and any other. */
export function judged(endpoint: Endpoint, played: readonly Played[], view: Ledger, isCapped: boolean): Judged {
  const verdicts: Severity[] = [];
  let worst: Judged["worst"] = null;
  for (const one of played) {
    const outcome = one.scenario.partOfVerdict ? outcomeOf(one.judgement, endpoint) : undefined;
    if (outcome === undefined) continue;
    verdicts.push(
      cappedVerdict(outcome.verdict, isCapped || outcome.leansOnTime === true || hasGaps(endpoint, one.sure)),
    );
    if (outcome.verdict === "safe") continue;
    const isWorst =
      worst === null ||
      isWorse(outcome.verdict, worst.outcome.verdict) ||
      (outcome.verdict === worst.outcome.verdict && isLonger(outcome, worst.outcome));
    if (isWorst) worst = { played: one, outcome };
  }
  const [first] = played;
  const playedFirst = first === undefined ? undefined : outcomeOf(first.judgement, endpoint);
  const now = endpoint.idle ? "idle" : (playedFirst?.now ?? nowOf(view, endpoint));
  if (now === "down" && played.length > 0) verdicts.push(isUnseen(endpoint, view) ? "undecided" : "unsafe");
  if (verdicts.length === 0) verdicts.push("undecided");
  return { now, verdict: now === "idle" ? null : worstOf(verdicts), worst };
}

/** What is certain before all is played: the endpoints hurt so far, the worst first. "" while there are none. */
function earlyAnswer(played: readonly Played[]): string {
  const hurt = new Map<Endpoint, EndpointOutcome["verdict"]>();
  for (const { scenario, judgement } of played) {
    if (!scenario.partOfVerdict) continue;
    for (const { endpoint, verdict } of judgement.endpoints) {
      if (isWorse(verdict, hurt.get(endpoint) ?? "undecided")) hurt.set(endpoint, verdict);
    }
  }
  const told = (["unsafe", "stalls"] as const).flatMap((wanted) => {
    const names = [...hurt]
      .filter(([, verdict]) => verdict === wanted)
      .map(([{ namespace, name }]) => `${namespace}/${name}`);
    const [first] = names;
    return first === undefined ? [] : [`${names.length} ${wanted} (${first}${names.length > 1 ? ", …" : ""})`];
  });
  return told.length === 0 ? "" : `; so far ${told.join(", ")}`;
}

export interface Played {
  readonly scenario: NamedScenario;
  readonly variants: readonly { readonly variant: Variant; readonly judgement: Judgement }[];
  readonly judgement: Judgement;
  readonly rests: ReadonlyMap<Endpoint, readonly Rest[]>;
  /** Safe whenever their new pods serve, although that is not known of them. */
  readonly sure: ReadonlySet<Endpoint>;
}

/** From so many nodes on, single drains and failures are argued about first, each by itself. */
const apartNodesMin = 30;
/** Of pools in clusters with more pods than this, only the beginnings are played. */
const wholePoolPodsMax = 1_000;

/** Judged by tasks that others may do: each is of one scenario, and none is followed through every course of the whole cluster. */
export function isShared({ nodes, pods }: Cluster): boolean {
  return nodes.length >= apartNodesMin && pods.length > wholePoolPodsMax;
}

function isOfPool({ kind }: NamedScenario): boolean {
  return kind === "pool-maintenance" || kind === "cordon-all";
}

export type Asked = Watch;

function play(asked: Asked, scenario: NamedScenario, unsure: Unsure): Played {
  const rests = new Map<Endpoint, readonly Rest[]>();
  const variants = scenario.variants.map((variant) => {
    const question: Question = { ...asked, steps: variant.steps, choices: [] };
    if (!scenario.partOfVerdict) return { variant, judgement: doubted(answerTimed(question), asked.cluster) };
    const answered = answer(question);
    for (const [endpoint, found] of answered.rests) addRests(rests, endpoint, found);
    return { variant, judgement: doubted(answered.judgement, asked.cluster) };
  });
  const judgement = merged(variants.map((played) => played.judgement));
  const sure = unsure.sureOf(
    judgement,
    scenario.variants.map(({ steps }) => steps),
    rests,
  );
  return { scenario, variants, judgement, rests, sure };
}

/** The same in a large cluster: what can be argued about is not played. */
function* playApart(
  judging: Generator<number, Apart>,
  { cluster }: Asked,
  scenario: NamedScenario,
  unsure: Unsure,
): Generator<number, Played> {
  const apart = yield* judging;
  const variants = apart.played.flatMap(({ index, judgement }) => {
    const variant = scenario.variants[index];
    return variant === undefined ? [] : [{ variant, judgement: doubted(judgement, cluster) }];
  });
  ApartJudge.merge(apart);
  const rests = new Map(scenario.partOfVerdict ? apart.rests : []);
  const sure = unsure.sureOf(
    apart.judgement,
    scenario.variants.map(({ steps }) => steps),
    rests,
  );
  return { scenario, variants, judgement: apart.judgement, rests, sure };
}

/**
 * An endpoint that broke or stalled only because of pods whose controller, scheduler or gate is not modelled is undecided: the
 * play leaves them gone or waiting, and they would have come. But nobody makes one ahead: what stood on one pod is down; and what
 * is held before any of them is gone, is held, unless it waits for one of them that has yet to start.
 */
export function doubted(judgement: Judgement, cluster: Cluster): Judgement {
  const gone = judgement.hops.filter(
    ({ hop, wasZero, stalled }) => hop.needed && hop.outside === "" && (wasZero || stalled),
  );
  for (const outcome of judgement.endpoints) {
    const { endpoint, verdict, now } = outcome;
    if (verdict !== "unsafe" && verdict !== "stalls") continue;
    if (now === "down") {
      if (isUnseen(endpoint, asItStands(cluster))) outcome.verdict = "undecided";
      continue;
    }
    if (verdict === "stalls" && isHeldByUnseen(outcome.course, cluster)) {
      outcome.verdict = "undecided";
      continue;
    }
    const hurt = gone.filter(({ hop }) => endpoint.hops.includes(hop));
    // With nothing down, too few engines were left.
    const causes =
      hurt.length > 0
        ? hurt.map(({ hop }) => hop)
        : endpoint.hops.filter(({ hop, needed }) => needed && hop === "engine");
    if (causes.length === 0 || !causes.every((hop) => isLeftToOthers(endpoint, hop))) continue;
    const isHeld = verdict === "stalls" && !hasLost(outcome.course, keysOf(causes, cluster));
    if (isHeld && !mayBeLetGo(causes, cluster)) continue;
    const isSure = verdict === "unsafe" && endpoint.maxDownMs === 0 && hurt.some(({ hop }) => isOfOnePod(cluster, hop));
    if (isSure) outcome.downLeastMs = 0;
    else outcome.verdict = "undecided";
  }
  const isUnclear = isHeldByOthers(judgement, cluster) || isHeldByUnseen(judgement.stalling, cluster);
  if (judgement.maintenance === "stalls" && isUnclear) judgement.maintenance = "unclear";
  return judgement;
}

/** The drains that do not end wait for nothing but pods whose successors are left to others. */
function isHeldByOthers({ stalling, endpoints }: Judgement, cluster: Cluster): boolean {
  const blocked = (stalling?.drains ?? []).filter((drain) => !endsWell(drain)).flatMap(({ blockedBy }) => blockedBy);
  if (blocked.length === 0) return false;
  const left = endpoints.flatMap(({ endpoint }) => endpoint.hops.filter((hop) => isLeftToOthers(endpoint, hop)));
  const theirs = keysOf(left, cluster);
  return hasLost(stalling, theirs) && blocked.every(({ pod, code }) => code === 429 && theirs.has(pod));
}

/** The drains that do not end wait for pods alone that the play made in place of some that were not seen: those are elsewhere. */
function isHeldByUnseen(course: Course | null, cluster: Cluster): boolean {
  if (course === null || !arePodsUnseen(cluster)) return false;
  const blocked = course.drains.filter((drain) => !endsWell(drain)).flatMap(({ blockedBy }) => blockedBy);
  const view = asItStands(cluster);
  return blocked.length > 0 && blocked.every(({ pod }) => pod !== "" && view.pod(pod) === undefined);
}

function arePodsUnseen({ notSeen }: Cluster): boolean {
  return notSeen.some(({ resource }) => resource === "pods");
}

function keysOf(hops: readonly Hop[], cluster: Cluster): ReadonlySet<string> {
  const view = asItStands(cluster);
  return new Set(hops.flatMap((hop) => podsOf(view, hop.pods).map(({ key }) => key)));
}

function hasLost(course: Course | null, pods: ReadonlySet<string>): boolean {
  return (course?.timeline ?? []).some(({ fact }) => fact.type === "pod-deleted" && pods.has(fact.pod));
}

/** One waits behind a gate or for another scheduler: once that lets it start, the budget over it lets another go. */
function mayBeLetGo(hops: readonly Hop[], cluster: Cluster): boolean {
  const view = asItStands(cluster);
  return hops
    .flatMap((hop) => podsOf(view, hop.pods))
    .filter(({ node, template }) => node === null && isHeldBack(template))
    .flatMap((pod) => budgetsOf(view, pod))
    .some((budget) => {
      const { expectedPods, desiredHealthy } = budgetSync(view, budget).status;
      return expectedPods > desiredHealthy;
    });
}

function isHeldBack({ schedulingGates, schedulerName }: PodTemplate): boolean {
  return schedulingGates.length > 0 || schedulerName !== "default-scheduler";
}

/** One pod, which nobody makes again before it leaves. */
function isOfOnePod(cluster: Cluster, hop: Hop): boolean {
  const [pod, ...more] = podsOf(asItStands(cluster), hop.pods);
  const owner = pod?.owner == null ? undefined : cluster.workloads.get(pod.owner);
  return more.length === 0 && owner !== undefined && (owner.kind !== "Other" || isNeverMadeAhead(owner));
}

/** The worst of several variants, endpoint by endpoint. */
function merged(judgements: readonly Judgement[]): Judgement {
  const [first, ...rest] = judgements;
  if (first === undefined) throw new RangeError("a scenario has a variant");
  const into = copied(first);
  for (const next of rest) {
    into.states += next.states;
    into.exhaustive &&= next.exhaustive;
    if (next.maintenance === "stalls") into.maintenance = "stalls";
    into.stalling ??= next.stalling;
    for (const [what, gap] of next.notModelled) into.notModelled.set(what, gap);
    for (const [index, outcome] of into.endpoints.entries()) {
      const other = next.endpoints[index];
      if (other !== undefined) mergeOutcome(outcome, other);
    }
    for (const [index, outcome] of into.hops.entries()) {
      const other = next.hops[index];
      if (other !== undefined) mergeHop(outcome, other);
    }
  }
  return into;
}

/** Something about it could change its verdict, but for those that are safe whenever their new pods serve. */
export function hasGaps(endpoint: Endpoint, sure: ReadonlySet<Endpoint>): boolean {
  return !sure.has(endpoint) && endpoint.notModelled.some(({ couldChange }) => couldChange !== "");
}

/** What could change a verdict and is not modelled leaves nothing better than undecided. */
export function cappedVerdict(verdict: Severity, isCapped: boolean): Severity {
  return isCapped && verdict === "safe" ? "undecided" : verdict;
}

const outcomesByJudgement = new WeakMap<Judgement, ReadonlyMap<Endpoint, EndpointOutcome>>();

export function outcomeOf(judgement: Judgement, endpoint: Endpoint): EndpointOutcome | undefined {
  let outcomes = outcomesByJudgement.get(judgement);
  if (outcomes === undefined) {
    outcomes = new Map(judgement.endpoints.map((outcome) => [outcome.endpoint, outcome]));
    outcomesByJudgement.set(judgement, outcomes);
  }
  return outcomes.get(endpoint);
}

/** It is down only because the input leaves pods out: of whatever has nothing ready no pod was seen. */
function isUnseen(endpoint: Endpoint, view: Ledger): boolean {
  if (!arePodsUnseen(view.cluster)) return false;
  return endpoint.hops
    .filter((hop) => hop.needed && hop.outside === "" && readyUnits(view, hop) === 0)
    .every((hop) => podsOf(view, hop.pods).length === 0);
}

/** Where nothing was played: whether every part it needs has something ready. */
function nowOf(view: Ledger, endpoint: Endpoint): "up" | "down" {
  const lost = endpoint.hops.some((hop) => hop.needed && hop.outside === "" && readyUnits(view, hop) === 0);
  return lost ? "down" : "up";
}
