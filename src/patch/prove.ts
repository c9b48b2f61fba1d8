import { byCodeUnit } from "../base/ordering.ts";
import type { Actor } from "../maintenance/actor.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { poolsOf } from "../maintenance/pool.ts";
import type { Cluster, OtherObject } from "../model/cluster.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import { endpointsOf } from "../route/build.ts";
import { explore } from "../search/explore.ts";
import { type Course, courseOf, judgeTimed } from "../search/judge.ts";
import { actorsOfPools, namedScenarios, type ScenarioKind, type Variant } from "../search/named-scenarios.ts";
import { isWorse, type Severity, worstOf } from "../search/severity.ts";
import { settledCluster } from "../sim/place-manifests.ts";
import { maintenanceOf } from "../sim/plan-scenario.ts";
import { oneCourse, Simulation } from "../sim/simulation.ts";
import type { Timing } from "../sim/timing.ts";
import { endsWell } from "../sim/trace.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { isJsonObject } from "../wire/fields.ts";
import { pathSteps, withValue } from "../wire/object-path.ts";
import type { Applied } from "./apply-edits.ts";
import type { KeptMove } from "./kept-plays/play.ts";
import { isRolledOut } from "./rolled-out.ts";
import { partKey } from "./site.ts";

/** What playing forward showed, of everything that was played. */
export interface Proof {
  /** `namespace/name` → what was played → how it ended. */
  readonly endpoints: ReadonlyMap<string, ReadonlyMap<string, Severity>>;
  /** Parts that were without anything ready, or held a drain to its end. */
  readonly weak: ReadonlySet<string>;
  /** Workloads whose rollout did not come to its end in some course. */
  readonly unfinished: ReadonlySet<ObjectKey>;
  /** Endpoint → why it is not safe, a clause. */
  readonly because: ReadonlyMap<string, string>;
  readonly rollout: { readonly verdict: Severity; readonly course: Course | null };
  /** What the rollout may leave. */
  readonly ends: readonly Cluster[];
}

export interface Proving {
  readonly cluster: Cluster;
  readonly timing: Timing;
  readonly states: number;
  readonly horizonMs: number;
  readonly actors: readonly Actor[];
  /** The endpoints that are judged, with their floors. */
  choose(endpoints: readonly Endpoint[]): readonly Endpoint[];
}

/** What makes a verdict. */
export const verdictKinds: readonly ScenarioKind[] = ["drain-one-node", "pool-maintenance"];

const rolloutName = "rollout";
const twicePrefix = "twice/";

/** States a rollout may end in; more are not followed, and the answer is undecided. */
const mostEnds = 16;

/** The changes are rolled out from the state as it is: whether that ends, what it breaks, and what it may leave. */
export function proveRollout(proving: Proving, applied: Applied): Proof {
  const tally = new Tally(nothingPlayed);
  return tally.proof(rollOut(proving, applied, tally));
}

/**
 * On each state the rollout may leave, the scenarios of the verdict are played, and every pool's maintenance twice in a row:
 * after the first, replicas may have piled up. What the rollout itself showed counts too.
 */
export function prove(proving: Proving, rolled: Proof): Proof {
  const tally = new Tally(rolled);
  for (const cluster of rolled.ends) playScenarios(proving, cluster, tally);
  return tally.proof(rolled.ends);
}

/** How an endpoint fares over all that was played of one kind. */
export function rankOf(proof: Proof, endpoint: string, what: "verdict" | "rollout" | "twice" | "all"): Severity {
  let worst: Severity = "safe";
  for (const [name, rank] of proof.endpoints.get(endpoint) ?? []) {
    const kind = name === rolloutName ? "rollout" : name.startsWith(twicePrefix) ? "twice" : "verdict";
    if (what !== "all" && what !== kind) continue;
    if (isWorse(rank, worst)) worst = rank;
  }
  return worst;
}

/** Played as `check` plays it: not the rollout, not the second time. */
export function makesVerdict(name: string): boolean {
  return name !== rolloutName && !name.startsWith(twicePrefix);
}

/** Nothing that was played ends worse in the first than in the second. */
export function isAsGood(a: Proof, b: Proof): boolean {
  if ([...a.unfinished].some((key) => !b.unfinished.has(key))) return false;
  for (const [endpoint, ranks] of a.endpoints) {
    const others = b.endpoints.get(endpoint);
    for (const [name, rank] of ranks) if (isWorse(rank, others?.get(name) ?? "safe")) return false;
  }
  return true;
}

/** How many of the things played are how bad, the worst first: compare from the left. */
export function badness(proof: Proof): readonly number[] {
  const counts = [0, 0, 0, 0];
  const bump = (at: number): void => {
    counts[at] = (counts[at] ?? 0) + 1;
  };
  for (const endpoint of proof.endpoints.keys()) if (rankOf(proof, endpoint, "verdict") !== "safe") bump(0);
  for (const ranks of proof.endpoints.values()) {
    for (const rank of ranks.values()) if (rank !== "safe") bump(rank === "unsafe" ? 1 : rank === "stalls" ? 2 : 3);
  }
  return [proof.unfinished.size, ...counts];
}

