import { unreachable } from "../../base/invariant.ts";
import { underKey } from "../../base/under-key.ts";
import { budgetsOf } from "../../eviction/budgets-of.ts";
import { type DrainPlan, planDrain } from "../../eviction/drain.ts";
import { type DrainFlags, parseDrainFlags } from "../../eviction/drain-flags.ts";
import type { Actor } from "../../maintenance/actor.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { BudgetView, PodView } from "../../model/view.ts";
import { says } from "../../sim/passing-over.ts";
import type { PlannedStep } from "../../sim/program.ts";
import { podStopMs } from "../../workload/termination.ts";
import { staysPut } from "../owners.ts";
import { keepsOut } from "../proof/actor-promise.ts";
import type { Standing } from "./standing.ts";

/** Nodes whose pods go, and nothing else of the cluster does: drains in any order, or machines that fail together. */
export interface Loss {
  readonly by: "drain" | "failure";
  readonly nodes: readonly string[];
  /** Pods that leave or stop. */
  readonly pods: ReadonlySet<PodView>;
  /** Those that come back elsewhere, if there is room: DaemonSets' and static ones do not. */
  readonly movers: readonly PodView[];
  /** Pods elsewhere come and go with some of these. */
  readonly takesOthers: boolean;
  /** Null: a failure asks nobody. */
  readonly drain: Drain | null;
}

