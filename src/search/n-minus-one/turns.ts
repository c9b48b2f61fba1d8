import { longestMs } from "../../sim/monitor.ts";
import type { PlannedStep } from "../../sim/program.ts";
import type { Simulation } from "../../sim/simulation.ts";
import { endsWell } from "../../sim/trace.ts";
import type { Choice } from "../../sim/world.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { type Course, courseOf } from "../judge.ts";
import { playedAgain, withDowns } from "../played-again.ts";

/** What the beginning of a maintenance did to an endpoint. */
export interface Hurt {
  readonly verdict: "unsafe" | "stalls";
  /** Null: down at the end of what was played. */
  readonly downMostMs: number | null;
  readonly minCapacity: number;
  /** Hops that had nothing ready for a time. */
  readonly zero: readonly Hop[];
  /** Hops whose pods hold up a drain for ever. */
  readonly stalled: readonly Hop[];
}

/** A maintenance played as far as an endpoint was hurt: from there on nothing matters to it. */
export interface Turn {
  readonly hurt: ReadonlyMap<Endpoint, Hurt>;
  /** Null: nobody was hurt. */
  readonly course: Course | null;
  /** The node whose drain did not end, so that no other was taken; null: none. */
  readonly stuck: string | null;
}

/** Whether the actor asks which node comes next: then a maintenance can be led to the nodes that matter. */
export function isLed(steps: readonly PlannedStep[]): boolean {
  const [step] = steps;
  if (step?.do !== "maintain" || !step.options.anyOrder) return false;
  return step.options.lanes.every(({ actor }) => actor.order === "any");
}

/**
 * The beginning of a maintenance, played again and again with other nodes first. What comes before the first node is taken
 * (all of them closed, say) is played once.
 */
export class Turns {
  readonly #sim: Simulation;
  readonly #steps: readonly PlannedStep[];
  readonly #before: number;
  readonly #atFirst: number;

  /** The simulation stands settled, and does again after `end`. */
  constructor(sim: Simulation, steps: readonly PlannedStep[]) {
    this.#sim = sim;
    this.#steps = steps;
    this.#before = sim.journal.mark();
    sim.begin(steps);
    for (let stop = sim.run(); stop.kind === "choice" && stop.choice.kind !== "next-node"; stop = sim.run())
      sim.choose(0);
    this.#atFirst = sim.journal.mark();
  }

  /** Takes these nodes first, one after the other, until the endpoint breaks or they are done. */
  play(led: LedTo): Turn {
    const sim = this.#sim;
    this.#take(led);
    const hurt = this.#hurt();
    const course = hurt.size === 0 ? null : playedAgain(() => courseLedTo(sim, this.#steps, led));
    const stuck = sim.drains.find((drain) => !endsWell(drain))?.node ?? null;
    sim.returnTo(this.#atFirst);
    return { hurt, course, stuck };
  }

  end(): void {
    this.#sim.returnTo(this.#before);
  }

  #take({ endpoint, nodes }: LedTo): void {
    const sim = this.#sim;
    const record = sim.monitor.endpoint(endpoint);
    let taken = 0;
    for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
      if (record?.broken === true) break;
      const isNext = stop.choice.kind === "next-node";
      if (isNext && taken === nodes.length) break;
      if (isNext) taken += 1;
      sim.choose(isNext ? preferred(stop.choice, nodes) : 0);
    }
  }

  /** The course so far, from the settled cluster on. Ends the turns. */
  courseOf(led: LedTo): Course {
    this.#take(led);
    const course = this.#course(this.#hurt());
    this.end();
    return course;
  }

  #hurt(): ReadonlyMap<Endpoint, Hurt> {
    const { monitor, ledger } = this.#sim;
    const found = new Map<Endpoint, Hurt>();
    for (const { endpoint, broken, down, downs, minCapacity, stalledBy } of monitor.endpoints) {
      // Down for longer than it may be is broken, however long it stays so.
      const isDown = down !== null && ledger.nowMs - down.fromMs > endpoint.maxDownMs;
      if (!broken && !isDown && stalledBy.length === 0) continue;
      found.set(endpoint, {
        verdict: broken || isDown ? "unsafe" : "stalls",
        downMostMs: down === null ? longestMs(downs) : null,
        minCapacity,
        zero: endpoint.hops.filter((hop) => monitor.wasZero(hop, ledger.nowMs)),
        stalled: endpoint.hops.filter((hop) => monitor.hop(hop)?.stalled === true),
      });
    }
    return found;
  }

  /** What is down at its end is told as such. */
  #course(hurt: ReadonlyMap<Endpoint, Hurt>): Course {
    const course = courseOf(this.#sim);
    const downs = new Map(course.downs);
    for (const { endpoint, down } of this.#sim.monitor.endpoints) {
      if (down !== null && hurt.has(endpoint)) downs.set(endpoint, [...(downs.get(endpoint) ?? []), down]);
    }
    return withDowns(course, downs);
  }
}

/** The course of a maintenance that takes these nodes first, as far as a turn goes. The simulation stands settled. */
export function courseLedTo(sim: Simulation, steps: readonly PlannedStep[], led: LedTo): Course {
  return new Turns(sim, steps).courseOf(led);
}

/** Who a maintenance is led to: these nodes first, one after the other, until the endpoint breaks. */
export interface LedTo {
  readonly endpoint: Endpoint;
  readonly nodes: readonly string[];
}

function preferred(choice: Choice, nodes: readonly string[]): number {
  if (choice.kind !== "next-node") return 0;
  for (const node of nodes) {
    const at = choice.nodes.indexOf(node);
    if (at >= 0) return at;
  }
  return 0;
}
