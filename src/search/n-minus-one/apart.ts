import { nodesToFind } from "../../scheduler/sampling.ts";
import { nodesWorkedOn, type PlannedStep } from "../../sim/program.ts";
import type { Simulation } from "../../sim/simulation.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { answer } from "../answer.ts";
import {
  type Course,
  courseOf,
  courseWith,
  type EndpointOutcome,
  type HopOutcome,
  type Judgement,
  newJudgement,
  note,
  type Question,
  type Watch,
} from "../judge.ts";
import { copied, mergeInto } from "../merge.ts";
import { proveParts } from "../part/prove-parts.ts";
import { playedAgain, withDowns } from "../played-again.ts";
import { prove } from "../proof/prove.ts";
import { addRests, type Rest } from "../rests-on.ts";
import { type Stall, stallsOf } from "../stall-chain.ts";
import { type Argued, argue, leftOf, threat } from "./argue.ts";
import { type Broken, broken } from "./broken.ts";
import { type Ground, groundOf } from "./ground.ts";
import { Led } from "./led.ts";
import { allLeave, type Loss, lossOf, nodesLostBy, takenOf } from "./loss.ts";
import { type Recipe, withRecipe } from "./recipe.ts";
import type { Rooms } from "./rooms.ts";
import { type Drained, isSameDrain } from "./same-drain.ts";
import type { Standing } from "./standing.ts";
import { courseLedTo, isLed } from "./turns.ts";

/** Several maintenances, each by itself. */
export type Variants = readonly (readonly PlannedStep[])[];

export interface Apart {
  /** The worst over all of them, endpoint by endpoint. */
  readonly judgement: Judgement;
  /** Those that were played, with the endpoints they were played for. */
  readonly played: readonly PlayedVariant[];
  readonly rests: ReadonlyMap<Endpoint, readonly Rest[]>;
}

export interface PlayedVariant {
  readonly index: number;
  readonly judgement: Judgement;
  /** Null: nothing is argued about what it does. */
  loss(): Loss | null;
}

/** Of several nodes, losses that move more pods than this are not played to their end. */
const movesMax = 100;
/** In a cluster with more pods than this a course that hurts nobody is not followed by all others. */
const wholePodsMax = 500;
/** Then each of them follows so many states. */
const wholeStatesMax = 3_000;

/**
 * Many small maintenances of one cluster, each by itself: single drains, failures of nodes or zones. Most endpoints are argued
 * about (argue.ts), so that what one maintenance costs goes with the pods it moves and not with the cluster. For the others it
 * is played on one simulation, which goes back to the settled cluster in between.
 */
export class ApartJudge {
  /** Stands settled whenever nothing is judged. */
  readonly ground: Ground;
  readonly #watch: Watch;
  readonly #sim: Simulation;
  /** The scheduler looks at every node for every pod: where it starts makes no difference. */
  readonly #looksAtAll: boolean;
  readonly #standing: Standing;
  readonly #rooms: Rooms;
  readonly #led: Led;
  /** Maintenances judged already: the next may be one of them by another name. */
  readonly #before: (Drained & { readonly apart: Apart })[] = [];
  readonly #losses = new Map<readonly PlannedStep[], Loss | null>();
  #still: Judgement | null = null;
  readonly #idle: ReadonlySet<Endpoint>;
  readonly #places: ReadonlyMap<Endpoint, number>;
  /** Those that move or wait by themselves, or may be driven out. */
  readonly #restless: readonly Endpoint[];
  readonly #byPriority: readonly { readonly endpoint: Endpoint; readonly lowest: number }[];

