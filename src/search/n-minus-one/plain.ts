import { invariant } from "../../base/invariant.ts";
import { underKey } from "../../base/under-key.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import type { Course, EndpointOutcome, HopOutcome, Judgement } from "../judge.ts";
import type { NamedScenario } from "../named-scenarios.ts";
import type { Rest } from "../rests-on.ts";
import type { Apart, ApartJudge, PlayedVariant } from "./apart.ts";
import { type Recipe, recipeOf } from "./recipe.ts";

/** What some variants of a scenario come to, as plain data: endpoints, hops and steps by their numbers. */
export interface PlainApart {
  /** Of those endpoints and hops alone of which something was noted. */
  readonly endpoints: readonly PlainOutcome[];
  readonly hops: readonly PlainHop[];
  readonly exhaustive: boolean;
  readonly notModelled: Judgement["notModelled"];
  readonly played: readonly PlainVariant[];
  readonly rests: readonly { readonly endpoint: number; readonly rests: readonly PlainRest[] }[];
}

/** What one of them did, by its number among them. */
export interface PlainVariant extends Pick<Judgement, "maintenance" | "states" | "exhaustive" | "notModelled"> {
  readonly index: number;
  readonly endpoints: readonly PlainOutcome[];
  readonly hops: readonly PlainHop[];
}

/** What the drain of one node did to those it breaks. */
export interface PlainAlone {
  readonly scenario: number;
  readonly variant: number;
  readonly endpoints: readonly PlainOutcome[];
}

interface PlainOutcome extends Omit<EndpointOutcome, "endpoint" | "course"> {
  readonly endpoint: number;
  readonly course: PlainRecipe | null;
}

interface PlainHop extends Omit<HopOutcome, "hop"> {
  readonly hop: number;
}

interface PlainRecipe {
  readonly scenario: number;
  readonly variant: number;
  readonly led: { readonly endpoint: number; readonly nodes: readonly string[] } | null;
  readonly told: readonly number[];
}

type TimeRest = Extract<Rest, { readonly kind: "time" }>;
type PlainRest = Exclude<Rest, TimeRest> | (Omit<TimeRest, "hop"> & { readonly hop: number });

/** Writes down what a judge found, and reads it for another who was asked the same of the same cluster. */
export class Plain {
  readonly #judge: ApartJudge;
  readonly #scenarios: readonly NamedScenario[];
  readonly #endpoints: Numbered<Endpoint>;
  readonly #hops: Numbered<Hop>;
  readonly #places: ReadonlyMap<Recipe["steps"], Pick<PlainRecipe, "scenario" | "variant">>;
  /** Before anything happens. */
  readonly #before: Judgement;

