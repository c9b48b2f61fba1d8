import { underKey } from "../../base/under-key.ts";
import { budgetsOf } from "../../eviction/budgets-of.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { AdmissionWebhook } from "../../model/policy.ts";
import type { PodView } from "../../model/view.ts";
import { floorsOf, standInsOf } from "../../route/capacity.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { podsOf } from "../../sim/monitor.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import { isMadeAgain } from "../../workload/limit-range.ts";
import { isTerminal } from "../../workload/pod-state.ts";
import { podStopMs } from "../../workload/termination.ts";
import type { Question } from "../judge.ts";
import { nextOf, rootOf, staysPut, templatesOf } from "../owners.ts";
import type { Rest } from "../rests-on.ts";
import { type ActorPromise, promiseOf } from "./actor-promise.ts";
import { type Holding, holds } from "./budget-holds.ts";
import { driversAmong, mayReach, reachedBy } from "./drivers.ts";
import { comesHome } from "./homecoming.ts";
import type { Kind } from "./kinds.ts";
import { findsWhileLent } from "./lent.ts";
import type { Rooms } from "./rooms.ts";
import { type Standing, standingOf } from "./standing.ts";
import { areApart, longestStartByTurns, mostTogether } from "./turns.ts";

/** Safe for every order, placement and start-up; `rests` is not empty where an actor would force what waits too long. */
export interface Proof {
  readonly rests: readonly Rest[];
}

/**
 * Proves, without trying orders, that a maintenance breaks none of these endpoints and completes as far as they are
 * concerned. Three arguments, each over-approximating what can happen:
 *
 * 1. every hop is untouched, or a budget over exactly its pods keeps as many as it needs, or they leave one after the other;
 * 2. a pod of it that waits finds a place (rooms.ts) while another is to be evicted, so that each replacement starts;
 * 3. then the budget allows that eviction, so each drain ends: in time, where the actor forces what it waited for.
 *
 * Endpoints that are not in the answer are not proved; that says nothing against them.
 */
export function prove(question: Question): ReadonlyMap<Endpoint, Proof> {
  const proved = new Map<Endpoint, Proof>();
  const [step, ...more] = question.steps;
  if (step?.do !== "maintain" || more.length > 0) return proved;
  // A scenario's own limits are played, not argued about.
  if (question.timing.scenario.drainTimeoutMs !== null || question.choices.length > 0) return proved;
  const { nodeDown } = question.timing.scenario;
  const standing = standingOf(question.cluster, question.timing);
  const promise = promiseOf(standing, step.options, { nodes: step.nodes.length, nodeDown });
  if (promise === null) return proved;
  const { view } = standing;
  const unrest = unrestOf(standing, step.nodes, promise);
  if (unrest === null) return proved;
  const { rooms, drivers } = unrest;
  const touched = new Set(step.nodes);
  const isHome = unrest.allReturn && comesHome(standing, rooms, { nodes: step.nodes, promise });
  for (const endpoint of question.endpoints) {
    const rests = needed(view, endpoint).map((need) =>
      restsOf(question, { standing, rooms, drivers, promise, nodes: step.nodes, touched, isHome }, need),
    );
    const found = rests.filter((each) => each !== null);
    if (found.length === rests.length) proved.set(endpoint, { rests: found.flat() });
  }
  return proved;
}

interface Argued {
  readonly standing: Standing;
  readonly rooms: Rooms;
  /** Pods of these templates may find no place, and drive out weaker ones. */
  readonly drivers: readonly PodTemplate[];
  readonly promise: ActorPromise;
  readonly nodes: readonly string[];
  readonly touched: ReadonlySet<string>;
  /** Nobody waits for a place any more when the next node is closed. */
  readonly isHome: boolean;
}

interface Need {
  readonly hop: Hop;
  readonly need: number;
}

/** What it leans on that a hop always has what it needs and that no drain waits for ever for its pods; null: it is not proved. */
function restsOf(
  question: Question,
  { standing, rooms, drivers, promise, nodes, touched, isHome }: Argued,
  { hop, need }: Need,
): readonly Rest[] | null {
  const { view } = standing;
  const pods = podsOf(view, hop.pods);
  const templates = [...templatesOf(view, pods)];
  if (isMoved(standing, pods) || mayReach(view, drivers, { pods, templates })) return null;
  const holding = holds(view, hop, { need, touched });
  if (holding === null) return null;
  if (holding.by === "untouched") return [];
  if (pods.some((pod) => mayBeRefused(view, pod))) return null;
  // One that is not kept out may come to a node that is drained already, and go down with the machine without being asked.
  if (!templates.every((template) => promise.keepsOut(template) && !promise.waitsFor(template))) return null;
  const atMostMs =
    holding.by === "turns"
      ? longestStartByTurns(standing, pods, { templates, promise, rooms })
      : longestStartByBudget(question, { standing, rooms, promise, nodes, isHome }, { holding, pods, templates });
  if (atMostMs === null || slowestStartMs(question, view, pods) > atMostMs) return null;
  return atMostMs === Number.POSITIVE_INFINITY ? [] : [{ kind: "time", hop, atMostMs }];
}

