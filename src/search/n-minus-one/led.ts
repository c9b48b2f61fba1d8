import { listed } from "../../base/listed.ts";
import { byCodeUnit } from "../../base/ordering.ts";
import { setOf } from "../../base/set-of.ts";
import type { PodView } from "../../model/view.ts";
import type { PlannedStep } from "../../sim/program.ts";
import type { Simulation } from "../../sim/simulation.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import type { Course, EndpointOutcome, HopOutcome } from "../judge.ts";
import { isLonger } from "../merge.ts";
import { playedAgain, withDowns } from "../played-again.ts";
import { isWorse } from "../severity.ts";
import { leftOf } from "./argue.ts";
import { isHeldForEver } from "./broken.ts";
import type { Ground } from "./ground.ts";
import { heldInARow, inARow, isKeptByBudgets, type Row, standsStill } from "./in-a-row.ts";
import { allLeave, type Loss, takenOf } from "./loss.ts";
import { type Recipe, withRecipe } from "./recipe.ts";
import type { Rooms } from "./rooms.ts";
import type { Standing } from "./standing.ts";
import { courseLedTo, type Hurt, type LedTo, type Turn, Turns } from "./turns.ts";

/** The drain of one node by itself, and what it did to an endpoint. */
interface Alone {
  readonly loss: Loss;
  readonly outcome: EndpointOutcome;
}

/** A maintenance of many nodes, and what is known of it so far. */
export interface Many {
  readonly loss: Loss;
  readonly steps: readonly PlannedStep[];
  readonly outcomes: readonly EndpointOutcome[];
  readonly hops: ReadonlyMap<Hop, HopOutcome>;
}

const unhurt = { hurt: new Map<Endpoint, Hurt>(), course: null } as const;

/** So many nodes are taken for one endpoint, and so many for all of them. */
const nodesEachMax = 12;
const nodesMax = 2_000;

/**
 * What a maintenance of many nodes does to endpoints, as far as its beginning shows it: led to the nodes where an endpoint
 * stands, a few drains hurt it, or nothing does soon. What breaks when one node is drained alone breaks when that node comes first.
 */
export class Led {
  readonly #ground: Ground;
  readonly #sim: Simulation;
  readonly #standing: Standing;
  readonly #rooms: Rooms;
  readonly #alone = new Map<Endpoint, Alone[]>();

  constructor(ground: Ground) {
    const { sim, standing, rooms } = ground;
    this.#ground = ground;
    this.#sim = sim;
    this.#standing = standing;
    this.#rooms = rooms;
  }

