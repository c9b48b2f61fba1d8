import { invariant } from "../base/invariant.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { EndpointOutcome } from "./judge.ts";
import { mergeInto } from "./merge.ts";
import { type Apart, type ApartJudge, isDrainOfOne, type PlayedVariant, type Variants } from "./n-minus-one/apart.ts";
import { Plain, type PlainAlone, type PlainApart } from "./n-minus-one/plain.ts";
import type { NamedScenario } from "./named-scenarios.ts";
import { addRests, type Rest } from "./rests-on.ts";

/** Some variants of a scenario, judged by themselves: wherever and whenever that is done, it comes to the same. */
export interface Task {
  readonly scenario: number;
  readonly from: number;
  /** The first that is not among them. */
  readonly to: number;
}

/** Tasks that may be begun, and what has become known since the offer before. All of its tasks were done by then that need it. */
export interface Offer {
  readonly tasks: readonly Task[];
  readonly alone: readonly PlainAlone[];
}

/** Others who do tasks meanwhile. They have the same cluster and options; all they are told, and tell, is plain data. */
export interface Helpers {
  /** Gives them the cluster as it was read; false: there is no help with this one. */
  begin(read: Cluster): boolean;
  offer(offer: Offer): void;
  /** What a task came to, or whose it is: "mine", the caller's from now on. */
  ask(task: Task): PlainApart | "mine" | "theirs";
  /** One that nobody has begun: the caller's from now on. Null: there is none. */
  another(): Task | null;
  /** The caller has nothing to do before there is news: it yields next. */
  wait(): void;
}

/** A scenario is cut into so many tasks at most, and none but the last has fewer variants than this. */
const tasksMax = 16;
const variantsMin = 12;

/** Does tasks for somebody else. */
export class Helper {
  readonly #judge: ApartJudge;
  readonly #scenarios: readonly NamedScenario[];
  readonly #plain: Plain;

  constructor(judge: ApartJudge, scenarios: readonly NamedScenario[]) {
    this.#judge = judge;
    this.#scenarios = scenarios;
    this.#plain = new Plain(judge, scenarios);
  }

  /** To be told before any task of the offer is done. */
  know(alone: Offer["alone"]): void {
    for (const each of alone) this.#plain.learn(each);
  }

  do(task: Task): PlainApart {
    return this.#plain.written(judgedPart(this.#judge, variantsOf(this.#scenarios, task)));
  }
}

/** Hands out the tasks of a check, does those that nobody else does, and puts together what they came to, in their order. */
export class Sharing {
  readonly #judge: ApartJudge;
  readonly #scenarios: readonly NamedScenario[];
  readonly #helpers: Helpers;
  readonly #plain: Plain;
  readonly #offered = new Map<number, readonly Task[]>();
  /** Done by ourselves before their turn. */
  readonly #ahead = new Map<Task, Apart>();
  /** What is known of single drains since the last offer. */
  #learnt: { readonly steps: Variants[number]; readonly outcomes: readonly EndpointOutcome[] }[] = [];

  constructor(judge: ApartJudge, scenarios: readonly NamedScenario[], helpers: Helpers) {
    this.#judge = judge;
    this.#scenarios = scenarios;
    this.#helpers = helpers;
    this.#plain = new Plain(judge, scenarios);
    this.#offer([...scenarios.keys()].filter((at) => !this.#buildsOnOthers(at)));
  }

