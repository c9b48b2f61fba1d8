import type { SimMs } from "../base/units.ts";
import type { PodKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Taint, TaintEffect, Toleration } from "../model/pod-template.ts";
import { tolerates } from "../model/taints.ts";
import type { ClusterView, Effect, NodeView, PodView } from "../model/view.ts";
import { isTerminal } from "./pod-state.ts";
import { type ZoneCount, zoneKey } from "./zones.ts";

/** No heartbeat for this long: the node is Unknown (1.34 to 1.37: 50 s since 1.32). */
export const nodeMonitorGraceMs = 50_000;
/**
 * How long pods bound to a node that no longer exists are left alone: podgc looks every 20 s, leaves them for 40 s from when
 * it first saw them, and takes them at the look after that. Between 40 and 80 s; 57 s was seen.
 */
export const orphanQuarantineMs = 60_000;

/** How a lost node's pods come to be evicted: every so many ms one node of its zone; null: not now; `all-lost`: nobody is believed. */
export type EvictionPace = { readonly zone: string; readonly everyMs: number | null } | "all-lost";

const usualPaceMs = 10_000;
const sickZonePaceMs = 100_000;
const largeZone = 50;
const sickShare = 0.55;

/**
 * Whether and how fast the node controller taints lost nodes NoExecute: one node of a zone in 10 s. Where 55 % of a zone, and at
 * least 3 nodes, are gone, none in a zone of 50 nodes or fewer, else one in 100 s. A zone without a ready node goes at the
 * usual pace as long as another zone has one; when no node is ready at all, the taints are even taken back.
 * The controller looks every 5 s: nodes lost in one moment are told apart there by chance, and here counted together.
 * Mirrors: pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption, ComputeZoneState, ReducedQPSFunc, 1.36.
 */
export function evictionPace(zones: ReadonlyMap<string, ZoneCount>, of: NodeView): EvictionPace {
  const zone = zoneKey(of.node);
  const { ready, lost } = zones.get(zone) ?? { ready: 0, lost: 0 };
  if (![...zones.values()].some((count) => count.ready > 0)) return "all-lost";
  const isSick = ready > 0 && lost > 2 && lost / (ready + lost) >= sickShare;
  if (!isSick) return { zone, everyMs: usualPaceMs };
  return { zone, everyMs: ready + lost > largeZone ? sickZonePaceMs : null };
}

const unschedulableKey = "node.kubernetes.io/unschedulable";
const notReadyKey = "node.kubernetes.io/not-ready";
const unreachableKey = "node.kubernetes.io/unreachable";
const outOfServiceKey = "node.kubernetes.io/out-of-service";

