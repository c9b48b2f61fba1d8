import { type Random, seededRandom } from "../../src/base/random.ts";
import { answer } from "../../src/search/answer.ts";
import { judgeTimed, pacesOf, type Question } from "../../src/search/judge.ts";
import { argue } from "../../src/search/n-minus-one/argue.ts";
import { groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { proveParts } from "../../src/search/part/prove-parts.ts";
import { prove } from "../../src/search/proof/prove.ts";
import type { Rest } from "../../src/search/rests-on.ts";
import { podsOf } from "../../src/sim/monitor.ts";
import type { EvictionOrders } from "../../src/sim/rivals.ts";
import { optionCount, Simulation } from "../../src/sim/simulation.ts";
import type { Choice } from "../../src/sim/world.ts";
import type { Endpoint } from "../../src/systems/endpoint.ts";

/** In which courses something is said to hold: every one, those in the scenario's times, those of the scheduler's scores too. */
const levels = ["untimed", "feasible", "top"] as const;
type Level = (typeof levels)[number];

interface Claim {
  readonly by: "answer" | "budgets" | "parts" | "parts, unbroken" | "loss";
  readonly endpoint: Endpoint;
  /** The widest courses it is said of. */
  readonly level: Level;
  /** False: it may still stall. */
  readonly neverStalls: boolean;
  /** Said of evictions that go by name where only scores could tell their orders apart. */
  readonly byName: boolean;
}

export interface Attacked {
  readonly claims: number;
  readonly courses: number;
  /** `answer says team-0/chat is safe, untimed course 7 breaks it: ...` */
  readonly broken: readonly string[];
}

/**
 * Plays courses by chance against everything the search says cannot happen: its answer, and each proof by itself, also where
 * the answer came of following every course.
 */
export function attack(
  question: Question,
  { seed, courses }: { readonly seed: number; readonly courses: number },
): Attacked {
  const claims = claimsOf(question);
  const open = levels.filter((level) => claims.some((claim) => covers(claim.level, level)));
  const broken: string[] = [];
  if (open.length === 0) return { claims: 0, courses: 0, broken };
  for (let course = 0; course < courses; course += 1) {
    const random = seededRandom(seed * 1_000 + course);
    const level = open[course % open.length] ?? "top";
    const everyOrder = random.next() < 0.7;
    const sim = playByChance(question, { level, evictions: everyOrder ? "every" : "for-room" }, random);
    for (const record of sim.monitor.endpoints) {
      for (const claim of claims) {
        if (claim.endpoint !== record.endpoint || !covers(claim.level, level)) continue;
        if (claim.byName && everyOrder) continue;
        const stalls = claim.neverStalls && record.stalledBy.length > 0;
        if (record.broken || stalls) broken.push(told(claim, level, `course ${course}`, record.broken, sim));
      }
    }
  }
  return { claims: claims.length, courses, broken: [...new Set(broken)] };
}

/** Holds each proof to following every course in the scenario's times, as far as so many states tell. */
export function againstEveryCourse(question: Question, states: number): readonly string[] {
  const claims = claimsOf(question).filter(({ by }) => by !== "answer");
  if (claims.length === 0) return [];
  return (["top", "feasible"] as const).flatMap((level) => {
    const judged = judgeTimed({ ...question, states }, level);
    return judged.endpoints.flatMap(({ endpoint, verdict }) =>
      claims.flatMap((claim) => {
        if (claim.endpoint !== endpoint || !covers(claim.level, level)) return [];
        if (verdict !== "unsafe" && (verdict !== "stalls" || !claim.neverStalls)) return [];
        return [`${claim.by} says ${nameOf(endpoint)} is safe, of all ${level} courses one is ${verdict}`];
      }),
    );
  });
}

/** Whether what is said of these courses is said of those too. */
function covers(said: Level, of: Level): boolean {
  return levels.indexOf(said) <= levels.indexOf(of);
}

function claimsOf(question: Question): readonly Claim[] {
  const awake = question.endpoints.filter(({ idle }) => !idle);
  const { judgement, rests } = answer(question);
  const answered = judgement.endpoints
    .filter(({ endpoint, verdict, now }) => verdict === "safe" && now !== "idle" && !endpoint.idle)
    .map(({ endpoint }): Claim => claim("answer", endpoint, rests.get(endpoint) ?? []));
  const byBudgets = [...prove(question)].map(([endpoint, proof]) => claim("budgets", endpoint, proof.rests));
  const byParts = [...proveParts(question, awake).proved].map(([endpoint, proof]): Claim => {
    if (proof.neverStalls) return claim("parts", endpoint, proof.rests());
    return { by: "parts, unbroken", endpoint, level: "top", neverStalls: false, byName: false };
  });
  return [...answered, ...byBudgets, ...byParts, ...claimsOfLoss(question, awake)];
}

/** What is argued about these nodes without playing them. */
function claimsOfLoss(question: Question, awake: readonly Endpoint[]): readonly Claim[] {
  const { standing, rooms } = groundOf(question);
  const loss = lossOf(standing, question.steps);
  if (loss === null) return [];
  const isUp = (endpoint: Endpoint): boolean => standing.nowOf(endpoint) === "up";
  const argued = awake.filter((endpoint) => isUp(endpoint) && argue(standing, rooms, loss, endpoint) !== null);
  return argued.map((endpoint) => claim("loss", endpoint, []));
}

function claim(by: Claim["by"], endpoint: Endpoint, rests: readonly Rest[]): Claim {
  const isByScores = rests.some(({ kind }) => kind === "scores");
  const level = rests.length === 0 ? "untimed" : isByScores ? "top" : "feasible";
  return { by, endpoint, level, neverStalls: true, byName: rests.some(({ kind }) => kind === "order") };
}

/** After so many choices start-ups are not put off any more. */
const choicesMax = 400;

function playByChance(
  question: Question,
  { level, evictions }: { readonly level: Level; readonly evictions: EvictionOrders },
  random: Random,
): Simulation {
  const { cluster, steps, endpoints, supporting, horizonMs } = question;
  const pace = random.pick(pacesOf(question, "mixed"));
  const sim = new Simulation(
    cluster,
    steps,
    { endpoints, supporting },
    {
      timed: level !== "untimed",
      startUps: "all",
      evictions,
      placement: level === "top" ? "top" : "feasible",
      ...pace,
      horizonMs,
    },
  );
  // Some courses are all chance, some mean harm at most turns.
  const malice = random.pick([0, 0.5, 0.9]);
  for (let stop = sim.run(), taken = 0; stop.kind === "choice"; stop = sim.run(), taken += 1) {
    const { choice } = stop;
    const count = optionCount(choice);
    const worst = random.next() < malice ? worstOf(sim, choice, question.endpoints) : null;
    if (choice.kind === "start-up" && choice.orLater && taken > choicesMax) sim.choose(1);
    else sim.choose(worst ?? random.below(count));
  }
  return sim;
}

/** Nodes with most pods of the paths go first, pods of one owner crowd, start-ups wait. */
function worstOf(sim: Simulation, choice: Choice, endpoints: readonly Endpoint[]): number | null {
  switch (choice.kind) {
    case "start-up":
      return choice.orLater ? 0 : null;
    case "next-node": {
      const own = new Set(endpoints.flatMap(({ hops }) => hops.flatMap((hop) => podsOf(sim.ledger, hop.pods))));
      return most(choice.nodes, (node) => [...own].filter((pod) => pod.node?.name === node).length);
    }
    case "place": {
      const owner = sim.ledger.pod(choice.pod)?.owner ?? null;
      const siblings = owner === null ? [] : sim.ledger.podsOwnedBy(owner);
      return most(choice.nodes, (node) => siblings.filter((pod) => pod.node?.name === node).length);
    }
    default:
      return null;
  }
}

/** Null: they are all the same. */
function most(nodes: readonly string[], read: (node: string) => number): number | null {
  const counts = nodes.map(read);
  const top = Math.max(...counts);
  return counts.every((count) => count === top) ? null : counts.indexOf(top);
}

function told({ by, endpoint }: Claim, level: Level, course: string, isBroken: boolean, sim: Simulation): string {
  const drained = sim.drains.map(({ node }) => node).join(" ");
  return `${by} says ${nameOf(endpoint)} is safe, ${level} ${course} ${isBroken ? "breaks" : "stalls on"} it: ${drained}`;
}

function nameOf({ namespace, name }: Endpoint): string {
  return `${namespace}/${name}`;
}
