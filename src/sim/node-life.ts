import type { SimMs } from "../base/units.ts";
import type { PodKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Taint } from "../model/pod-template.ts";
import type { NodeView, PodView } from "../model/view.ts";
import type { DaemonSet } from "../model/workload.ts";
import { judgeNode } from "../workload/daemon-nodes.ts";
import {
  evictionPace,
  nodeMonitorGraceMs,
  noExecuteDelayMs,
  noExecuteDeletion,
  noExecuteDeletions,
  orphanQuarantineMs,
  podGarbage,
  taintsFor,
} from "../workload/node-controllers.ts";
import { isTerminal } from "../workload/pod-state.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Alarm, World } from "./world.ts";

/** What becomes of pods by what becomes of their node. */
interface PodsOnNodes {
  starts(pod: PodView): void;
  stopsStarting(pod: PodView): void;
  ends(pod: PodView): void;
  /** A leader is lost with its node. */
  losesLead(pod: PodView): void;
  /** Something looks then already. */
  isExpected(atMs: SimMs, kind: Alarm["kind"]): boolean;
}

/**
 * Nodes that go down, come back, come and go, and what the node controllers make of it: taints a moment after what they mirror,
 * lost nodes evicted from in their turn, pods expelled and collected.
 */
export class NodeLife {
  readonly #world: Pick<World, "tell" | "setAlarm" | "perform" | "missing">;
  readonly #ledger: Ledger;
  readonly #journal: Journal;
  readonly #pods: PodsOnNodes;
  /** How often a node went down or came back. */
  readonly #epochs = new Map<string, number>();
  readonly #down = new Map<string, SimMs>();
  /** Nodes with NoExecute taints → since when they have the present ones. */
  readonly #taintedSince = new Map<string, SimMs>();
  /** Pods that were bound to such a node → when. */
  readonly #boundAtMs = new Map<number, SimMs>();
  /** Owner and node → how many such pods the taints took again. */
  readonly #takenAgain = new Map<string, number>();
  /** The generation of such a node in which nobody on it minds. */
  readonly #staying = new WeakMap<NodeView, number>();
  readonly #removed = new Map<string, SimMs>();
  /** Zone → when the node controller last began to evict from a lost node of it. */
  readonly #lastEvicting = new Map<string, SimMs>();

  constructor(world: World, pods: PodsOnNodes) {
    this.#world = world;
    this.#ledger = world.ledger;
    this.#journal = world.journal;
    this.#pods = pods;
  }

  /** As it was read. */
  begin({ name, node, taints }: NodeView): void {
    if (!node.ready) this.#journal.mapSet(this.#down, name, 0);
    if (expels(taints)) this.#journal.mapSet(this.#taintedSince, name, 0);
  }

