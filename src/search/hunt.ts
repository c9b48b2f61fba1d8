import type { ClusterView, PodView } from "../model/view.ts";
import { podsOf } from "../sim/monitor.ts";
import type { EvictionOrders } from "../sim/rivals.ts";
import type { Simulation } from "../sim/simulation.ts";
import { optionCount } from "../sim/simulation.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { explore, type Narrowing } from "./explore.ts";
import { type Judgement, mixedPaces, note, type Pace, pacesOf, type Question, simulationOf } from "./judge.ts";
import { mayUse } from "./proof/usable.ts";

export interface HuntLimits {
  /** States of all tries together. */
  readonly states: number;
  /** Tries go no deeper. */
  readonly drainsMax: number;
  readonly evictions: EvictionOrders;
}

/** The worst that can happen to each, and to which of its hops. */
export type Wanted = ReadonlyMap<Endpoint, { readonly worst: "unsafe" | "stalls"; readonly hops: readonly Hop[] }>;

/**
 * Looks for courses that hurt these endpoints, those with few drains first: one drain, two, three. The last drain is always of
 * a node with a pod of such an endpoint; the ones before it of such a node too, or of one whose pods can take away the room
 * that it needs. What is found is a course like any other. What is not found says nothing.
 */
export function hunt(question: Question, wanted: Wanted, judgement: Judgement, limits: HuntLimits): void {
  const alike = pacesOf(question, "alike").map((pace): Tempo => ({ pace, startsSoon: () => false }));
  huntAt(alike, question, wanted, judgement, limits);
  const mixed = mixedTempos(question, wanted);
  huntAt(mixed, question, wanted, judgement, { ...limits, states: Math.floor(limits.states / mixedShare) });
}

/** How quick what is. */
interface Tempo {
  readonly pace: Pace;
  readonly startsSoon: Narrowing["startsSoon"];
}

/** Mixtures of slow and quick starts get one in so many states more. */
const mixedShare = 4;

/** Of mixtures only those in which the pods of one hop are quick and all others slow, or the other way about. */
function mixedTempos(question: Question, wanted: Wanted): readonly Tempo[] {
  const hops = distinctHops(wanted);
  return mixedPaces(question).flatMap((pace) =>
    hops.flatMap((hop): readonly Tempo[] => {
      const isOwn: Narrowing["startsSoon"] = (sim, pod) => podsOf(sim.ledger, hop.pods).some(({ key }) => key === pod);
      return [
        { pace, startsSoon: isOwn },
        { pace, startsSoon: (sim, pod) => !isOwn(sim, pod) },
      ];
    }),
  );
}

function huntAt(
  tempos: readonly Tempo[],
  question: Question,
  wanted: Wanted,
  judgement: Judgement,
  limits: HuntLimits,
): void {
  let left = limits.states;
  for (let drains = 1; drains <= limits.drainsMax; drains += 1) {
    for (const { pace, startsSoon } of tempos) {
      const open = stillWanted(wanted, judgement, drains);
      if (open.size === 0 || left <= 0) return;
      const sim = simulationOf(question, { timed: true, placement: "top", ...pace, evictions: limits.evictions });
      const look = (at: Simulation): "on" | "enough" => {
        if (found(at, open, judgement)) noteWhole(judgement, at);
        return stillWanted(wanted, judgement, drains).size === 0 ? "enough" : "on";
      };
      const { states } = explore(
        sim,
        { ...question, states: left },
        look,
        look,
        narrowing(sim, open, drains, startsSoon),
      );
      judgement.states += states;
      left -= states;
    }
  }
}

/** Those of which nothing is known that takes as few drains as are tried now. */
function stillWanted(wanted: Wanted, { endpoints }: Judgement, drains: number): Wanted {
  const outcomes = new Map(endpoints.map((outcome) => [outcome.endpoint, outcome]));
  return new Map(
    [...wanted].filter(([endpoint, { worst }]) => {
      const outcome = outcomes.get(endpoint);
      const isWorst = outcome?.verdict === "unsafe" || outcome?.verdict === worst;
      return !isWorst || (outcome.effort?.drains ?? Number.POSITIVE_INFINITY) > drains;
    }),
  );
}