  /** Scenarios must be asked for in their order. Tells now and then how many of the variants are judged. */
  *judge(scenario: number): Generator<number, Apart> {
    const variants = variantsOf(this.#scenarios, { scenario });
    const before = this.#judge.before(variants);
    if (before !== null) return before;
    if (!this.#offered.has(scenario)) this.#offer(this.#buildingFrom(scenario));
    const parts: Part[] = [];
    for (const task of this.#offered.get(scenario) ?? []) {
      parts.push({ task, apart: yield* this.#answer(task) });
      yield task.to;
    }
    const apart = this.#joined(parts);
    this.#judge.learn(variants, apart);
    for (const { index, judgement } of apart.played) this.#note(variants[index], judgement.endpoints);
    return apart;
  }

  *#answer(task: Task): Generator<number, Apart> {
    for (;;) {
      const own = this.#ahead.get(task);
      if (own !== undefined) {
        this.#ahead.delete(task);
        return own;
      }
      const answer = this.#helpers.ask(task);
      if (answer === "mine") return this.#do(task);
      if (answer !== "theirs") return this.#plain.read(answer, task);
      const other = this.#helpers.another();
      if (other === null) this.#helpers.wait();
      else this.#ahead.set(other, this.#do(other));
      yield task.from;
    }
  }

  #do(task: Task): Apart {
    return judgedPart(this.#judge, variantsOf(this.#scenarios, task));
  }

  #offer(scenarios: readonly number[]): void {
    const tasks: Task[] = [];
    for (const scenario of scenarios) {
      const { length } = variantsOf(this.#scenarios, { scenario });
      const own: Task[] = [];
      const each = Math.max(variantsMin, Math.ceil(length / tasksMax));
      for (let from = 0; from < length; from += each) own.push({ scenario, from, to: Math.min(length, from + each) });
      this.#offered.set(scenario, own);
      tasks.push(...own);
    }
    const unsafe = this.#learnt.flatMap(({ steps, outcomes }) => {
      const hurt = outcomes.filter(({ verdict }) => verdict === "unsafe");
      return hurt.length === 0 ? [] : [this.#plain.writtenAlone(steps, hurt)];
    });
    this.#learnt = [];
    this.#helpers.offer({ tasks, alone: unsafe });
  }

  /** From this one on those for which all is known that they build on, without those that another answers for. */
  #buildingFrom(scenario: number): readonly number[] {
    const found: number[] = [];
    for (let at = scenario; at < this.#scenarios.length; at += 1) {
      const variants = variantsOf(this.#scenarios, { scenario: at });
      if (!this.#buildsOnOthers(at)) {
        if (variants.some(isDrainOfOne)) break;
        continue;
      }
      const isKnown =
        this.#judge.before(variants) !== null ||
        found.some((other) => this.#judge.areSame(variantsOf(this.#scenarios, { scenario: other }), variants));
      if (!isKnown) found.push(at);
    }
    return found;
  }

  /** A maintenance of many nodes: it builds on what single drains do. */
  #buildsOnOthers(scenario: number): boolean {
    return variantsOf(this.#scenarios, { scenario }).some(
      (steps) => steps[0]?.do === "maintain" && !isDrainOfOne(steps),
    );
  }

  #note(steps: Variants[number] | undefined, outcomes: readonly EndpointOutcome[]): void {
    if (steps !== undefined && isDrainOfOne(steps)) this.#learnt.push({ steps, outcomes });
  }

  #joined(parts: readonly Part[]): Apart {
    const judgement = this.#judge.asItStands();
    const played: PlayedVariant[] = [];
    const rests = new Map<Endpoint, readonly Rest[]>();
    mergeInto(
      judgement,
      parts.map(({ apart }) => apart.judgement),
    );
    for (const { task, apart } of parts) {
      judgement.exhaustive &&= apart.judgement.exhaustive;
      for (const [what, gap] of apart.judgement.notModelled) judgement.notModelled.set(what, gap);
      for (const one of apart.played) played.push({ ...one, index: task.from + one.index });
      for (const [endpoint, found] of apart.rests) addRests(rests, endpoint, found);
    }
    return { judgement, played, rests };
  }
}

interface Part {
  readonly task: Task;
  readonly apart: Apart;
}

/** Without a range, all of the scenario's. */
function variantsOf(
  scenarios: readonly NamedScenario[],
  { scenario, from, to }: { readonly scenario: number } & Partial<Task>,
): Variants {
  const found = scenarios[scenario];
  invariant(found !== undefined, "a task is of a scenario");
  return found.variants.slice(from, to).map(({ steps }) => steps);
}

function judgedPart(judge: ApartJudge, variants: Variants): Apart {
  const steps = judge.part(variants);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