  /** A pod has come to its node. */
  bound({ uid, node }: PodView): void {
    if (node !== null && this.#taintedSince.has(node.name))
      this.#journal.mapSet(this.#boundAtMs, uid, this.#ledger.nowMs);
  }

  /** Its node's taints will take it then; null: they will not. */
  takenAtMs(pod: PodView): SimMs | null {
    const sinceMs = pod.node === null ? undefined : this.#taintedSince.get(pod.node.name);
    if (pod.node === null || sinceMs === undefined) return null;
    const delayMs = noExecuteDelayMs(pod.template.tolerations, pod.node.taints);
    return delayMs === null ? null : this.#togetherSinceMs(pod, sinceMs) + delayMs;
  }

  /** Pods come to where taints take them again, for ever. */
  get isGoingRound(): boolean {
    return this.#takenAgain.size > 0 && [...this.#takenAgain.values()].some((times) => times >= takenAgainMax);
  }

  isDown(name: string): boolean {
    return this.#down.has(name);
  }

  /** The machine stops: whatever runs on it stops at once. */
  down(name: string, because: string): void {
    const node = this.#ledger.node(name);
    if (node === undefined || this.#down.has(name)) return;
    this.#journal.mapSet(this.#down, name, this.#ledger.nowMs);
    this.#world.tell({ type: "node-down", node: name, because });
    for (const pod of [...node.pods]) {
      this.#pods.stopsStarting(pod);
      if (!pod.ready) continue;
      if (pod.terminatingSinceMs === null) this.#pods.losesLead(pod);
      this.#ledger.setReady(pod.key, false);
      this.#world.tell({ type: "pod-unready", pod: pod.key, node: name });
    }
    const epoch = this.#bumpEpoch(name);
    this.#world.setAlarm(this.#ledger.nowMs + nodeMonitorGraceMs, { kind: "node-lost", node: name, epoch });
  }

  up(name: string): void {
    const node = this.#ledger.node(name);
    if (node === undefined || !this.#down.has(name)) return;
    this.#journal.mapDelete(this.#down, name);
    this.#bumpEpoch(name);
    this.#ledger.setNodeReady(name, true);
    this.lookAtLost();
    this.#world.tell({ type: "node-up", node: name });
    for (const pod of [...node.pods]) {
      // What was deleted while the machine was off is gone once the kubelet is back; the rest starts again.
      if (pod.terminatingSinceMs !== null) this.#pods.ends(pod);
      else if (!isTerminal(pod)) this.#pods.starts(pod);
    }
  }

  remove(name: string, by: string): void {
    if (this.#ledger.node(name) === undefined) return;
    // Their status is what it was last: budgets still count them as healthy until they are collected. Endpoints do not.
    for (const pod of this.#ledger.node(name)?.pods ?? []) this.#pods.stopsStarting(pod);
    this.#ledger.removeNode(name);
    this.#world.tell({ type: "node-removed", node: name, by });
    this.#journal.mapSet(this.#removed, name, this.#ledger.nowMs);
    this.#world.setAlarm(this.#ledger.nowMs + orphanQuarantineMs, { kind: "collect" });
    this.lookAtLost();
    this.#dirtyDaemonSets();
  }

  add(node: Node, by: string): void {
    this.#ledger.addNode(node);
    this.lookAtLost();
    this.#world.tell({ type: "node-added", node: node.name, by });
    this.#dirtyDaemonSets();
  }

  /** Nobody has heard from it for so long that it counts as lost; unless it came back in between. */
  lose(name: string, epoch: number): void {
    if (this.#epochs.get(name) !== epoch || !this.#down.has(name)) return;
    // Those that went in one moment are missed at one look: how many of a zone are gone decides what becomes of each.
    for (const [other, sinceMs] of this.#down)
      if (sinceMs + nodeMonitorGraceMs <= this.#ledger.nowMs && this.#ledger.node(other)?.ready === true)
        this.#ledger.setNodeReady(other, false);
    this.lookAtLost();
  }

  /** Pod garbage collection looks. */
  collect(): void {
    for (const effect of podGarbage(this.#ledger, this.#removed)) this.#world.perform(effect);
  }

  /** What one lost node is due depends on all of them. */
  lookAtLost(): void {
    if (this.#ledger.lostNodes === 0) return;
    for (const { name, ready } of this.#ledger.nodes) if (!ready) this.#ledger.dirtyNodes.add(name);
  }

  /** One thing the node controllers do without time passing; true when they did. */
  settle(): boolean {
    return this.#syncNodes() || this.#expelOne() || this.#releaseOne();
  }

  /** The node controllers catch up: taints a moment after the fields they mirror. */
  #syncNodes(): boolean {
    for (const name of this.#ledger.dirtyNodes) {
      this.#ledger.dirtyNodes.delete(name);
      this.#journal.note(() => this.#ledger.dirtyNodes.add(name));
      const view = this.#ledger.node(name);
      if (view === undefined) continue;
      const wanted = this.#paced(view, taintsFor(view.node, view.ready, view.unschedulable));
      if (sameTaints(wanted, view.taints)) continue;
      const { node, taints } = view;
      this.#ledger.setTaints(view.name, wanted);
      if (expels(wanted)) this.#journal.mapSet(this.#taintedSince, view.name, this.#ledger.nowMs);
      else this.#journal.mapDelete(this.#taintedSince, view.name);
      this.#dirtyDaemonSets(({ template }) => judgeNode({ node, taints }, template) !== judgeNode(view, template));
      return true;
    }
    return false;
  }

  /** A lost node's pods are evicted in its turn, and not at all while too many nodes are lost. */
  #paced(view: NodeView, wanted: readonly Taint[]): readonly Taint[] {
    if (view.ready || !wanted.some(isForLost)) return wanted;
    const pace = evictionPace(this.#ledger.zones, view);
    if (pace === "all-lost") return wanted.filter((taint) => !isForLost(taint));
    if (view.taints.some(isForLost)) return wanted;
    if (pace.everyMs !== null) {
      const lastMs = this.#lastEvicting.get(pace.zone);
      const nextMs = lastMs === undefined ? this.#ledger.nowMs : lastMs + pace.everyMs;
      if (nextMs <= this.#ledger.nowMs) {
        this.#journal.mapSet(this.#lastEvicting, pace.zone, this.#ledger.nowMs);
        return wanted;
      }
      if (!this.#pods.isExpected(nextMs, "lost-nodes")) this.#world.setAlarm(nextMs, { kind: "lost-nodes" });
    }
    return wanted.filter((taint) => !isForLost(taint));
  }

  /** NoExecute taints: pods that do not tolerate them any longer are deleted, budgets not asked. */
  #expelOne(): boolean {
    for (const [name, sinceMs] of this.#taintedSince) {
      const node = this.#ledger.node(name);
      if (node === undefined) continue;
      if (this.#staying.get(node) === node.generation) continue;
      const { due, nextAtMs } = noExecuteDeletions(this.#ledger, node, (pod) =>
        this.#isLeft(pod, sinceMs) ? null : this.#togetherSinceMs(pod, sinceMs),
      );
      if (nextAtMs !== null && !this.#pods.isExpected(nextAtMs, "expel")) {
        this.#world.setAlarm(nextAtMs, { kind: "expel" });
      }
      if (due.length === 0) {
        if (nextAtMs === null) this.#staying.set(node, node.generation);
        continue;
      }
      for (const pod of due) this.#expel(pod, sinceMs);
      return true;
    }
    return false;
  }

  #expel(pod: PodView, taintedSinceMs: SimMs): void {
    if (this.#cameAfter(pod, taintedSinceMs)) {
      const round = roundOf(pod);
      const times = (this.#takenAgain.get(round) ?? 0) + 1;
      this.#journal.mapSet(this.#takenAgain, round, times);
      if (times === takenAgainMax) {
        const ref = pod.owner === null ? undefined : this.#ledger.workload(pod.owner)?.spec.ref;
        const whose = ref === undefined ? pod.key : `${ref.kind} ${ref.namespace}/${ref.name}`;
        this.#world.missing(
          `pods of ${whose} that the taints of node ${pod.node?.name} take again and again`,
          `what comes of it after ${times} times; let them tolerate the taints for good, or keep them off the node`,
        );
      }
    }
    this.#world.perform(noExecuteDeletion(pod));
  }

  /** Of those that go round the last ones stay, as if they were never taken. */
  #isLeft(pod: PodView, taintedSinceMs: SimMs): boolean {
    return this.#cameAfter(pod, taintedSinceMs) && (this.#takenAgain.get(roundOf(pod)) ?? 0) >= takenAgainMax;
  }

  /**
   * The time that a pod tolerates begins when it is bound, or when the taint comes.
   * Mirrors: pkg/controller/tainteviction/taint_eviction.go processPodOnNode, 1.36.3.
   */
  #togetherSinceMs({ uid }: PodView, taintedSinceMs: SimMs): SimMs {
    return Math.max(this.#boundAtMs.get(uid) ?? 0, taintedSinceMs);
  }

  /** It came to a node that had these taints already. */
  #cameAfter({ uid }: PodView, taintedSinceMs: SimMs): boolean {
    const boundAtMs = this.#boundAtMs.get(uid);
    return boundAtMs !== undefined && boundAtMs >= taintedSinceMs;
  }

  /** The out-of-service taint: pod garbage collection removes what ends on a node that is not ready. */
  #releaseOne(): boolean {
    // A node that is not ready is one that went down.
    const isOut = (name: string): boolean => {
      const node = this.#ledger.node(name);
      return node !== undefined && isOutOfService(node);
    };
    if (this.#down.size === 0 || ![...this.#down.keys()].some(isOut)) return false;
    const effect = podGarbage(this.#ledger, this.#removed).find((e) => e.do === "deletePod" && this.#mayGo(e.pod));
    if (effect === undefined) return false;
    this.#world.perform(effect);
    return true;
  }

  /** A finalizer that holds what is over already: deleting once more changes nothing. */
  #mayGo(key: PodKey): boolean {
    const pod = this.#ledger.pod(key);
    return pod !== undefined && !((pod.heldByFinalizer || pod.keptByFinalizer !== "") && isTerminal(pod));
  }

  #bumpEpoch(node: string): number {
    const epoch = (this.#epochs.get(node) ?? 0) + 1;
    this.#journal.mapSet(this.#epochs, node, epoch);
    return epoch;
  }

  #dirtyDaemonSets(isAbout: (daemonSet: DaemonSet) => boolean = () => true): void {
    for (const { key, spec } of this.#ledger.daemonSets) {
      if (spec.kind === "DaemonSet" && isAbout(spec)) this.#ledger.dirtyWorkloads.add(key);
    }
  }
}

/** So often an owner's pods are taken again from a node whose taints were there before them. */
const takenAgainMax = 10;

function roundOf({ owner, key, node }: PodView): string {
  return `${owner ?? key} ${node?.name}`;
}

function isOutOfService({ node, ready }: NodeView): boolean {
  return !ready && node.taints.some(({ key }) => key === "node.kubernetes.io/out-of-service");
}

function expels(taints: readonly Taint[]): boolean {
  return taints.some(({ effect }) => effect === "NoExecute");
}

/** The node controller's own, by which pods of a lost node are evicted. */
function isForLost({ key, effect }: Taint): boolean {
  return effect === "NoExecute" && (key === "node.kubernetes.io/not-ready" || key === "node.kubernetes.io/unreachable");
}

function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  return a.length === b.length && a.every((taint) => b.some((other) => isSame(taint, other)));
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.value === b.value && a.effect === b.effect;
}