function found(sim: Simulation, open: Wanted, judgement: Judgement): boolean {
  return sim.monitor.endpoints.some(({ endpoint, broken, brokenAfter, stalledBy }) => {
    if (!open.has(endpoint)) return false;
    const outcome = judgement.endpoints.find((each) => each.endpoint === endpoint);
    const known = outcome?.effort?.drains ?? Number.POSITIVE_INFINITY;
    if (broken) return outcome?.verdict !== "unsafe" || (brokenAfter?.drains ?? 0) < known;
    return (
      stalledBy.length > 0 &&
      outcome?.verdict !== "unsafe" &&
      (outcome?.verdict !== "stalls" || sim.drains.length < known)
    );
  });
}

/** Plays the rest of the course, so that it is told from beginning to end. */
function noteWhole(judgement: Judgement, sim: Simulation): void {
  const mark = sim.journal.mark();
  for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
    sim.choose(stop.choice.kind === "start-up" ? optionCount(stop.choice) - 1 : 0);
  }
  note(judgement, sim);
  sim.journal.undoTo(mark);
}

function distinctHops(wanted: Wanted): readonly Hop[] {
  const hops = [...wanted.values()].flatMap((each) => each.hops);
  return [...new Set(hops.filter(({ onPath, outside }) => onPath && outside === ""))];
}

function narrowing(sim: Simulation, open: Wanted, drainsMax: number, startsSoon: Narrowing["startsSoon"]): Narrowing {
  const distinct = distinctHops(open);
  const movers = moversOf(sim.ledger, distinct, drainsMax);
  return {
    drainsMax,
    startsSoon,
    mayTake: (at, node, isLast) => hostsAny(at.ledger, distinct, node) || (!isLast && movers.has(node)),
  };
}

function hostsAny(view: ClusterView, hops: readonly Hop[], node: string): boolean {
  return hops.some((hop) => podsOf(view, hop.pods).some((pod) => pod.node?.name === node));
}

/** Nodes whose pods, with those of as many others as are drained before, could fill a place the hops' pods may use. */
function moversOf(view: ClusterView, hops: readonly Hop[], drainsMax: number): ReadonlySet<string> {
  const movers = new Set<string>();
  if (drainsMax < 2) return movers;
  const own = hops.flatMap((hop) => podsOf(view, hop.pods));
  const templates = [...new Set(own.map(({ template }) => template))];
  const ownUids = new Set(own.map(({ uid }) => uid));
  for (const place of view.nodes) {
    const users = templates.filter((template) => mayUse(template, place.node, place.taints));
    if (users.length === 0) continue;
    for (const read of [cpuOf, memoryOf]) {
      const free = read(place.node.allocatable) - read(place.requested);
      const asked = Math.max(...users.map((template) => read(template.requests)));
      const inflows = view.nodes.map((from) => {
        const moving = from.pods.filter(
          (pod) => !ownUids.has(pod.uid) && from !== place && mayUse(pod.template, place.node, place.taints),
        );
        return { from: from.name, amount: moving.reduce((sum, pod) => sum + read(pod.requests), 0) };
      });
      // Who fills it alone needs no help.
      const most = inflows
        .map(({ amount }) => amount)
        .filter((amount) => amount <= free - asked)
        .sort((a, b) => b - a);
      const helped = most.slice(0, Math.max(0, drainsMax - 2)).reduce((sum, amount) => sum + amount, 0);
      for (const { from, amount } of inflows) if (amount > 0 && amount + helped > free - asked) movers.add(from);
    }
  }
  return movers;
}

const cpuOf = (resources: PodView["requests"]): number => resources.milliCpu;
const memoryOf = (resources: PodView["requests"]): number => resources.memoryBytes;
