import { unreachable } from "../../base/invariant.ts";
import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import { budgetsOf, podsOf } from "../../eviction/budgets-of.ts";
import { fateOf, mayRefuse } from "../../eviction/drain.ts";
import { type DrainFlags, parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { DrainedPod } from "../../eviction/drain-rule.ts";
import type { Actor } from "../../maintenance/actor.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import type { KindView } from "../../sim/kind-view.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { says } from "../../sim/passing-over.ts";
import type { PlannedStep } from "../../sim/program.ts";
import { podStopMs } from "../../workload/termination.ts";
import { staysPut } from "../owners.ts";
import { keepsOut } from "../proof/actor-promise.ts";
import { LostPods, type PodSet } from "./lost-pods.ts";
import type { Part, Standing } from "./standing.ts";

/** Nodes whose pods go, and nothing else of the cluster does: drains in any order, or machines that fail together. */
export interface Loss {
  readonly by: "drain" | "failure";
  readonly nodes: readonly string[];
  /** Pods that leave or stop. */
  readonly pods: PodSet;
  /** Those that come back elsewhere, if there is room: DaemonSets' and static ones do not. */
  movers(): readonly PodView[];
  /** How many they are, without a view of each. */
  readonly moverCount: number;
  /** Templates of those that are stronger than some pod of what is judged. */
  readonly stronger: ReadonlySet<PodTemplate>;
  /** The highest priority of any. */
  readonly strongest: number;
  /** Pods elsewhere come and go with some of these. */
  readonly takesOthers: boolean;
  /** Null: a failure asks nobody. */
  readonly drain: Drain | null;
  /** What it is of one of its nodes; those of the others look for a place all the same. */
  on(node: string): Loss;
}

export interface Drain {
  readonly actor: Actor;
  /** Pods that are asked to leave. Empty where anything refuses. */
  readonly evict: PodSet;
  /** What says which these are; null: all pods that go. */
  readonly flags: DrainFlags | null;
  /** Pods the actor may wait for, or leave a node alone for, whatever budgets say. */
  readonly heldFor: PodSet;
  /** The node is not drained at all for a pod that cannot be evicted, or because nobody can confirm that a pod is gone. */
  isRefusedOn(node: string): boolean;
  /** Any of them is. */
  readonly refused: boolean;
  /** After this the actor does something else than ask; null: never. */
  readonly holdsForMs: number | null;
  /** The grace that every pod gets, if that is longer than its own. */
  readonly graceMs: number;
  /** False: the pods go whatever budgets say. */
  readonly asksBudgets: boolean;
  /** It takes each node as it comes, asks the Eviction API for every pod at once, and asks as long as it holds. */
  readonly onlyAsks: boolean;
  /** It does so whatever becomes of other nodes, asks for ever, and brings nothing new: `kubectl drain`. */
  readonly isPlain: boolean;
  /** Whether pods of this template are never placed on a closed node. */
  keepsOut(template: PodTemplate): boolean;
}

/** The pods of a part that are among those of a loss. */
export function takenOf({ on }: Part, { nodes, pods }: Pick<Loss, "nodes" | "pods">): readonly PodView[] {
  return on(nodes).filter((pod) => pods.has(pod));
}

/** Null: these steps do more than that, so that nothing is argued about them. */
export function lossOf(standing: Standing, steps: readonly PlannedStep[]): Loss | null {
  const taking = takingOf(steps);
  if (taking === null || taking.by === "drain") return taking && drainOf(standing, taking);
  return new LateLoss(standing, { ...taking, emptied: taking.nodes, goes: () => true, drain: null });
}

/** The nodes it would be; null: it is none. */
export function nodesLostBy(steps: readonly PlannedStep[]): readonly string[] | null {
  return takingOf(steps)?.nodes ?? null;
}

type Taking = DrainTaking | { readonly by: "failure"; readonly nodes: readonly string[] };

interface DrainTaking {
  readonly by: "drain";
  readonly nodes: readonly string[];
  readonly actor: Actor;
  readonly flags: DrainFlags;
}

function takingOf(steps: readonly PlannedStep[]): Taking | null {
  const [first, ...more] = steps;
  if (first?.do === "maintain" && more.length === 0) return drainTaking(first);
  const nodes = steps.flatMap((step) => (step.do === "fail" ? [step.node] : []));
  return nodes.length === 0 || nodes.length < steps.length ? null : { by: "failure", nodes };
}

function drainTaking({ nodes, options }: Extract<PlannedStep, { readonly do: "maintain" }>): DrainTaking | null {
  const [lane, ...lanes] = options.lanes.filter((one) => one.nodes.length > 0);
  if (lane === undefined || lanes.length > 0) return null;
  const { flags: given, stopAfterMs, forceAfterMs } = options;
  if (stopAfterMs !== null || forceAfterMs !== null || lane.held !== "") return null;
  const { actor } = lane;
  const parsed = parseDrainFlags(given ?? actor.drain.flags);
  if (!parsed.ok || actor.marks.some(({ effect }) => effect === "NoExecute")) return null;
  return { by: "drain", nodes, actor, flags: parsed.flags };
}

function drainOf(standing: Standing, { nodes, actor, flags }: DrainTaking): Loss {
  const { drain, afterDrain } = actor;
  const staysOn = (afterDrain === "stays" || afterDrain === "opens") && drain.daemonSetPods === "as-flags";
  const goes = (pod: PodView): boolean => !staysOn || !staysPut(standing.view, pod);
  const isAsked = drain.by === "eviction";
  const asks = isAsked && !flags.disableEviction && flags.timeoutMs === null && onlyAsks(actor);
  const holdsForMs = isAsked ? (flags.timeoutMs ?? standing.drainTimeoutMs ?? drain.holdsForMs) : null;
  const plans = isAsked ? plansOf(standing, flags) : null;
  const isRefused = (node: string): boolean =>
    standing.view.node(node)?.ready !== true || plans?.isRefusedOn(node) === true;
  const refused = nodes.some(isRefused);
  return new LateLoss(standing, {
    ...{ by: "drain", nodes, emptied: nodes, goes },
    drain: {
      actor,
      evict: new LostPods(standing.view, nodes, (pod) => (plans === null ? goes(pod) : plans.isEvicted(pod))),
      flags: isAsked ? flags : null,
      heldFor: new LostPods(standing.view, nodes, (pod) => goes(pod) && mayWaitFor(pod, actor)),
      isRefusedOn: (node) => refused && isRefused(node),
      refused,
      holdsForMs,
      graceMs: drain.graceSetMs ?? 0,
      asksBudgets: isAsked && !flags.disableEviction,
      onlyAsks: asks,
      isPlain: asks && holdsForMs === null && isPlain(actor),
      keepsOut: (template) => keepsOut(actor, template),
    },
  });
}

function onlyAsks({ drain, passesOver }: Actor): boolean {
  const plain = drain.barePods === "as-flags" && drain.waitsForAnnotations.length === 0 && !drain.inWaves;
  const plainTimes = drain.graceSetMs === null && !drain.deletesEarly;
  return plain && plainTimes && passesOver.every(({ on }) => on === "unavailable");
}

function isPlain({ close, drain, passesOver, usesUp, surge, marks }: Actor): boolean {
  const takesAny = passesOver.length === 0 && usesUp.length === 0 && surge === null && marks.length === 0;
  return takesAny && close.cordon && drain.asks === "at-once" && !drain.volumesOneByOne && !drain.sparesTolerating;
}

/** What an actor goes by beside budgets; of a pod's kind alone where the rule looks at more. */
function mayWaitFor({ owner, namespace, template }: PodView, { drain, passesOver }: Actor): boolean {
  const isAnnotated = (rule: { readonly key: string; readonly value: string | null }): boolean =>
    says(template.annotations.get(rule.key), rule);
  if (drain.waitsForAnnotations.some(isAnnotated)) return true;
  return passesOver.some((rule) => {
    switch (rule.on) {
      case "unavailable":
      case "nodeAnnotation":
      case "nodeLabel":
      // Not where budgets let all of a node's pods go at once.
      case "budget":
        return false;
      case "podAnnotation":
        return isAnnotated(rule);
      case "podSelector":
        return true;
      case "barePod":
        return owner === null;
      case "localStorage":
        return template.volumes.some(({ kind }) => kind === "emptyDir" || kind === "hostPath");
      case "systemPod":
        return namespace === "kube-system";
      default:
        return unreachable(rule);
    }
  });
}

interface Taken extends Pick<Loss, "by" | "nodes" | "drain"> {
  /** All nodes whose pods look for a place. */
  readonly emptied: readonly string[];
  /** False: what no drain moves is still there afterwards. */
  goes(pod: PodView): boolean;
}

/** What is lost of many nodes is told of all of them together: views of their pods are made when somebody goes through them. */
class LateLoss implements Loss {
  readonly pods: PodSet;
  readonly #standing: Standing;
  readonly #taken: Taken;
  readonly #parts = new Map<string, Loss>();
  #movers: readonly PodView[] | null = null;

  constructor(standing: Standing, taken: Taken) {
    this.#standing = standing;
    this.#taken = taken;
    this.pods = new LostPods(standing.view, taken.nodes, taken.goes);
  }

  get by(): Loss["by"] {
    return this.#taken.by;
  }
  get nodes(): readonly string[] {
    return this.#taken.nodes;
  }
  get drain(): Drain | null {
    return this.#taken.drain;
  }
  get moverCount(): number {
    return this.#standing.residents.on(this.#taken.emptied).movers;
  }
  get stronger(): ReadonlySet<PodTemplate> {
    return this.#standing.residents.strongerOn(this.#taken.emptied);
  }
  get strongest(): number {
    return this.#standing.residents.on(this.#taken.emptied).strongest;
  }
  get takesOthers(): boolean {
    return this.#standing.residents.on(this.#taken.emptied).takeOthers;
  }

  movers(): readonly PodView[] {
    const { view } = this.#standing;
    this.#movers ??= this.#taken.emptied.flatMap((node) => view.podsOn(node).filter((pod) => !staysPut(view, pod)));
    return this.#movers;
  }

  /** Endpoints that stand there ask for it again and again. */
  on(node: string): Loss {
    return underKey(this.#parts, node, () => new LateLoss(this.#standing, { ...this.#taken, nodes: [node] }));
  }
}

/** What drains with the same flags do with pods, node by node. */
class Plans {
  readonly #view: Ledger;
  readonly #flags: DrainFlags;
  /** With a pod of a kind that may be refused. */
  readonly #refusable: ReadonlySet<string>;
  readonly #refused = new Map<string, boolean>();

  constructor(view: Ledger, flags: DrainFlags) {
    this.#view = view;
    this.#flags = flags;
    const isRefusable = (kind: KindView): boolean => mayRefuse(view, unfinished(kind), flags);
    this.#refusable = new Set(
      Iterator.from(view.kinds())
        .filter(isRefusable)
        .flatMap((kind) => kind.nodes()),
    );
  }

  isRefusedOn(node: string): boolean {
    if (!this.#refusable.has(node)) return false;
    return underKey(this.#refused, node, () =>
      this.#view.podsOn(node).some((pod) => fateOf(this.#view, pod, this.#flags) === "refuse"),
    );
  }

  isEvicted(pod: PodView): boolean {
    if (pod.node !== null && this.isRefusedOn(pod.node.name)) return false;
    return fateOf(this.#view, pod, this.#flags) === "evict";
  }
}

/** No rule refuses a pod because it has finished. Most rules need no more than an owner. */
function unfinished(kind: KindView): Omit<DrainedPod, "terminatingSinceMs"> {
  const { owner, mirror } = kind;
  return {
    ...{ owner, mirror, phase: "Running" },
    get template() {
      return kind.template;
    },
  };
}

function plansOf(standing: Standing, flags: DrainFlags): Plans {
  const byFlags = underKey(knownPlans, standing, () => new Map<string, Plans>());
  return underKey(byFlags, JSON.stringify(flags), () => new Plans(standing.view, flags));
}

const knownPlans = new WeakMap<Standing, Map<string, Plans>>();

/**
 * Whether every pod of these, asked to leave, is let go and gone in time, whatever becomes of others: no budget covers it, or
 * one that allows as many evictions as there are pods of its own on the node.
 */
export function allLeave(standing: Standing, loss: Loss, own: readonly PodView[]): boolean {
  return allLeaveTogether(standing, [loss], own);
}

/** The same of what one drain is of several of its nodes. */
export function allLeaveTogether(standing: Standing, parts: readonly Loss[], own: readonly PodView[]): boolean {
  const drain = parts[0]?.drain ?? null;
  if (drain === null) return true;
  const { evict, heldFor, holdsForMs, graceMs, asksBudgets } = drain;
  const isRefused = ({ nodes }: Loss): boolean => nodes.some((node) => drain.isRefusedOn(node));
  if (standing.refusesEvictions || (drain.refused && parts.some(isRefused))) return false;
  return own.every((pod) => {
    if (heldFor.has(pod)) return false;
    if (!evict.has(pod)) return true;
    if (pod.heldByFinalizer || pod.keptByFinalizer !== "") return false;
    if (standing.view.cluster.namespaces.get(pod.namespace)?.terminating === true) return false;
    if (holdsForMs !== null && Math.max(podStopMs(pod, null), graceMs) >= holdsForMs) return false;
    if (!asksBudgets) return true;
    const [budget, ...more] = budgetsOf(standing.view, pod);
    if (budget === undefined) return true;
    const leaving = parts.reduce((sum, part) => sum + going(standing, part, budget), 0);
    return more.length === 0 && leaving <= standing.allowedBy(budget);
  });
}

const goingByLoss = new WeakMap<Loss, Map<BudgetView, number>>();

/** How many of a budget's pods are among those of a loss. */
function going({ view, budgeted }: Standing, loss: Loss, budget: BudgetView): number {
  const byBudget = underKey(goingByLoss, loss, () => new Map<BudgetView, number>());
  return underKey(byBudget, budget, () => {
    const [only = "", ...more] = loss.nodes;
    // On one node are fewer than under most budgets, on thousands more than under any.
    const among = more.length === 0 ? (budgeted.on(only).get(budget) ?? none) : podsOf(view, budget);
    return among.reduce((count, pod) => count + (loss.pods.has(pod) ? 1 : 0), 0);
  });
}