/** They go or are joined by others without being asked: that is no matter of budgets. */
function isMoved({ view, alone, newcomers }: Standing, pods: readonly PodView[]): boolean {
  if (newcomers === null || pods.some(({ key }) => alone.going.has(key))) return true;
  if (newcomers.pods.length === 0 && newcomers.movers.size === 0) return false;
  const roots = new Set(pods.map((pod) => rootOf(view, pod)));
  const budgets = new Set(pods.flatMap((pod) => budgetsOf(view, pod)));
  const joins = (pod: PodView): boolean =>
    roots.has(rootOf(view, pod)) || budgetsOf(view, pod).some((budget) => budgets.has(budget));
  return [...roots].some((root) => newcomers.movers.has(root)) || newcomers.pods.some(joins);
}

/** It would not be made again, or not now. */
function mayBeRefused(view: Ledger, pod: Pick<PodView, "namespace" | "template" | "keptByFinalizer">): boolean {
  return view.quotas.some(({ ref }) => ref.namespace === pod.namespace) || !isMadeAgain(view, pod);
}

/** Of these and of those that follow them, which have other names. */
function slowestStartMs({ timing }: Question, view: Ledger, pods: readonly PodView[]): number {
  const next = pods.map((pod) => {
    const { owner, namespace, ordinal } = pod;
    const name = owner?.slice(owner.lastIndexOf("/") + 1);
    return { key: ordinal === null ? `${namespace}/${name}-~1` : pod.key, template: nextOf(view, pod), owner };
  });
  return Math.max(...[...pods, ...next].map((pod) => timing.podStart(pod).mostMs));
}

/** What each hop needs at every moment: an engine role its floor, any other part one. Hops that share a role add up. */
function needed(view: Ledger, endpoint: Endpoint): readonly Need[] {
  const floors = floorsOf(view, endpoint);
  return endpoint.hops
    .filter((hop) => hop.outside === "" && hop.onPath)
    .map((hop) => {
      if (hop.hop !== "engine") return { hop, need: hop.needed ? 1 : 0 };
      const alone = standInsOf(endpoint, hop).length === 1;
      const floor = floors.find(({ role }) => role === hop.role)?.minAvailable ?? 1;
      return { hop, need: alone ? floor : Number.POSITIVE_INFINITY };
    });
}

/** Infinite: as long as it likes. Null: some drain could wait for ever. */
function longestStartByBudget(
  question: Question,
  { standing, rooms, promise, nodes, isHome }: Omit<Argued, "touched" | "drivers">,
  {
    holding,
    pods,
    templates,
  }: {
    readonly holding: ByBudget;
    readonly pods: readonly PodView[];
    readonly templates: readonly PodTemplate[];
  },
): number | null {
  const { forcesAfterMs, retryMs, goneAtMost } = promise;
  const atOnce = holding.replicas - holding.desiredHealthy;
  if (atOnce <= 0) return null;
  // All of a node's go at once, and have a place again before another node's are asked.
  const isFree = isHome && mostTogether(standing, pods, { templates, rooms, goneAtMost }) <= atOnce;
  if (
    !isFree &&
    !templates.every((template) => findsPlace(template, { standing, rooms, promise, nodes, pods, templates }))
  )
    return null;
  return forcesAfterMs === null
    ? Number.POSITIVE_INFINITY
    : longestStart(question, pods, holding, forcesAfterMs, retryMs);
}

/**
 * While one of them waits for a place, another is to be evicted; or a node is left alone, since a budget does not let all of its
 * pods go: then no two of them may ever be on one node.
 */
function findsPlace(
  template: PodTemplate,
  {
    pods,
    templates,
    ...argued
  }: Omit<Argued, "touched" | "isHome" | "drivers"> & {
    readonly pods: readonly PodView[];
    readonly templates: readonly PodTemplate[];
  },
): boolean {
  const { standing, rooms, promise } = argued;
  const { takesWhole, lentTo } = promise;
  if (takesWhole && !areApart(standing, pods, { templates, goneAtMost: promise.goneAtMost })) return false;
  // Lent nodes are drained too, with what came to them.
  if (takesWhole || lentTo !== null) return alwaysFinds(template, argued);
  return rooms.findsInDrain(template, pods, { ...promise, nodes: argued.nodes });
}

function alwaysFinds(
  template: PodTemplate,
  { standing, rooms, promise }: Pick<Argued, "standing" | "rooms" | "promise">,
): boolean {
  const { closedAtMost, lentTo } = promise;
  if (!rooms.alwaysFinds(template, closedAtMost)) return false;
  return lentTo === null || findsWhileLent(template, lentTo, { standing, rooms });
}

