import type { PlannedStep } from "../../sim/program.ts";
import type { Simulation } from "../../sim/simulation.ts";
import type { Choice } from "../../sim/world.ts";
import type { Endpoint } from "../../systems/endpoint.ts";
import { type Course, courseOf } from "../judge.ts";

/** A maintenance played as far as some endpoints broke: from there on nothing matters to them. */
export interface Turn {
  /** Endpoints that broke → whether the break is an outage, or only too few units. */
  readonly broken: ReadonlyMap<Endpoint, { readonly down: boolean; readonly minCapacity: number }>;
  readonly course: Course;
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
  readonly #before: number;
  readonly #atFirst: number;

  /** The simulation stands settled, and does again after `end`. */
  constructor(sim: Simulation, steps: readonly PlannedStep[]) {
    this.#sim = sim;
    this.#before = sim.journal.mark();
    sim.begin(steps);
    for (let stop = sim.run(); stop.kind === "choice" && stop.choice.kind !== "next-node"; stop = sim.run())
      sim.choose(0);
    this.#atFirst = sim.journal.mark();
  }

  /** Takes these nodes first, one after the other, until the endpoint breaks or they are done. */
  play({ endpoint, nodes }: { readonly endpoint: Endpoint; readonly nodes: readonly string[] }): Turn {
    const sim = this.#sim;
    const record = sim.monitor.endpoints.find((one) => one.endpoint === endpoint);
    let taken = 0;
    for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
      if (record?.broken === true) break;
      const isNext = stop.choice.kind === "next-node";
      if (isNext && taken > nodes.length) break;
      if (isNext) taken += 1;
      sim.choose(isNext ? preferred(stop.choice, nodes) : 0);
    }
    const broken = new Map<Endpoint, { readonly down: boolean; readonly minCapacity: number }>();
    for (const { endpoint: hurt, broken: isBroken, down, downs, minCapacity } of sim.monitor.endpoints) {
      if (isBroken) broken.set(hurt, { down: down !== null || downs.length > 0, minCapacity });
    }
    const course = courseOf(sim);
    sim.returnTo(this.#atFirst);
    return { broken, course };
  }

  end(): void {
    this.#sim.returnTo(this.#before);
  }
}

function preferred(choice: Choice, nodes: readonly string[]): number {
  if (choice.kind !== "next-node") return 0;
  for (const node of nodes) {
    const at = choice.nodes.indexOf(node);
    if (at >= 0) return at;
  }
  return 0;
}