/** Condition type → taint while it is True. */
const pressureTaints: ReadonlyMap<string, string> = new Map([
  ["MemoryPressure", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure", "node.kubernetes.io/pid-pressure"],
]);

const managedKeys: ReadonlySet<string> = new Set([
  unschedulableKey,
  notReadyKey,
  unreachableKey,
  ...pressureTaints.values(),
]);

/**
 * The taints a node carries once the node controllers have caught up: other people's as they are, then the controllers'
 * own, made afresh. A node that was ready when it was read and is not now has gone silent: unreachable, not not-ready.
 * Mirrors: pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass and doNoExecuteTaintingPass, 1.36.
 */
export function taintsFor(node: Node, ready: boolean, unschedulable: boolean): readonly Taint[] {
  const taints = node.taints.filter((taint) => !isManaged(taint));
  for (const { type, status } of node.conditions) {
    const key = pressureTaints.get(type);
    if (key !== undefined && status === "True") taints.push(taint(key, "NoSchedule"));
  }
  if (unschedulable) taints.push(taint(unschedulableKey, "NoSchedule"));
  if (!ready) {
    const key = saysNotReady(node) ? notReadyKey : unreachableKey;
    taints.push(taint(key, "NoSchedule"), taint(key, "NoExecute"));
  }
  return taints;
}

/** PreferNoSchedule taints with these keys are somebody else's. */
function isManaged({ key, effect }: Taint): boolean {
  if (!managedKeys.has(key)) return false;
  return effect === "NoSchedule" || (effect === "NoExecute" && (key === notReadyKey || key === unreachableKey));
}

function saysNotReady(node: Node): boolean {
  return !node.ready && node.conditions.some(({ type, status }) => type === "Ready" && status === "False");
}

function taint(key: string, effect: TaintEffect): Taint {
  return { key, value: "", effect };
}

/**
 * How long a pod with these tolerations stays on a node with these taints: 0 not at all, null for ever. Every NoExecute
 * taint must be tolerated; of the first toleration that fits each taint, the shortest time counts.
 * Mirrors: pkg/controller/tainteviction/taint_eviction.go processPodOnNode, getMinTolerationTime, 1.36.
 */
export function noExecuteDelayMs(tolerations: readonly Toleration[], taints: readonly Taint[]): number | null {
  let delayMs: number | null = null;
  for (const taint of taints) {
    if (taint.effect !== "NoExecute") continue;
    const fitting = tolerations.find((toleration) => tolerates(toleration, taint));
    if (fitting === undefined) return 0;
    if (fitting.tolerationMs === null) continue;
    delayMs = Math.min(delayMs ?? Number.POSITIVE_INFINITY, Math.max(0, fitting.tolerationMs));
  }
  return delayMs;
}

/**
 * Whom the taint manager takes now, budgets not asked, and when to look again. `sinceMs`: since when a pod and the node's present
 * NoExecute taints are together there; null: it is not taken.
 */
export function noExecuteDeletions(
  view: ClusterView,
  node: NodeView,
  sinceMs: (pod: PodView) => SimMs | null,
): { readonly due: readonly PodView[]; readonly nextAtMs: SimMs | null } {
  const due: PodView[] = [];
  let nextAtMs: SimMs | null = null;
  for (const pod of node.pods) {
    if (pod.terminatingSinceMs !== null) continue;
    const delayMs = noExecuteDelayMs(pod.template.tolerations, node.taints);
    const fromMs = delayMs === null ? null : sinceMs(pod);
    if (delayMs === null || fromMs === null) continue;
    const dueAtMs = fromMs + delayMs;
    if (dueAtMs <= view.nowMs) due.push(pod);
    else if (nextAtMs === null || dueAtMs < nextAtMs) nextAtMs = dueAtMs;
  }
  return { due, nextAtMs };
}

export function noExecuteDeletion({ key }: PodView): Effect {
  return deletion(key, "taint-manager", null, "DeletionByTaintManager");
}

/**
 * Pods the node controller marks not Ready when a node's Ready condition is lost: every Ready pod bound there.
 * Mirrors: pkg/controller/util/node/controller_utils.go MarkPodsNotReady, 1.36.
 */
export function podsToMarkNotReady(node: NodeView): readonly PodKey[] {
  return node.ready ? [] : node.pods.filter((pod) => pod.ready).map((pod) => pod.key);
}

/**
 * What pod garbage collection force-deletes now: pods bound to a node that is gone for longer than the quarantine, and
 * terminating pods on a node that is not ready and carries the out-of-service taint. `goneSinceMs`: node name → since
 * when it is gone, as PodView.node keeps the last view of a removed node.
 * Mirrors: pkg/controller/podgc/gc_controller.go gcOrphaned, gcTerminating, 1.36 (its 20 s period is not modelled).
 */
export function podGarbage(view: ClusterView, goneSinceMs: ReadonlyMap<string, SimMs>): readonly Effect[] {
  const places = [...goneSinceMs.keys(), ...view.nodes.filter(({ ready }) => !ready).map(({ name }) => name)];
  return [...new Set(places)]
    .flatMap((name) => view.podsOn(name))
    .filter((pod) => isOrphaned(view, pod, goneSinceMs) || isOutOfService(pod))
    .sort((a, b) => a.uid - b.uid)
    .map((pod) => deletion(pod.key, "podgc", 0, isTerminal(pod) ? "" : "DeletionByPodGC"));
}

function isOrphaned(view: ClusterView, pod: PodView, goneSinceMs: ReadonlyMap<string, SimMs>): boolean {
  if (pod.node === null || view.node(pod.node.name) !== undefined) return false;
  const sinceMs = goneSinceMs.get(pod.node.name);
  return sinceMs !== undefined && sinceMs + orphanQuarantineMs <= view.nowMs;
}

function isOutOfService({ node, terminatingSinceMs }: PodView): boolean {
  if (node === null || terminatingSinceMs === null || node.ready) return false;
  return node.taints.some(({ key }) => key === outOfServiceKey);
}

function deletion(pod: PodKey, by: string, graceMs: number | null, reason: string): Effect {
  return { do: "deletePod", pod, by, graceMs, foreground: false, reason };
}