  constructor(judge: ApartJudge, scenarios: readonly NamedScenario[]) {
    this.#judge = judge;
    this.#scenarios = scenarios;
    this.#before = judge.asItStands();
    this.#endpoints = new Numbered(this.#before.endpoints.map(({ endpoint }) => endpoint));
    this.#hops = new Numbered(this.#before.hops.map(({ hop }) => hop));
    this.#places = new Map(
      scenarios.flatMap(({ variants }, scenario) =>
        variants.map(({ steps }, variant) => [steps, { scenario, variant }] as const),
      ),
    );
  }

  written({ judgement, played, rests }: Apart): PlainApart {
    const { endpoints, hops } = this.#before;
    return {
      endpoints: this.#outcomes(judgement.endpoints.filter((outcome, at) => isOther(outcome, endpoints[at]))),
      hops: this.#hopOutcomes(judgement.hops.filter((outcome, at) => isOther(outcome, hops[at]))),
      exhaustive: judgement.exhaustive,
      notModelled: judgement.notModelled,
      played: played.map(({ index, judgement: shown }) => this.#variant(index, shown)),
      rests: [...rests].map(([endpoint, found]) => ({
        endpoint: this.#endpoints.numberOf(endpoint),
        rests: found.map((rest) => (rest.kind === "time" ? { ...rest, hop: this.#hops.numberOf(rest.hop) } : rest)),
      })),
    };
  }

  /** What is unsafe of them. */
  writtenAlone(steps: Recipe["steps"], outcomes: readonly EndpointOutcome[]): PlainAlone {
    return { ...this.#placeOf(steps), endpoints: this.#outcomes(outcomes) };
  }

  /** Of the variants of this scenario from that one on. */
  read(plain: PlainApart, { scenario, from }: { readonly scenario: number; readonly from: number }): Apart {
    const { endpoints, hops, exhaustive, notModelled, played, rests } = plain;
    return {
      judgement: {
        ...this.#before,
        endpoints: this.#readOutcomes(endpoints),
        hops: this.#readHops(hops),
        exhaustive,
        notModelled,
      },
      played: played.map((variant) => this.#readVariant(variant, this.#stepsAt(scenario, from + variant.index))),
      rests: new Map(
        rests.map(({ endpoint, rests: found }) => [
          this.#endpoints.at(endpoint),
          found.map((rest) => (rest.kind === "time" ? { ...rest, hop: this.#hops.at(rest.hop) } : rest)),
        ]),
      ),
    };
  }

  /** For the judge to know it too. */
  learn({ scenario, variant, endpoints }: PlainAlone): void {
    const steps = this.#stepsAt(scenario, variant);
    this.#judge.learnAlone(steps, this.#readOutcomes(endpoints), () => this.#judge.lossOf(steps));
  }

  #variant(index: number, judgement: Judgement): PlainVariant {
    const { maintenance, states, exhaustive, notModelled, first, stalling, lost } = judgement;
    invariant(first === null && stalling === null && lost.size === 0, "nothing is told but of endpoints and hops");
    return {
      ...{ index, maintenance, states, exhaustive, notModelled },
      endpoints: this.#outcomes(judgement.endpoints),
      hops: this.#hopOutcomes(judgement.hops),
    };
  }

  #readVariant({ index, endpoints, hops, ...told }: PlainVariant, steps: Recipe["steps"]): PlayedVariant {
    return {
      index,
      judgement: { ...this.#before, ...told, endpoints: this.#readOutcomes(endpoints), hops: this.#readHops(hops) },
      loss: () => this.#judge.lossOf(steps),
    };
  }

  /** Those of one course have it in common. */
  #outcomes(outcomes: readonly EndpointOutcome[]): readonly PlainOutcome[] {
    const recipes = new Map<Course, PlainRecipe>();
    return outcomes.map(({ endpoint, course, ...told }) => ({
      ...told,
      endpoint: this.#endpoints.numberOf(endpoint),
      course: course === null ? null : underKey(recipes, course, () => this.#recipe(course)),
    }));
  }

  #readOutcomes(outcomes: readonly PlainOutcome[]): EndpointOutcome[] {
    const courses = new Map<PlainRecipe, Course>();
    return outcomes.map(({ endpoint, course, ...told }) => ({
      ...told,
      endpoint: this.#endpoints.at(endpoint),
      course: course === null ? null : underKey(courses, course, () => this.#readRecipe(course)),
    }));
  }

  #hopOutcomes(outcomes: readonly HopOutcome[]): readonly PlainHop[] {
    return outcomes.map((outcome) => ({ ...outcome, hop: this.#hops.numberOf(outcome.hop) }));
  }

  #readHops(outcomes: readonly PlainHop[]): HopOutcome[] {
    return outcomes.map((outcome) => ({ ...outcome, hop: this.#hops.at(outcome.hop) }));
  }

  #recipe(course: Course): PlainRecipe {
    const recipe = recipeOf(course);
    invariant(recipe !== undefined, "a course can be played again");
    const { steps, led, told } = recipe;
    return {
      ...this.#placeOf(steps),
      led: led === null ? null : { ...led, endpoint: this.#endpoints.numberOf(led.endpoint) },
      told: told.map((endpoint) => this.#endpoints.numberOf(endpoint)),
    };
  }

  #readRecipe({ scenario, variant, led, told }: PlainRecipe): Course {
    return this.#judge.courseBy({
      steps: this.#stepsAt(scenario, variant),
      led: led === null ? null : { ...led, endpoint: this.#endpoints.at(led.endpoint) },
      told: told.map((number) => this.#endpoints.at(number)),
    });
  }

  #placeOf(steps: Recipe["steps"]): Pick<PlainRecipe, "scenario" | "variant"> {
    const place = this.#places.get(steps);
    invariant(place !== undefined, "what is played is a variant of a scenario");
    return place;
  }

  #stepsAt(scenario: number, variant: number): Recipe["steps"] {
    const found = this.#scenarios[scenario]?.variants[variant];
    invariant(found !== undefined, "a number is of a variant");
    return found.steps;
  }
}

/** Something was noted of it. */
function isOther<T extends EndpointOutcome | HopOutcome>(outcome: T, before: T | undefined): boolean {
  if (before === undefined) return true;
  for (const name in outcome) if (outcome[name] !== before[name]) return true;
  return false;
}

class Numbered<T> {
  readonly #all: readonly T[];
  readonly #numbers: ReadonlyMap<T, number>;

  constructor(all: readonly T[]) {
    this.#all = all;
    this.#numbers = new Map(all.map((each, number) => [each, number]));
  }

  numberOf(each: T): number {
    const number = this.#numbers.get(each);
    invariant(number !== undefined, "what is told of is asked about");
    return number;
  }

  at(number: number): T {
    const each = this.#all[number];
    invariant(each !== undefined, "a number is of what is asked about");
    return each;
  }
}