export function compareBadness(a: Proof, b: Proof): number {
  const [left, right] = [badness(a), badness(b)];
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

class Tally {
  readonly #endpoints: Map<string, Map<string, Severity>>;
  readonly #weak: Set<string>;
  readonly #because: Map<string, string>;
  readonly unfinished: Set<ObjectKey>;
  rollout: Proof["rollout"];

  /** Goes on from what was played before, which stays as it is. */
  constructor({ endpoints, weak, because, unfinished, rollout }: Omit<Proof, "ends">) {
    this.#endpoints = new Map([...endpoints].map(([endpoint, ranks]) => [endpoint, new Map(ranks)]));
    this.#weak = new Set(weak);
    this.#because = new Map(because);
    this.unfinished = new Set(unfinished);
    this.rollout = rollout;
  }

  note(endpoint: string, name: string, rank: Severity, because: () => string): void {
    const ranks = this.#endpoints.get(endpoint) ?? new Map<string, Severity>();
    this.#endpoints.set(endpoint, ranks);
    const before = ranks.get(name) ?? "safe";
    const worst = worstOf(ranks.values());
    ranks.set(name, isWorse(rank, before) ? rank : before);
    if (isWorse(rank, worst)) this.#because.set(endpoint, because());
  }

  weak(hop: Hop): void {
    this.#weak.add(partKey(hop));
  }

  proof(ends: readonly Cluster[]): Proof {
    return {
      ends,
      endpoints: this.#endpoints,
      weak: this.#weak,
      because: this.#because,
      unfinished: this.unfinished,
      rollout: this.rollout,
    };
  }
}

const nothingPlayed: Omit<Proof, "ends"> = {
  endpoints: new Map(),
  weak: new Set(),
  because: new Map(),
  unfinished: new Set(),
  rollout: { verdict: "safe", course: null },
};

export function nameOf({ namespace, name }: Pick<Endpoint, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

function rollOut(proving: Proving, applied: Applied, tally: Tally): readonly Cluster[] {
  const { cluster, timing, horizonMs, states } = proving;
  const endpoints = proving.choose(endpointsOf(cluster).endpoints);
  for (const endpoint of endpoints) if (!endpoint.idle) tally.note(nameOf(endpoint), rolloutName, "safe", () => "");
  if (applied.changes.length === 0) return [cluster];
  const ends = new Map<string, Cluster>();
  let complete = true;
  for (const span of ["most", "least"] as const) {
    const sim = new Simulation(
      cluster,
      [{ do: "change", changes: applied.changes }],
      { endpoints, supporting: [] },
      { ...oneCourse, timing, span, horizonMs },
    );
    const explored = explore(sim, { states, choices: [] }, (end) => {
      noteRollout(end, applied, tally);
      const key = placesOf(end);
      if (ends.size < mostEnds) ends.set(key, afterwards(cluster, end, applied));
      else if (!ends.has(key)) complete = false;
      return ends.size > mostEnds ? "enough" : "on";
    });
    complete &&= explored.exhaustive && !explored.horizon;
  }
  if (!complete) {
    for (const endpoint of endpoints)
      if (!endpoint.idle)
        tally.note(nameOf(endpoint), rolloutName, "undecided", () => "the rollout was not followed to every end");
  }
  return [...ends.values()];
}

function noteRollout(end: Simulation, applied: Applied, tally: Tally): void {
  const late = applied.rolled.filter((key) => !isRolledOut(end.ledger, key));
  for (const key of late) tally.unfinished.add(key);
  let broken = false;
  for (const { endpoint, now, broken: isBroken, downs } of end.monitor.endpoints) {
    if (now !== "up" || !isBroken) continue;
    broken = true;
    const [down] = downs;
    const because = (): string =>
      down === undefined
        ? "the rollout of the change leaves it fewer units than its floor"
        : `the rollout of the change takes it down: nothing is ready of ${down.hop}`;
    tally.note(nameOf(endpoint), rolloutName, "unsafe", because);
  }
  const verdict: Severity = broken ? "unsafe" : late.length > 0 ? "stalls" : "safe";
  if (tally.rollout.course === null || isWorse(verdict, tally.rollout.verdict)) {
    tally.rollout = { verdict, course: courseOf(end) };
  }
}

/** Who stands where: states that do not differ in it are one. */
function placesOf({ ledger }: Simulation): string {
  const places: string[] = [];
  for (const pod of ledger.pods) places.push(`${pod.owner} ${pod.node?.name ?? ""} ${pod.ready}`);
  return places.sort(byCodeUnit).join("\n");
}

/** The cluster the rollout left, its owners edited. */
function afterwards(cluster: Cluster, { ledger }: Simulation, { objects, moves }: Applied): Cluster {
  const others = new Map<ObjectKey, OtherObject>(cluster.others);
  for (const [key, object] of objects) {
    const known = others.get(key);
    if (known !== undefined && object !== null) others.set(key, { ...known, body: object });
  }
  let settled = settledCluster(cluster, ledger);
  for (const move of moves) if (isRolledOut(ledger, objectKey(move.to))) settled = moved(settled, move, others);
  return {
    ...settled,
    others,
    nodes: ledger.nodes.map(({ node }) => node),
    autoscalers: ledger.autoscalers,
    budgets: settled.budgets,
  };
}

/** The second set serves, the first one is gone. */
function moved(cluster: Cluster, { owner, from, to }: KeptMove, others: Map<ObjectKey, OtherObject>): Cluster {
  const service = others.get(owner);
  const body = service === undefined ? null : withValue(service.body, pathSteps(servingNow), to.name);
  if (service !== undefined && isJsonObject(body)) others.set(owner, { ...service, body });
  return {
    ...cluster,
    pods: cluster.pods.filter((pod) => pod.owner !== from),
    workloads: new Map([...cluster.workloads].filter(([key]) => key !== from)),
  };
}

const servingNow = "status.activeServiceStatus.rayClusterName";

function playScenarios(proving: Proving, cluster: Cluster, tally: Tally): void {
  const endpoints = proving.choose(endpointsOf(cluster).endpoints);
  const actorsOf = actorsOfPools(cluster, proving.actors);
  for (const { name, variants } of namedScenarios(cluster, verdictKinds, actorsOf)) {
    for (const variant of variants) play(proving, cluster, { name, variant, endpoints }, tally);
  }
  for (const pool of poolsOf(cluster.nodes)) {
    const [actor = kubectlDrain] = actorsOf(pool).sure;
    const once = maintenanceOf(cluster, actor, pool.nodes, "any");
    const open = { do: "uncordon", nodes: pool.nodes.map((node) => node.name) } as const;
    const steps = [once, open, { do: "wait", forMs: 3_600_000 } as const, once];
    const variant: Variant = { steps, body: { kind: "steps", steps: [] } };
    play(proving, cluster, { name: `${twicePrefix}${pool.name}`, variant, endpoints }, tally);
  }
}

interface Played {
  readonly name: string;
  readonly variant: Variant;
  readonly endpoints: readonly Endpoint[];
}

function play(proving: Proving, cluster: Cluster, { name, variant, endpoints }: Played, tally: Tally): void {
  const judgement = judgeTimed(
    {
      cluster,
      steps: variant.steps,
      endpoints,
      supporting: [],
      timing: proving.timing,
      states: proving.states,
      horizonMs: proving.horizonMs,
      choices: [],
    },
    "top",
    // Hundreds of candidates are compared so. The changes that are shown are judged as a check judges, mixtures of starts too.
    "alike",
  );
  for (const { endpoint, verdict, now, course } of judgement.endpoints) {
    if (now === "idle") continue;
    const rank = now === "down" ? "unsafe" : verdict;
    const because = (): string =>
      now === "down" ? downAlready(endpoint, course) : becauseOf(name, rank, endpoint, course);
    tally.note(nameOf(endpoint), name, rank, because);
    const wasDown = judgement.hops.some(
      ({ hop, wasZero }) => wasZero && hop.needed && hop.outside === "" && endpoint.hops.includes(hop),
    );
    // With nothing down, too few engines were left.
    if (rank === "unsafe" && !wasDown) for (const hop of endpoint.hops) if (hop.hop === "engine") tally.weak(hop);
  }
  for (const { hop, wasZero, stalled } of judgement.hops) if ((wasZero && hop.needed) || stalled) tally.weak(hop);
}

export function downAlready(endpoint: Endpoint, course: Course | null): string {
  const [down] = course?.downs.get(endpoint) ?? [];
  return down === undefined ? "it is down already" : `nothing is ready of ${down.hop} already, before any maintenance`;
}

/** How the first drain that does not end well ends, and whose pod is why. */
function stallText(course: Course | null): string {
  const drain = course?.drains.find((one) => !endsWell(one));
  const pod = drain?.refusedFor[0] ?? drain?.blockedBy[0]?.pod ?? "";
  const on = pod === "" ? "" : ` ${drain?.outcome === "refused" ? "for" : "on"} ${pod}`;
  if (drain?.outcome === "refused") return `is refused${on}`;
  return `${drain?.outcome === "stalled" ? "waits for ever" : "gives up"}${on}`;
}

export function becauseOf(name: string, rank: Severity, endpoint: Endpoint, course: Course | null): string {
  const where = name.startsWith(twicePrefix)
    ? `the second maintenance in a row of ${name.slice(twicePrefix.length)}`
    : name;
  const [down] = course?.downs.get(endpoint) ?? [];
  if (rank === "unsafe" && down !== undefined) return `${where} leaves nothing ready of ${down.hop}`;
  if (rank === "unsafe") return `${where} leaves it fewer units than its floor`;
  if (rank === "stalls") return `${where} ${stallText(course)}`;
  return `${where} was not followed to every end`;
}