  /** Keeps what the drain of one node did, for maintenances that may begin with it. */
  noteAlone(loss: Loss, outcomes: readonly EndpointOutcome[]): void {
    if (loss.by !== "drain" || loss.nodes.length !== 1) return;
    for (const outcome of outcomes) {
      if (outcome.verdict !== "unsafe") continue;
      listed(this.#alone, outcome.endpoint, { loss, outcome });
    }
  }

  /** Fills in the outcomes that are undecided. */
  judge(many: Many): void {
    const { loss, steps, outcomes, hops } = many;
    const open = outcomes.filter(({ verdict }) => verdict === "undecided");
    const unbegun = open.filter((outcome) => !this.#isArgued(many, outcome));
    if (unbegun.length === 0) return;
    const byEndpoint = new Map(unbegun.map((outcome) => [outcome.endpoint, outcome]));
    const isAsked = (endpoint: Endpoint): boolean => byEndpoint.get(endpoint)?.verdict === "undecided";
    const turns: { begun: Turns | null } = { begun: null };
    let left = nodesMax;
    const take = (outcome: EndpointOutcome, nodes: readonly string[]): Turn | null => {
      if (outcome.verdict !== "undecided" || nodes.length > left) return null;
      left -= nodes.length;
      const [node] = nodes;
      if (node !== undefined && standsStill(this.#ground, many, { node, isAsked })) return { ...unhurt, stuck: node };
      turns.begun ??= new Turns(this.#sim, steps);
      const turn = turns.begun.play({ endpoint: outcome.endpoint, nodes });
      const { course } = turn;
      if (course === null) return turn;
      const shown = { course, steps, led: { endpoint: outcome.endpoint, nodes } };
      for (const [endpoint, hurt] of turn.hurt) noteHurt(byEndpoint.get(endpoint), hurt, shown, hops);
      return turn;
    };
    for (const outcome of unbegun) {
      let nodes = this.#nodesOf(outcome.endpoint, loss);
      let turn = take(outcome, nodes);
      // A drain that others hold up for ever comes last: it need not end.
      for (let tries = 1; tries < nodes.length && turn !== null && turn.stuck !== null; tries += 1) {
        const at = nodes.indexOf(turn.stuck);
        const last = nodes[at];
        if (last === undefined || at === nodes.length - 1) break;
        nodes = [...nodes.toSpliced(at, 1), last];
        turn = take(outcome, nodes);
      }
    }
    turns.begun?.end();
  }

  /**
   * Alone, the drain of one of its nodes takes all of the endpoint's pods there at once and leaves too few. Taken first, that
   * node is drained in the same way; where others are closed by then, what comes back comes no sooner.
   */
  #breaksAtFirst({ loss, steps, hops }: Many, outcome: EndpointOutcome): boolean {
    const { endpoint } = outcome;
    const own = (alone: Loss): readonly PodView[] =>
      endpoint.hops.flatMap((hop) => takenOf(this.#standing.part(hop), alone));
    // One that goes by more than budgets may leave the node alone.
    if (loss.drain?.onlyAsks !== true) return false;
    const touched = setOf(loss.nodes);
    const breaks = ({ loss: alone, outcome: { verdict } }: Alone): boolean =>
      verdict === "unsafe" &&
      alone.drain?.onlyAsks === true &&
      alone.nodes.every((node) => touched.has(node)) &&
      own(alone).every((pod) => loss.drain?.evict.has(pod) === alone.drain?.evict.has(pod)) &&
      allLeave(this.#standing, alone, own(alone)) &&
      this.#standing.isShort(endpoint, (hop) => leftOf(this.#standing, alone, hop));
    const [first, ...more] = (this.#alone.get(endpoint) ?? []).filter(breaks);
    if (first === undefined) return false;
    const worst = more.reduce((most, one) => (isLonger(one.outcome, most.outcome) ? one : most), first);
    outcome.verdict = "unsafe";
    outcome.course = worst.outcome.course;
    const staysDown = this.#staysDown(endpoint, loss, steps);
    outcome.downMostMs = staysDown ? null : worst.outcome.downMostMs;
    outcome.minCapacity = staysDown ? 0 : worst.outcome.minCapacity;
    for (const hop of endpoint.hops) {
      if (this.#standing.part(hop).ready > 0 && leftOf(this.#standing, worst.loss, hop) === 0) noteZero(hops.get(hop));
    }
    return true;
  }

  /** What needs no play. */
  #isArgued(many: Many, outcome: EndpointOutcome): boolean {
    const { endpoint } = outcome;
    if (this.#breaksAtFirst(many, outcome)) return true;
    const candidates = this.#nodesOf(endpoint, many.loss);
    const short = inARow(this.#ground, many, { endpoint, candidates });
    if (short !== null) return this.#argue(many, outcome, { ...short, verdict: "unsafe" });
    const held =
      this.#heldForEver(many, { endpoint, candidates }) ?? heldInARow(this.#ground, many, { endpoint, candidates });
    if (held !== null) return this.#argue(many, outcome, { ...held, verdict: "stalls" });
    return isKeptByBudgets(this.#ground, many, endpoint);
  }

  #argue(
    { steps, hops }: Many,
    outcome: EndpointOutcome,
    { verdict, nodes, units, stalled }: Row & { readonly verdict: Hurt["verdict"] },
  ): true {
    const { endpoint } = outcome;
    const capacity = this.#standing.capacityWith(endpoint, units);
    const zero = endpoint.hops.filter((hop) => this.#standing.part(hop).ready > 0 && units(hop) === 0);
    const hurt: Hurt = { verdict, downMostMs: capacity === 0 ? null : 0, minCapacity: capacity, zero, stalled };
    const led: LedTo = { endpoint, nodes };
    const course = playedAgain(() => courseLedTo(this.#sim, steps, led));
    noteHurt(outcome, hurt, { course, steps, led }, hops);
    return true;
  }

  /** Budgets let none of its pods go, so that it holds up the drain of the first of its nodes. */
  #heldForEver(
    { loss }: Many,
    { endpoint, candidates }: { readonly endpoint: Endpoint; readonly candidates: readonly string[] },
  ): Row | null {
    const ready = (hop: Hop): number => this.#standing.part(hop).ready;
    const parts = endpoint.hops.filter((hop) => takenOf(this.#standing.part(hop), loss).length > 0);
    const [node] = candidates;
    if (node === undefined || !parts.every((hop) => isHeldForEver(this.#ground, loss, hop))) return null;
    const stalled = parts.filter((hop) => this.#standing.part(hop).pods.some((pod) => pod.node?.name === node));
    return { nodes: [node], units: ready, stalled };
  }

  /** Every node is closed for good, and its pods may go nowhere else: once the last has left, none comes back. */
  #staysDown(endpoint: Endpoint, loss: Loss, steps: readonly PlannedStep[]): boolean {
    const [step] = steps;
    if (step?.do !== "maintain") return false;
    const closed = step.options.lanes.every(
      ({ actor }) => actor.closeWhen === "all" && actor.afterDrain === "stays" && actor.close.cordon,
    );
    if (!closed) return false;
    const lost = (hop: Hop): boolean => {
      const { pods } = this.#standing.part(hop);
      return (
        hop.needed && pods.length > 0 && pods.every(({ template }) => this.#rooms.isConfined(template, loss.nodes))
      );
    };
    return endpoint.hops.some((hop) => hop.outside === "" && lost(hop));
  }

  /** Where its needed pods stand, those with most of them first. */
  #nodesOf(endpoint: Endpoint, loss: Loss): readonly string[] {
    const counts = new Map<string, number>();
    for (const hop of endpoint.hops) {
      if (!hop.needed) continue;
      for (const pod of takenOf(this.#standing.part(hop), loss)) {
        if (pod.node === null) continue;
        counts.set(pod.node.name, (counts.get(pod.node.name) ?? 0) + (pod.ready ? 1 : 0));
      }
    }
    return [...counts]
      .sort((a, b) => b[1] - a[1] || byCodeUnit(a[0], b[0]))
      .slice(0, nodesEachMax)
      .map(([node]) => node);
  }
}

function noteHurt(
  outcome: EndpointOutcome | undefined,
  { verdict, downMostMs, minCapacity, zero, stalled }: Hurt,
  { course, steps, led }: Omit<Recipe, "told"> & { readonly course: Course },
  hops: Many["hops"],
): void {
  if (outcome === undefined || !isWorse(verdict, outcome.verdict)) return;
  const { endpoint } = outcome;
  outcome.verdict = verdict;
  const own = playedAgain(() => withDowns(course, new Map([[endpoint, course.downs.get(endpoint) ?? []]])));
  outcome.course = withRecipe(own, { steps, led, told: [endpoint] });
  outcome.minCapacity = minCapacity;
  outcome.downMostMs = downMostMs;
  for (const hop of zero) noteZero(hops.get(hop));
  for (const hop of stalled) {
    const noted = hops.get(hop);
    if (noted !== undefined) noted.stalled = true;
  }
}

function noteZero(outcome: HopOutcome | undefined): void {
  if (outcome === undefined) return;
  outcome.wasZero = true;
  outcome.min = 0;
}