  constructor(watch: Watch) {
    this.#watch = watch;
    const { cluster, endpoints } = watch;
    this.#looksAtAll = nodesToFind(cluster.nodes.length, 0) >= cluster.nodes.length;
    this.ground = groundOf(watch);
    const { sim, standing, rooms } = this.ground;
    this.#sim = sim;
    this.#standing = standing;
    this.#rooms = rooms;
    this.#led = new Led(this.ground);
    this.#idle = new Set(endpoints.filter(({ idle }) => idle));
    this.#places = new Map(endpoints.map((endpoint, place) => [endpoint, place]));
    const judged = endpoints.filter(({ idle }) => !idle);
    const isQuiet = (endpoint: Endpoint): boolean =>
      endpoint.hops.every((hop) => hop.outside !== "" || this.#standing.part(hop).quiet) &&
      this.#standing.nowOf(endpoint) === "up";
    this.#restless = judged.filter((endpoint) => !isQuiet(endpoint) || this.#standing.mayBeDrivenOut(endpoint));
    this.#byPriority = judged.map((endpoint) => ({ endpoint, lowest: this.#standing.lowestOf(endpoint) }));
  }

  /** Tells now and then how many of the variants are judged. */
  *judge(variants: Variants): Generator<number, Apart> {
    const before = this.before(variants);
    if (before !== null) return before;
    const apart = yield* this.part(variants);
    this.learn(variants, apart);
    return apart;
  }

  /** What has been judged already, by whatever name; null: nothing of the kind. */
  before(variants: Variants): Apart | null {
    const drained = this.#drainedBy(variants);
    const before = drained === null ? undefined : this.#before.find((known) => isSameDrain(known, drained));
    return before === undefined ? null : { ...before.apart, judgement: copied(before.apart.judgement) };
  }

  /** Whether either answers for both. */
  areSame(variants: Variants, others: Variants): boolean {
    const [one, other] = [this.#drainedBy(variants), this.#drainedBy(others)];
    return one !== null && other !== null && isSameDrain(one, other);
  }

  /** Keeps what later maintenances are held against. */
  learn(variants: Variants, apart: Apart): void {
    for (const { index, judgement, loss } of apart.played) this.learnAlone(variants[index], judgement.endpoints, loss);
    const drained = this.#drainedBy(variants);
    if (drained !== null) this.#before.push({ ...drained, apart: { ...apart, judgement: copied(apart.judgement) } });
  }

  /** The same of the drain of one node by itself, for maintenances that may begin with it. */
  learnAlone(
    steps: readonly PlannedStep[] | undefined,
    outcomes: readonly EndpointOutcome[],
    lossBy: PlayedVariant["loss"],
  ): void {
    if (steps === undefined || !isDrainOfOne(steps)) return;
    const hurt = outcomes.filter(({ verdict }) => verdict === "unsafe");
    const loss = hurt.length === 0 ? null : lossBy();
    if (loss !== null) this.#led.noteAlone(loss, hurt);
  }

  /** A single maintenance that is a drain, with what it moves. */
  #drainedBy([steps, ...more]: Variants): Drained | null {
    if (steps?.[0]?.do !== "maintain" || more.length > 0 || this.#isFar(steps)) return null;
    const loss = this.lossOf(steps);
    return loss?.by === "drain" ? { steps, loss } : null;
  }

  /** Looked up once for a drain of many nodes, which is asked about more than once. */
  lossOf(steps: readonly PlannedStep[]): Loss | null {
    if (steps[0]?.do !== "maintain" || nodesWorkedOn(steps) === 1) return lossOf(this.#standing, steps);
    let loss = this.#losses.get(steps);
    if (loss === undefined) {
      loss = lossOf(this.#standing, steps);
      this.#losses.set(steps, loss);
    }
    return loss;
  }

  /** Some of the variants, whichever were judged before them. */
  *part(variants: Variants): Generator<number, Apart> {
    const judgement = this.asItStands();
    const outcomes = new Map(judgement.endpoints.map((outcome) => [outcome.endpoint, outcome]));
    const hops = new Map(judgement.hops.map((outcome) => [outcome.hop, outcome]));
    const played: PlayedVariant[] = [];
    const rests = new Map<Endpoint, readonly Rest[]>();
    for (const [index, steps] of variants.entries()) {
      if (this.#isFar(steps)) continue;
      const loss = this.lossOf(steps);
      const lossBy = (): Loss | null => loss;
      const open = loss === null ? this.#all() : this.#argued(loss, { outcomes, hops });
      const argued = loss === null ? null : this.#broken(loss, steps, open);
      if (argued !== null) played.push({ index, judgement: argued, loss: lossBy });
      if (open.endpoints.size === 0 && open.supporting.size === 0) continue;
      const isLarge = nodesWorkedOn(steps) > 1 && (loss === null || loss.moverCount > movesMax);
      const shown = isLarge ? this.#unplayed(loss, steps, { open, rests }) : this.#play(steps, open, rests);
      if (!shown.exhaustive) this.#doubtHops(shown, loss);
      played.push({ index, judgement: shown, loss: lossBy });
      judgement.exhaustive &&= shown.exhaustive;
      for (const [what, gap] of shown.notModelled) judgement.notModelled.set(what, gap);
      yield index + 1;
    }
    return { judgement, played, rests };
  }

  /** Adds the played ones to the whole: once whoever doubts them has looked. */
  static merge({ judgement, played }: Apart): void {
    mergeInto(
      judgement,
      played.map(({ judgement: shown }) => shown),
    );
    for (const { judgement: shown } of played) {
      judgement.states += shown.states;
      if (shown.maintenance === "stalls") judgement.maintenance = "stalls";
    }
  }

  /** A hop of which nothing is left elsewhere may have had nothing ready in a course that was not played. */
  #doubtHops({ hops }: Judgement, loss: Loss | null): void {
    for (const outcome of hops) {
      if (outcome.wasZero || (loss !== null && leftOf(this.#standing, loss, outcome.hop) > 0)) continue;
      outcome.unclear = true;
    }
  }

  /** Before anything happens; what is argued only adds to it. */
  asItStands(): Judgement {
    this.#still ??= this.#asSettled();
    return copied(this.#still);
  }

  #asSettled(): Judgement {
    const judgement = newJudgement({ ...this.#watch, steps: [], choices: [] });
    for (const outcome of judgement.endpoints) {
      outcome.now = this.#standing.nowOf(outcome.endpoint);
      outcome.downLeastMs = 0;
      outcome.minCapacity = this.#standing.capacityWith(outcome.endpoint, (hop) => this.#standing.part(hop).ready);
    }
    for (const outcome of judgement.hops) {
      const { ready } = this.#standing.part(outcome.hop);
      outcome.min = ready;
      outcome.wasZero = ready === 0;
    }
    return judgement;
  }

  /** They take away nodes alone that nothing of what is judged can miss: one question about a large cluster is about few of them. */
  #isFar(steps: readonly PlannedStep[]): boolean {
    if (this.#restless.length > 0) return false;
    return nodesLostBy(steps)?.every((node) => !this.#standing.isNear(node)) ?? false;
  }

  /** Notes what can be argued about a loss; what is left has to be played. */
  #argued(loss: Loss, { outcomes, hops }: Noted): Open {
    const touched = this.#standing.touchedBy(loss);
    const threatened = threat(this.#standing, this.#rooms, loss);
    const asked = new Set(touched.endpoints);
    if (threatened > this.#standing.lowestPriority) {
      for (const { endpoint, lowest } of this.#byPriority) if (lowest < threatened) asked.add(endpoint);
    }
    for (const endpoint of this.#restless) asked.add(endpoint);
    const open = new Set<Endpoint>();
    for (const endpoint of asked) {
      if (this.#idle.has(endpoint)) continue;
      const argued = argue(this.#standing, this.#rooms, loss, endpoint);
      const outcome = outcomes.get(endpoint);
      if (argued === null || outcome === undefined || outcome.now !== "up") open.add(endpoint);
      else noteArgued(this.#standing, argued, outcome, hops);
    }
    return { endpoints: open, supporting: this.#openSupporting(loss, touched.supporting, hops) };
  }

  /** Those of which it is certain how they break or hold the drain up, taken off what is open. Null: there are none. */
  #broken(loss: Loss, steps: readonly PlannedStep[], open: Open): Judgement | null {
    const found = new Map<Endpoint, Broken>();
    for (const endpoint of open.endpoints) {
      const argued = broken(this.ground, loss, endpoint);
      if (argued !== null) found.set(endpoint, argued);
    }
    if (found.size === 0) return null;
    for (const endpoint of found.keys()) open.endpoints.delete(endpoint);
    const judgement = this.#about(steps, { endpoints: new Set(found.keys()), supporting: new Set() });
    const hops = new Map(judgement.hops.map((outcome) => [outcome.hop, outcome]));
    const course = this.courseBy({ steps, led: null, told: [...found.keys()] });
    for (const outcome of judgement.endpoints) {
      const argued = found.get(outcome.endpoint);
      if (argued !== undefined) noteBroken(this.#standing, argued, { outcome, course, hops });
    }
    judgement.states = 1;
    if ([...found.values()].some(({ isStuck }) => isStuck)) judgement.maintenance = "stalls";
    return judgement;
  }

  /** The course that is played by it. */
  courseBy(recipe: Recipe): Course {
    const { steps, led, told } = recipe;
    const play = (): Course => {
      const course = led === null ? this.#atEnd(steps, () => courseOf(this.#sim)) : courseLedTo(this.#sim, steps, led);
      return withDowns(course, ofThese(course.downs, new Set(told)));
    };
    return withRecipe(playedAgain(play), recipe);
  }

  /** Supporting parts: what is left of them is noted, and played where nothing is. */
  #openSupporting(loss: Loss, touched: ReadonlySet<Hop>, hops: Noted["hops"]): ReadonlySet<Hop> {
    const open = new Set<Hop>();
    for (const hop of touched) {
      const part = this.#standing.part(hop);
      const left = leftOf(this.#standing, loss, hop);
      const own = takenOf(part, loss);
      if (part.bound || !part.quiet || (left === 0 && part.ready > 0) || !allLeave(this.#standing, loss, own))
        open.add(hop);
      else noteLeast(hops.get(hop), left);
    }
    return open;
  }

  #all(): Open {
    const { endpoints, supporting } = this.#watch;
    return { endpoints: new Set(endpoints.filter(({ idle }) => !idle)), supporting: new Set(supporting) };
  }

  #play(steps: readonly PlannedStep[], open: Open, rests: Map<Endpoint, readonly Rest[]>): Judgement {
    const question: Question = { ...this.#watch, steps, choices: [] };
    const judgement = this.#course(steps, open);
    const unclear = judgement.endpoints.filter(({ verdict }) => verdict === "safe").map(({ endpoint }) => endpoint);
    if (unclear.length === 0) return judgement;
    if (this.#watch.cluster.pods.length > wholePodsMax) {
      const { proved } = proveParts({ ...question, endpoints: unclear, supporting: [] }, unclear);
      for (const outcome of judgement.endpoints) {
        if (outcome.verdict !== "safe") continue;
        const proof = proved.get(outcome.endpoint);
        if (proof?.neverStalls === true) addRests(rests, outcome.endpoint, proof.rests());
        else outcome.verdict = "undecided";
      }
      judgement.exhaustive = judgement.endpoints.every(({ verdict }) => verdict !== "undecided");
      return judgement;
    }
    const whole = answer({
      ...question,
      endpoints: unclear,
      supporting: [...open.supporting],
      states: Math.min(question.states, wholeStatesMax),
    });
    for (const [endpoint, found] of whole.rests) addRests(rests, endpoint, found);
    const decided = judgement.endpoints.filter(({ endpoint }) => !unclear.includes(endpoint));
    return { ...whole.judgement, endpoints: [...decided, ...whole.judgement.endpoints] };
  }

  /** What is certain without playing it: a failure that leaves too little breaks at that moment. The rest is not decided. */
  #unplayed(
    loss: Loss | null,
    steps: readonly PlannedStep[],
    { open, rests }: { readonly open: Open; readonly rests: Map<Endpoint, readonly Rest[]> },
  ): Judgement {
    const judgement = this.#about(steps, open);
    const { endpoints, hops } = judgement;
    judgement.exhaustive = false;
    const left = (hop: Hop): number =>
      loss === null ? this.#standing.part(hop).ready : leftOf(this.#standing, loss, hop);
    for (const outcome of endpoints) {
      const { endpoint } = outcome;
      outcome.now = this.#standing.nowOf(endpoint);
      outcome.minCapacity = this.#standing.capacityWith(endpoint, left);
      const atOnce = loss?.by === "failure" && endpoint.maxDownMs === 0;
      const tooFew = this.#standing.isShort(endpoint, left);
      outcome.verdict = outcome.now !== "up" || (atOnce && tooFew) ? "unsafe" : "undecided";
      // Until room is found elsewhere, or the machines are back: nothing says when.
      if (outcome.minCapacity === 0) outcome.downMostMs = null;
    }
    for (const outcome of hops) {
      outcome.min = left(outcome.hop);
      outcome.wasZero = loss?.by === "failure" && outcome.min === 0;
    }
    if (loss?.by === "drain" && isLed(steps))
      this.#led.judge({
        loss,
        steps,
        outcomes: endpoints,
        hops: new Map(hops.map((outcome) => [outcome.hop, outcome])),
      });
    this.#proveWhole(steps, endpoints, rests);
    return judgement;
  }

  /** What no beginning hurts may be held by budgets, whatever comes after. */
  #proveWhole(
    steps: readonly PlannedStep[],
    outcomes: readonly EndpointOutcome[],
    rests: Map<Endpoint, readonly Rest[]>,
  ): void {
    const open = outcomes.filter(({ verdict }) => verdict === "undecided");
    if (open.length === 0) return;
    const endpoints = open.map(({ endpoint }) => endpoint);
    const proved = prove({ ...this.#watch, endpoints, supporting: [], steps, choices: [] });
    for (const outcome of open) {
      const proof = proved.get(outcome.endpoint);
      if (proof === undefined) continue;
      outcome.verdict = "safe";
      addRests(rests, outcome.endpoint, proof.rests);
    }
  }

  /** One course to its end. */
  #course(steps: readonly PlannedStep[], open: Open): Judgement {
    const judgement = this.#about(steps, open);
    this.#atEnd(steps, ({ choices, horizon }) => {
      judgement.states = choices;
      note(judgement, this.#sim, (end) => courseWith(end, () => this.#stallsOf(steps)));
      judgement.exhaustive = choices === 0 && !horizon && this.#looksAtAll;
    });
    return trimmed(judgement, { steps, led: null, told: [...open.endpoints] });
  }

  /** As they are asked about. Of thousands mostly a few. */
  #inOrder(endpoints: ReadonlySet<Endpoint>): readonly Endpoint[] {
    const place = (endpoint: Endpoint): number => this.#places.get(endpoint) ?? 0;
    return [...endpoints].sort((a, b) => place(a) - place(b));
  }

  /** Of what is open alone: the rest of a course is no answer about it. */
  #about(steps: readonly PlannedStep[], open: Open): Judgement {
    return newJudgement({
      ...this.#watch,
      endpoints: this.#inOrder(open.endpoints),
      supporting: this.#watch.supporting.filter((hop) => open.supporting.has(hop)),
      steps,
      choices: [],
    });
  }

  /** Played again: few courses are shown in the end, and why a pod finds no place takes longer to say than to play. */
  #stallsOf(steps: readonly PlannedStep[]): readonly Stall[] {
    return this.#atEnd(steps, () => stallsOf(this.#sim.ledger, this.#sim.drains));
  }

  /** What there is to be seen when one course has been played to its end; then the cluster stands settled again. */
  #atEnd<T>(steps: readonly PlannedStep[], look: (ended: ReturnType<Simulation["runFirst"]>) => T): T {
    const sim = this.#sim;
    const mark = sim.journal.mark();
    sim.begin(steps);
    const seen = look(sim.runFirst());
    sim.returnTo(mark);
    return seen;
  }
}

export function isDrainOfOne([step, ...more]: readonly PlannedStep[]): boolean {
  return step?.do === "maintain" && more.length === 0 && step.nodes.length === 1;
}

interface Open {
  readonly endpoints: Set<Endpoint>;
  readonly supporting: ReadonlySet<Hop>;
}

interface Noted {
  readonly outcomes: ReadonlyMap<Endpoint, EndpointOutcome>;
  readonly hops: ReadonlyMap<Hop, HopOutcome>;
}

function noteArgued(standing: Standing, { unitsLeast }: Argued, outcome: EndpointOutcome, hops: Noted["hops"]): void {
  outcome.minCapacity = Math.min(outcome.minCapacity, standing.capacityWith(outcome.endpoint, unitsLeast));
  for (const hop of outcome.endpoint.hops) noteLeast(hops.get(hop), unitsLeast(hop));
}

function noteBroken(
  standing: Standing,
  { verdict, downMs, unitsLeast, stalled }: Broken,
  {
    outcome,
    course,
    hops,
  }: { readonly outcome: EndpointOutcome; readonly course: Course; readonly hops: Noted["hops"] },
): void {
  outcome.verdict = verdict;
  outcome.course = course;
  outcome.effort = { drains: 1, choices: 0, atMs: 0 };
  outcome.downLeastMs = downMs;
  outcome.downMostMs = downMs;
  outcome.minCapacity = standing.capacityWith(outcome.endpoint, unitsLeast);
  for (const hop of outcome.endpoint.hops) {
    noteLeast(hops.get(hop), unitsLeast(hop));
    const noted = hops.get(hop);
    if (noted === undefined) continue;
    noted.wasZero ||= unitsLeast(hop) === 0;
    noted.stalled ||= stalled.includes(hop);
  }
}

function noteLeast(outcome: HopOutcome | undefined, units: number): void {
  if (outcome !== undefined) outcome.min = Math.min(outcome.min, units);
}

/** Courses are told of those alone that were asked about, and kept where one of them is hurt. */
function trimmed(judgement: Judgement, recipe: Recipe): Judgement {
  const endpoints = new Set(recipe.told);
  const known = new Map<Course, Course>();
  for (const outcome of judgement.endpoints) {
    const { course } = outcome;
    if (course === null) continue;
    const own = known.get(course) ?? withRecipe(withDowns(course, ofThese(course.downs, endpoints)), recipe);
    known.set(course, own);
    outcome.course = own;
  }
  return { ...judgement, first: null, stalling: null };
}

function ofThese(downs: Course["downs"], endpoints: ReadonlySet<Endpoint>): Course["downs"] {
  return new Map([...downs].filter(([endpoint]) => endpoints.has(endpoint)));
}