export interface Drain {
  readonly actor: Actor;
  /** Pods that are asked to leave. Empty where anything refuses. */
  readonly evict: ReadonlySet<PodView>;
  /** Pods the actor may wait for, or leave a node alone for, whatever budgets say. */
  readonly heldFor: ReadonlySet<PodView>;
  /** Nodes that are not drained at all for a pod that cannot be evicted, or where nobody can confirm that a pod is gone. */
  readonly refusedOn: ReadonlySet<string>;
  /** Any of them. */
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

/** Null: these steps do more than that, so that nothing is argued about them. */
export function lossOf(standing: Standing, steps: readonly PlannedStep[]): Loss | null {
  const taking = takingOf(steps);
  if (taking === null || taking.by === "drain") return taking && drainOf(standing, taking);
  return { ...lost(standing, taking.nodes, false), by: "failure", drain: null };
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
  const all = lost(standing, nodes, staysOn);
  const isAsked = drain.by === "eviction";
  const planOf = planned(standing, flags);
  const plans = isAsked ? nodes.map((node) => ({ node, ...planOf(node) })) : [];
  const refusing = plans.filter(({ refusals }) => refusals.length > 0).map(({ node }) => node);
  const unready = nodes.filter((node) => standing.view.node(node)?.ready !== true);
  const refusedOn = new Set([...refusing, ...unready]);
  const asks = isAsked && !flags.disableEviction && flags.timeoutMs === null && onlyAsks(actor);
  const holdsForMs = isAsked ? (flags.timeoutMs ?? standing.drainTimeoutMs ?? drain.holdsForMs) : null;
  return {
    ...all,
    by: "drain",
    drain: {
      actor,
      evict: isAsked ? new Set(plans.flatMap(({ evict }) => evict)) : all.pods,
      heldFor: heldBy(actor, all.pods),
      refusedOn,
      refused: refusedOn.size > 0,
      holdsForMs,
      graceMs: drain.graceSetMs ?? 0,
      asksBudgets: isAsked && !flags.disableEviction,
      onlyAsks: asks,
      isPlain: asks && holdsForMs === null && isPlain(actor),
      keepsOut: (template) => keepsOut(actor, template),
    },
  };
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

function heldBy(actor: Actor, pods: ReadonlySet<PodView>): ReadonlySet<PodView> {
  // Most actors go by budgets alone.
  if (actor.drain.waitsForAnnotations.length === 0 && actor.passesOver.length === 0) return noPods;
  return new Set([...pods].filter((pod) => mayWaitFor(pod, actor)));
}

const noPods: ReadonlySet<PodView> = new Set();

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

/** `staysOn`: what no drain moves is still there afterwards. */
function lost(standing: Standing, nodes: readonly string[], staysOn: boolean): Omit<Loss, "by" | "drain"> {
  const there = nodes.map((node) => onNode(standing, node));
  const movers = there.flatMap((each) => each.movers);
  const pods = new Set(staysOn ? movers : there.flatMap((each) => each.pods));
  return { nodes, pods, movers, takesOthers: there.some((each) => each.takesOthers) };
}

/** Asked of each node again and again: of the node alone, of its pool, when it fails. */
function onNode(standing: Standing, node: string): OnNode {
  const byNode = underKey(knownOnNodes, standing, () => new Map<string, OnNode>());
  return underKey(byNode, node, () => {
    const pods = [...standing.view.podsOn(node)];
    const movers = pods.filter((pod) => !staysPut(standing.view, pod));
    return { pods, movers, takesOthers: movers.some((pod) => standing.comesWithOthers(pod)) };
  });
}

interface OnNode {
  readonly pods: readonly PodView[];
  readonly movers: readonly PodView[];
  readonly takesOthers: boolean;
}

const knownOnNodes = new WeakMap<Standing, Map<string, OnNode>>();

/** What a drain with these flags does with the pods of a node. */
function planned(standing: Standing, flags: DrainFlags): (node: string) => DrainPlan {
  const byFlags = underKey(knownPlans, standing, () => new Map<string, Map<string, DrainPlan>>());
  const byNode = underKey(byFlags, JSON.stringify(flags), () => new Map<string, DrainPlan>());
  return (node) => underKey(byNode, node, () => planDrain(standing.view, node, flags));
}

const knownPlans = new WeakMap<Standing, Map<string, Map<string, DrainPlan>>>();

/** What it is of one of its nodes. Endpoints that stand there ask for it again and again. */
export function lossOn(standing: Standing, loss: Loss, node: string): Loss {
  const byNode = underKey(knownParts, loss, () => new Map<string, Loss>());
  return underKey(byNode, node, () => {
    const pods = standing.view.podsOn(node).filter((pod) => loss.pods.has(pod));
    return { ...loss, nodes: [node], pods: new Set(pods) };
  });
}

const knownParts = new WeakMap<Loss, Map<string, Loss>>();

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
  const { evict, heldFor, holdsForMs, graceMs, asksBudgets, refusedOn } = drain;
  if (parts.some(({ nodes }) => nodes.some((node) => refusedOn.has(node))) || standing.refusesEvictions) return false;
  return own.every((pod) => {
    if (heldFor.has(pod)) return false;
    if (!evict.has(pod)) return true;
    if (pod.heldByFinalizer || pod.keptByFinalizer !== "") return false;
    if (standing.view.cluster.namespaces.get(pod.namespace)?.terminating === true) return false;
    if (holdsForMs !== null && Math.max(podStopMs(pod, null), graceMs) >= holdsForMs) return false;
    if (!asksBudgets) return true;
    const [budget, ...more] = budgetsOf(standing.view, pod);
    if (budget === undefined) return true;
    const leaving = parts.reduce((sum, { pods }) => sum + (going(standing, pods).get(budget) ?? 0), 0);
    return more.length === 0 && leaving <= standing.allowedBy(budget);
  });
}

const goingByPods = new WeakMap<ReadonlySet<PodView>, ReadonlyMap<BudgetView, number>>();

/** Budget → how many of its pods are among these. */
function going(standing: Standing, pods: ReadonlySet<PodView>): ReadonlyMap<BudgetView, number> {
  const known = goingByPods.get(pods);
  if (known !== undefined) return known;
  const counts = new Map<BudgetView, number>();
  for (const pod of pods) {
    for (const budget of budgetsOf(standing.view, pod)) counts.set(budget, (counts.get(budget) ?? 0) + 1);
  }
  goingByPods.set(pods, counts);
  return counts;
}