type ByBudget = Extract<Holding, { readonly by: "budget" }>;

/**
 * How long a pod of this hop may take to start so that no drain waits longer than the actor does: at worst every pod of the
 * hop stands on one node and they go one after the other.
 */
function longestStart(
  question: Question,
  pods: ReturnType<typeof podsOf>,
  holding: ByBudget,
  forcesAfterMs: number,
  retryMs: number,
): number | null {
  const atOnce = holding.replicas - holding.desiredHealthy;
  const turns = Math.ceil(holding.replicas / atOnce);
  const stopMs = Math.max(...pods.map((pod) => question.timing.podStop(pod)?.mostMs ?? podStopMs(pod, null)));
  const spareMs = forcesAfterMs / turns - retryMs - stopMs;
  return spareMs > 0 ? Math.floor(spareMs) : null;
}

/** What others do while a maintenance goes on. */
interface Unrest {
  readonly rooms: Rooms;
  readonly drivers: readonly PodTemplate[];
  /** Whoever leaves one of the nodes, or may come to it, is made again at once, and is never driven out. */
  readonly allReturn: boolean;
}

/**
 * Others may wait for a place, or their owners are still to make them: they are counted as coming to any node they fit on, at any
 * time. One of higher priority that may find no room drives out another: where it could stand all pods may leave, also those of nodes
 * that nobody works on, and then more may find no room. Null: webhooks may refuse new pods, DaemonSets drive out others, or it cannot be
 * said who comes. Quotas only let others come later.
 */
function unrestOf(standing: Standing, nodes: readonly string[], promise: ActorPromise): Unrest | null {
  const { view, newcomers, alone } = standing;
  const { cluster } = view;
  if (newcomers === null || view.webhooks.some(mayRefuse)) return null;
  const movable = standing.roster.kinds.filter(({ stays }) => !stays);
  const lowest = movable.reduce((least, { now }) => Math.min(least, now.priority), Number.POSITIVE_INFINITY);
  for (let left = nodes; ; ) {
    const rooms = standing.roomsWhile(left);
    const isLeft = new Set(left);
    if (alone.late.some(({ template }) => template.priority > lowest && !rooms.alwaysFits(template))) return null;
    const looking = rooms.moving.flatMap(({ now, next }) => (now.priority > lowest ? [now, next] : []));
    const drivers = driversAmong(cluster, [...new Set(looking)], (template) =>
      alwaysFinds(template, { standing, rooms, promise }),
    );
    // Of lent nodes it is counted who comes from nodes that are worked on, and those that are driven out come from others.
    if (drivers.length > 0 && promise.lentTo !== null) return null;
    const reached = reachedBy(drivers, cluster);
    if (reached.isSubsetOf(isLeft)) {
      const worked = new Set(nodes);
      const mayUse = (templates: readonly PodTemplate[], to: ReadonlySet<string>): boolean =>
        templates.some((template) => !rooms.usable(template).isDisjointFrom(to));
      const isHere = (pod: PodView): boolean =>
        worked.has(pod.node?.name ?? "") || mayUse([pod.template, nextOf(view, pod)], worked);
      const goesTo = ({ now, next, nodes: own }: Kind, to: ReadonlySet<string>): boolean =>
        mayUse([now, next], to) || Iterator.from(own).some((name) => to.has(name));
      const staysHere =
        reached.size === 0 ||
        (reached.isDisjointFrom(worked) && !movable.some((kind) => goesTo(kind, reached) && goesTo(kind, worked)));
      return { rooms, drivers, allReturn: staysHere && !refusable(standing, newcomers.pods).some(isHere) };
    }
    left = cluster.nodes.flatMap(({ name }) => (isLeft.has(name) || reached.has(name) ? name : []));
  }
}

/** Of those that a drain moves and those that may come: the same whatever is worked on. */
function refusable(standing: Standing, newcomers: readonly PodView[]): readonly PodView[] {
  const { view } = standing;
  return underKey(refusables, standing, () => {
    const there = Iterator.from(view.kinds()).flatMap((kind) => {
      const isMoving = !isTerminal({ phase: kind.phaseAsRead }) && !staysPut(view, kind);
      return isMoving && mayBeRefused(view, kind) ? kind.pods() : [];
    });
    return [...there, ...newcomers.filter((pod) => mayBeRefused(view, pod))];
  });
}

const refusables = new WeakMap<Standing, readonly PodView[]>();

export function mayRefuse({ failurePolicy, service, onPodCreate, onPodEviction }: AdmissionWebhook): boolean {
  return failurePolicy === "Fail" && service !== null && (onPodCreate || onPodEviction);
}
