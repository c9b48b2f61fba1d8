import { invariant, unreachable } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import { budgetSync } from "../eviction/budget-status.ts";
import type { Cluster } from "../model/cluster.ts";
import type { ObjectKey, PodKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { ClusterView, Effect, NodeView, PodView } from "../model/view.ts";
import { hasRoom } from "../scheduler/has-room.ts";
import type { SchedulingResult } from "../scheduler/result.ts";
import { notModelledIn } from "../scheduler/result.ts";
import { anyStart, schedule } from "../scheduler/schedule.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { collectGarbage } from "../workload/garbage-collector.ts";
import { electionOf, handOverMs, leaderOf, leaseMs, nextLeader } from "../workload/leader-election.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { controllersOf } from "../workload/registry.ts";
import { podStopMs } from "../workload/termination.ts";
import { Agenda, type Appointment } from "./agenda.ts";
import { restlessOf } from "./at-rest.ts";
import { Disks } from "./disks.ts";
import { canEnable, canEnableLater } from "./enabling.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";
import { type Effort, Monitor } from "./monitor.ts";
import { NodeLife } from "./node-life.ts";
import {
  askFor,
  beforeFirstStep,
  isOver,
  onTimer,
  type PlannedStep,
  type ProgramState,
  progress,
  rearm,
  refusedNow,
  stall,
  stillAhead,
  takeNode,
} from "./program.ts";
import type { EvictionOrders } from "./rivals.ts";
import type { Span } from "./scenario.ts";
import { atEnd, isRange, stopMostMs, type Timing } from "./timing.ts";
import type { DrainRecord, Fact, TimelineEntry } from "./trace.ts";
import type { Alarm, Choice, Gap, World } from "./world.ts";

/** How a single course is played: as the scheduler would, evictions by name. */
export const oneCourse = { timed: true, startUps: "that-matter", placement: "top", evictions: "by-name" } as const;

export interface SimulationOptions {
  /** False: every start-up takes any finite time, and the search decides. */
  readonly timed: boolean;
  /** Which start-ups are told apart by when they end. all: for a twin that takes nothing on trust. */
  readonly startUps: "that-matter" | "all";
  /** top: nodes the scheduler could really pick. feasible: any node that fits. */
  readonly placement: "top" | "feasible" | Scarce;
  /** Which orders of evictions asked for at one moment are told apart. */
  readonly evictions: EvictionOrders;
  /** Who places pods: the scheduler, or one that gives the same answers. */
  readonly scheduling?: Scheduling;
  readonly timing: Timing;
  /** Which end of a range of times is taken. each: of a start either, as is chosen for each; of other times the longest. */
  readonly span: "least" | "most" | "each";
  readonly horizonMs: SimMs;
}

/** Any node that fits, or none of them: pods that are not played may have taken the room. */
export interface Scarce {
  /** Whether so many places may all be taken. */
  mayLack(pod: PodView, places: number): boolean;
}

export type Scheduling = (view: ClusterView, pod: PodView) => SchedulingResult;

export type Stop =
  | { readonly kind: "choice"; readonly choice: Choice }
  /** `horizon`: time ran out before everything came to rest. */
  | { readonly kind: "end"; readonly horizon: boolean };

export interface TakenChoice {
  readonly choice: Choice;
  readonly taken: string;
  /** The node that an evicted pod leaves; "" for other choices. */
  readonly from: string;
}

interface QueuedAlarm extends Appointment {
  readonly alarm: Alarm;
}

interface OpenChoice {
  readonly choice: Choice;
  /** What taking an option does beside its own act. */
  readonly effects: (node: string) => readonly Effect[];
}

/** Two looks by a controller that changed nothing: it will not by itself. */
const idleWakesMax = 2;
/** Actions without time passing: more is controllers of ours that argue with each other. */
const actionsAtOnceMax = 100_000;

/**
 * A cluster played forward: discrete events over a ledger. Between any two events the cluster settles: controllers,
 * budgets, scheduler, node controllers, then the next action of the maintenance. Runs until someone has to choose or
 * nothing more can happen; `mark` and `undoTo` fork it.
 */
export class Simulation implements World {
  readonly journal = new Journal();
  readonly ledger: Ledger;
  readonly timing: Timing;
  readonly timed: boolean;
  readonly evictions: EvictionOrders;
  readonly monitor: Monitor;
  readonly timeline: TimelineEntry[] = [];
  readonly drains: DrainRecord[] = [];
  /** Texts of what was met on the way and is not modelled, each once. */
  readonly notModelled = new Map<string, Gap>();
  readonly choicesTaken: TakenChoice[] = [];
  steps: readonly PlannedStep[];
  readonly #options: SimulationOptions;
  #program: ProgramState = beforeFirstStep;
  readonly #alarms = new Agenda<QueuedAlarm>(this.journal);
  /** Start-ups under way: pod → when it turns Ready. */
  readonly #starts = new Map<number, SimMs>();
  /** The same in their turn, each numbered like its pod. */
  readonly #startsInTurn = new Agenda(this.journal);
  /** Start-ups of which it is still to be chosen how long they take. */
  readonly #openStarts = new Map<number, Span>();
  /** Pods tried for a place, and the ledger's roomChanges then. */
  readonly #tried = new Map<number, number>();
  readonly disks: Disks;
  readonly #nodes: NodeLife;
  readonly #idleWakes = new Map<ObjectKey, number>();
  readonly #counters: Counters = { seq: 0, triedAtRoom: -1, idleAtChanges: -1, rearmedAtChanges: -1 };
  #pending: OpenChoice | null = null;
  /** Drains on record when the horizon cut the program short; null: it did not. */
  #cutAt: number | null = null;
  /** The last choice was how long a start takes: nothing is to be seen of it, and when it is asked for tells nothing. */
  #startChosen = false;
  #ended = false;

  constructor(
    cluster: Cluster,
    steps: readonly PlannedStep[],
    watched: {
      readonly endpoints: readonly Endpoint[];
      readonly supporting: readonly Hop[];
      readonly services?: boolean;
    },
    options: SimulationOptions,
  ) {
    this.#options = options;
    this.timing = options.span === "each" ? options.timing : atEnd(options.timing, options.span);
    this.timed = options.timed;
    this.evictions = options.evictions;
    this.steps = steps;
    this.ledger = new Ledger(cluster, this.journal);
    this.#nodes = new NodeLife(this, {
      starts: (pod) => this.#start(pod),
      stopsStarting: (pod) => this.#stopStart(pod.uid),
      ends: (pod) => this.#scheduleGone(pod, 0),
      losesLead: (pod) => this.#followLeader(pod, leaseMs),
      isExpected: (atMs, kind) => this.alarms.some((other) => other.alarm.kind === kind && other.atMs === atMs),
    });
    this.disks = new Disks(
      this.ledger,
      this.journal,
      (node) => this.isDown(node) || this.ledger.node(node) === undefined,
    );
    const restless = restlessOf(cluster);
    for (const { key, status } of restless.budgets) {
      if (status === null) this.ledger.dirtyBudgets.add(key);
      else this.ledger.setBudgetStatus(key, status);
    }
    for (const key of restless.workloads) this.ledger.dirtyWorkloads.add(key);
    for (const node of this.ledger.nodes) {
      this.ledger.dirtyNodes.add(node.name);
      this.#nodes.begin(node);
    }
    for (const pod of this.ledger.unready) this.#startPod(pod);
    this.monitor = new Monitor(this.ledger, this.journal, watched, {
      timed: options.timed,
      effort: () => this.#effort(),
    });
  }

  get program(): ProgramState {
    return this.#program;
  }

  /** Drains whose end is known: those under way at the horizon are on record, but wait only as far as was played. */
  get drainsEnded(): readonly DrainRecord[] {
    return this.#cutAt === null ? this.drains : this.drains.slice(0, this.#cutAt);
  }

  /** The horizon came while the program still had something to wait for. */
  get isCut(): boolean {
    return this.#cutAt !== null;
  }

  /** What would come after the horizon is not known. False: nothing comes, the program goes on. */
  protected get endsAtHorizon(): boolean {
    return true;
  }

  get alarms(): readonly QueuedAlarm[] {
    return this.#alarms.inTurn;
  }

  get starts(): ReadonlyMap<number, SimMs> {
    return this.#starts;
  }

  /** How long its start takes is still to be chosen. */
  isStartOpen(uid: number): boolean {
    return this.#openStarts.has(uid);
  }

  isDown(node: string): boolean {
    return this.#nodes.isDown(node);
  }

  /** When the taints of its node take it; null: they do not. */
  takenAtMs(pod: PodView): SimMs | null {
    return this.#nodes.takenAtMs(pod);
  }

  /** Pods come to where taints take them again, for ever: that is played a few times. */
  get isGoingRound(): boolean {
    return this.#nodes.isGoingRound;
  }

  /** Everything that happens without time passing, before the first step; where something is chosen, the first option. */
  settle(): void {
    invariant(this.steps.length === 0, "nothing has begun");
    this.monitor.look(this.ledger, (fact) => this.tell(fact));
    while (this.#pending !== null || this.#settle()) if (this.#pending !== null) this.choose(0);
  }

  /** Gives a simulation without steps its steps. Undone like any change. */
  begin(steps: readonly PlannedStep[]): void {
    invariant(this.steps.length === 0, "nothing has begun");
    this.journal.set<Simulation, "steps">(this, "steps", steps);
  }

  /** Back to a mark at which everything had settled: nothing is left to be looked at. */
  returnTo(mark: number): void {
    this.journal.undoTo(mark);
    this.ledger.forgetDirty();
  }

  /** Whether a waiting pod was looked at since anything changed that could give it a place. */
  isTried(pod: PodView): boolean {
    return this.#tried.get(pod.uid) === this.ledger.roomChanges;
  }

  /** Plays to the end, the first option taken wherever there is a choice; how many there were, and whether the horizon ended it. */
  runFirst(): { readonly choices: number; readonly horizon: boolean } {
    let choices = 0;
    let stop = this.run();
    for (; stop.kind === "choice"; stop = this.run()) {
      choices += 1;
      this.choose(0);
    }
    return { choices, horizon: stop.horizon };
  }

  /** Plays until a choice is open or the end. */
  run(): Stop {
    if (!this.#startChosen) this.monitor.look(this.ledger, (fact) => this.tell(fact));
    this.#startChosen = false;
    let actions = 0;
    for (let atMs = this.ledger.nowMs; ; actions += 1) {
      if (this.ledger.nowMs !== atMs) {
        atMs = this.ledger.nowMs;
        actions = 0;
      }
      invariant(actions < actionsAtOnceMax, "the cluster settles");
      if (this.#pending !== null) return { kind: "choice", choice: this.#pending.choice };
      if (this.#ended) {
        return { kind: "end", horizon: this.#cutAt !== null || this.ledger.nowMs >= this.#options.horizonMs };
      }
      if (this.#settle()) continue;
      this.monitor.look(this.ledger, (fact) => this.tell(fact));
      if (this.#advance()) continue;
      if (!isOver(this.#program, this.steps)) {
        if (this.endsAtHorizon && this.#hasMore()) {
          this.#cut();
          continue;
        }
        this.#setProgram(stall(this, this.#program, this.steps));
        this.#noteStalls();
        continue;
      }
      this.monitor.finish(this.ledger);
      this.#end();
    }
  }

  /** Takes an option of the open choice, by index. */
  choose(option: number): void {
    const pending = this.#pending;
    invariant(pending !== null, "a choice is open");
    this.#setPending(null);
    const { choice } = pending;
    const taken = takenOf(choice, option);
    const leaves = choice.kind === "next-eviction" || choice.kind === "start";
    const from = leaves ? (this.ledger.pod(taken)?.node?.name ?? "") : "";
    if (!isAsEver(choice, option)) this.journal.push(this.choicesTaken, { choice, taken, from });
    switch (choice.kind) {
      case "place":
        if (taken === "") this.#foundNone(choice.pod, "others may have taken the room");
        else this.#bind(choice.pod, taken, pending.effects(taken));
        return;
      case "preempt":
        for (const effect of pending.effects(taken)) this.perform(effect);
        this.#nominate(choice.pod, taken);
        return;
      case "next-node":
        this.#setProgram(takeNode(this, this.#program, this.steps, taken));
        return;
      case "next-eviction":
        this.#setProgram(askFor(this, this.#program, this.steps, taken));
        return;
      case "start":
        this.#startChosen = true;
        this.#startWithin(choice.pod, option === 0 ? choice.mostMs : choice.leastMs);
        return;
      case "start-up":
        if (taken === "") {
          if (!this.#nextAlarm()) this.#end();
        } else this.#becomeReady(taken);
        return;
      default:
        unreachable(choice);
    }
  }

  // World: what steps may do.

  tell(fact: Fact): void {
    this.journal.push(this.timeline, { atMs: this.ledger.nowMs, fact });
  }

  record(drain: DrainRecord): void {
    this.journal.push(this.drains, drain);
  }

  setAlarm(atMs: SimMs, alarm: Alarm): void {
    const seq = this.#counters.seq + 1;
    this.journal.set(this.#counters, "seq", seq);
    this.#alarms.add({ atMs, seq, alarm });
  }

  cordon(name: string, by: string): void {
    const node = this.ledger.node(name);
    if (node === undefined || node.unschedulable) return;
    this.ledger.setUnschedulable(name, true);
    this.tell({ type: "node-cordoned", node: name, by });
  }

  uncordon(name: string, by: string): void {
    const node = this.ledger.node(name);
    if (node === undefined || !node.unschedulable) return;
    this.ledger.setUnschedulable(name, false);
    this.tell({ type: "node-uncordoned", node: name, by });
  }

  deletePod(key: PodKey, by: string, graceMs: number | null): void {
    this.#delete(key, { by, graceMs, foreground: false });
  }

  failPod(key: PodKey, uid: number): void {
    const pod = this.ledger.pod(key);
    if (pod === undefined || pod.uid !== uid || isTerminal(pod) || pod.terminatingSinceMs !== null) return;
    this.#stopStart(uid);
    this.ledger.setReady(key, false);
    this.ledger.setPhase(key, "Failed");
    this.#startAfter(pod);
  }

  missing(what: string, message: string): void {
    this.#missing(what, message);
  }

  perform(effect: Effect): void {
    switch (effect.do) {
      case "createPod": {
        const owner = this.ledger.workload(effect.owner);
        const namespace = owner?.spec.ref.namespace ?? effect.template.namespace;
        const pod = this.ledger.createPod({ ...effect, namespace });
        const { labels } = effect.template;
        this.tell({ type: "pod-created", pod: pod.key, owner: effect.owner, labels });
        return;
      }
      case "deletePod":
        this.#delete(effect.pod, effect);
        return;
      case "setReplicas": {
        const spec = this.ledger.workload(effect.workload)?.spec;
        if (spec === undefined || !("replicas" in spec) || spec.replicas === effect.replicas) return;
        if (effect.by !== "deployment-controller") {
          this.tell({
            type: "scaled",
            ref: effect.workload,
            from: spec.replicas,
            to: effect.replicas,
            by: effect.reason === "" ? effect.by : `${effect.by}: ${effect.reason}`,
          });
        }
        this.ledger.setSpec(effect.workload, { ...spec, replicas: effect.replicas });
        return;
      }
      case "createWorkload":
        this.ledger.createWorkload(effect.spec);
        return;
      case "deleteWorkload":
        this.ledger.markWorkloadDeleting(effect.workload, effect.propagation === "foreground");
        if (effect.propagation !== "foreground") this.ledger.removeWorkload(effect.workload);
        return;
      case "setSpec":
        this.ledger.setSpec(effect.workload, effect.spec);
        return;
      case "releaseFinalizer":
        this.ledger.releaseFinalizer(effect.pod);
        if (this.ledger.pod(effect.pod)?.phase === "Failed") this.ledger.removePod(effect.pod);
        return;
      case "remember":
        this.ledger.remember(effect.workload, effect.memory);
        return;
      case "wake":
        this.#wake(effect.workload, effect.atMs);
        return;
      case "report":
        this.#report(effect);
        return;
      case "allocateClaim":
        this.ledger.allocateClaim(effect.claim, effect.allocation, effect.pod);
        return;
      case "deallocateClaim":
        this.ledger.deallocateClaim(effect.claim);
        return;
      case "bindVolumeClaim":
        this.ledger.bindVolumeClaim(effect.claim, effect.volume, effect.node);
        return;
      default:
        unreachable(effect);
    }
  }

  nodeDown(name: string, because: string): void {
    this.#nodes.down(name, because);
  }

  nodeUp(name: string): void {
    this.#nodes.up(name);
  }

  removeNode(name: string, by: string): void {
    this.#nodes.remove(name, by);
  }

  addNode(node: Node, by: string): void {
    this.#nodes.add(node, by);
  }

  // Settling.

  /** One thing that happens without time passing; true when something did or a choice opened. */
  #settle(): boolean {
    return (
      this.#chooseStart() ||
      this.#collectGarbage() ||
      this.#reconcile({ groups: !this.#evicting() }) ||
      this.#recountBudgets() ||
      this.#placeOne() ||
      this.#nodes.settle() ||
      this.#stepProgram() ||
      this.#reconcile({ groups: true }) ||
      this.#rearm()
    );
  }

  #collectGarbage(): boolean {
    if (this.ledger.suspects.size === 0) return false;
    const suspects = [...this.ledger.suspects];
    this.ledger.suspects.clear();
    for (const effect of collectGarbage(this.ledger, suspects)) this.perform(effect);
    return true;
  }

  /** Evictions of one moment are on their way together: a group's controller hears of the first after the last is asked. */
  #evicting(): boolean {
    return this.#program.running?.kind === "maintenance" || this.steps[this.#program.at]?.do === "evict";
  }

  /**
   * One workload after the other, as they became dirty, until something that comes first is due. In one walk: each look for the
   * first of a set passes all that were taken out before it.
   */
  #reconcile({ groups }: { readonly groups: boolean }): boolean {
    const { dirtyWorkloads, suspects } = this.ledger;
    let left = dirtyWorkloads.size;
    let did = false;
    for (const key of dirtyWorkloads) {
      const isLast = left === 0 || (did && (this.#pending !== null || suspects.size > 0 || this.#openStarts.size > 0));
      if (isLast) break;
      left -= 1;
      const workload = this.ledger.workload(key);
      const isGroup = workload?.spec.kind === "LeaderWorkerSet";
      if (isGroup && !groups) continue;
      did = true;
      dirtyWorkloads.delete(key);
      if (workload === undefined) continue;
      // A choice may open while a group waits to be looked at; all else is looked at before one does.
      if (isGroup) this.journal.note(() => dirtyWorkloads.add(key));
      for (const controller of controllersOf(workload.spec.kind)) {
        for (const effect of controller.reconcile(this.ledger, workload)) this.perform(effect);
      }
    }
    return did;
  }

  #recountBudgets(): boolean {
    const key = first(this.ledger.dirtyBudgets);
    if (key === undefined) return false;
    this.ledger.dirtyBudgets.delete(key);
    const view = this.ledger.budget(key);
    if (view === undefined) return true;
    const { status, disruptedPods, recheckAtMs } = budgetSync(this.ledger, view);
    if (disruptedPods.size !== view.disruptedPods.size) this.ledger.setDisruptedPods(key, disruptedPods);
    if (status !== view.status) this.ledger.setBudgetStatus(key, status);
    if (recheckAtMs !== null) this.setAlarm(recheckAtMs, { kind: "budget", budget: key });
    return true;
  }

  /** The scheduler takes one waiting pod, highest priority and then longest waiting first. */
  #placeOne(): boolean {
    if (this.#counters.triedAtRoom === this.ledger.roomChanges) return false;
    // Nothing moves until one is placed: what one pod of a template is told holds for all of them.
    const told = new Map<number, string>();
    for (const pod of this.#queue()) {
      this.journal.mapSet(this.#tried, pod.uid, this.ledger.roomChanges);
      const alike = pod.nominatedNode === "" && pod.template.resourceClaims.length === 0;
      const message = alike ? told.get(pod.template.id) : undefined;
      if (message !== undefined) this.#unschedulable(pod, message);
      else if (this.#place(pod)) return true;
      else if (alike && pod.unschedulableMessage !== "") told.set(pod.template.id, pod.unschedulableMessage);
    }
    this.journal.set(this.#counters, "triedAtRoom", this.ledger.roomChanges);
    return false;
  }

  #queue(): readonly PodView[] {
    const waiting: PodView[] = [];
    for (const pod of this.ledger.waiting) {
      if (this.#tried.get(pod.uid) === this.ledger.roomChanges) continue;
      waiting.push(pod);
    }
    return waiting.sort(
      (a, b) => b.template.priority - a.template.priority || a.createdAtMs - b.createdAtMs || a.uid - b.uid,
    );
  }

  /** True when the pod got a place, a choice opened, or room is being made. */
  #place(pod: PodView): boolean {
    const named = pod.template.nodeName === "" ? undefined : this.ledger.node(pod.template.nodeName);
    if (named !== undefined) return this.#placeNamed(pod, named);
    const { scheduling } = this.#options;
    const result = scheduling === undefined ? schedule(this.ledger, pod, anyStart) : scheduling(this.ledger, pod);
    switch (result.outcome) {
      case "bind": {
        const { placement } = this.#options;
        const nodes = placement === "top" ? result.top : result.feasible;
        const lacks = typeof placement === "object" && placement.mayLack(pod, nodes.length);
        this.#ask({ kind: "place", pod: pod.key, nodes: lacks ? [...nodes, ""] : nodes }, (node) =>
          result.effectsOn(node),
        );
        return true;
      }
      case "unschedulable": {
        this.#unschedulable(pod, result.message);
        for (const effect of result.effects) this.perform(effect);
        const nodes = result.preemption.map(({ node }) => node);
        if (nodes.length === 0) return result.effects.length > 0;
        if (result.preemption.some(({ drawn }) => drawn))
          this.#missing(
            `whom preemption for ${pod.key} displaces`,
            "pods of one priority started in one second: the one that goes may be another than the one that goes here",
          );
        this.#ask({ kind: "preempt", pod: pod.key, nodes }, (node) => {
          const victims = result.preemption.find((candidate) => candidate.node === node)?.victims ?? [];
          return victims.map((victim) => ({
            do: "deletePod",
            pod: victim,
            by: "kube-scheduler",
            graceMs: null,
            foreground: false,
            reason: "PreemptionByScheduler",
          }));
        });
        return true;
      }
      case "gated":
        this.#unschedulable(pod, result.message);
        return false;
      case "error": {
        this.#unschedulable(pod, result.message);
        const gap = notModelledIn(result);
        // The scheduler's own error is a no for now that it takes back whenever it tries again.
        this.#missing(
          gap === null ? `the end of a scheduling error of ${pod.key}` : `the place of ${pod.key}`,
          gap ?? `${result.message}; the pod waits`,
        );
        return false;
      }
      case "notOurs":
        this.#missing(`pods of scheduler ${JSON.stringify(result.schedulerName)}`, "whether and where new ones start");
        return false;
      default:
        return unreachable(result);
    }
  }

  /**
   * A pod that is made with a node's name is that node's: no scheduler is asked, and no cordon. A kubelet without room fails it, and its
   * owner makes the next one until there is: here the one waits.
   */
  #placeNamed(pod: PodView, node: NodeView): boolean {
    if (hasRoom(node, pod.template)) {
      this.#bind(pod.key, node.name, []);
      return true;
    }
    this.#unschedulable(pod, `its template names ${node.name}, which has no room for it: the kubelet refuses it`);
    return false;
  }

  #foundNone(key: PodKey, message: string): void {
    const pod = this.ledger.pod(key);
    if (pod !== undefined) this.#unschedulable(pod, message);
  }

  #unschedulable(pod: PodView, message: string): void {
    if (pod.unschedulableMessage === message) return;
    this.ledger.setUnschedulableMessage(pod.key, message);
    this.tell({ type: "pod-unschedulable", pod: pod.key, message });
  }

  #bind(key: PodKey, node: string, effects: readonly Effect[]): void {
    for (const effect of effects) this.perform(effect);
    this.ledger.bind(key, node);
    this.tell({ type: "pod-bound", pod: key, node });
    const pod = this.ledger.pod(key);
    invariant(pod !== undefined, "a bound pod exists");
    this.#nodes.bound(pod);
    if (!this.isDown(node)) this.#start(pod);
  }

  #nominate(key: PodKey, node: string): void {
    this.ledger.nominate(key, node);
  }

  #stepProgram(): boolean {
    const moved = progress(this, this.#program, this.steps);
    if (moved.did === "nothing") return false;
    if (moved.did === "ask") this.#ask(moved.choice, () => []);
    else {
      this.#setProgram(moved.state);
      this.#noteStalls();
    }
    return true;
  }

  #rearm(): boolean {
    if (this.#counters.rearmedAtChanges === this.ledger.changes) return false;
    this.journal.set(this.#counters, "rearmedAtChanges", this.ledger.changes);
    const next = rearm(this, this.#program, this.steps);
    if (next === this.#program) return false;
    this.#setProgram(next);
    return true;
  }

  // Time.

  /** Something would still happen, but for the horizon. */
  #hasMore(): boolean {
    return this.#starts.size > 0 || (this.#alarms.size > 0 && !this.#onlyIdleWakes());
  }

  #cut(): void {
    const cutAt = this.drains.length;
    this.#cutAt = cutAt;
    this.journal.note(() => {
      this.#cutAt = null;
    });
    this.#setProgram(stall(this, this.#program, this.steps));
    this.#missing(
      `what comes after ${spoken(this.#options.horizonMs)}, the horizon`,
      "whether the maintenance ends and what it does then",
    );
    this.monitor.finish(this.ledger);
    this.#end();
  }

  /** The next thing in time happens; false when nothing more will. */
  #advance(): boolean {
    if (!this.timed && this.#starts.size > 0) return this.#advanceUntimed();
    const nextStart = this.#startsInTurn.next;
    const nextAlarm = this.#alarms.next;
    if (nextStart !== undefined && (nextAlarm === undefined || nextStart.atMs <= nextAlarm.atMs)) {
      return this.#moveTo(nextStart.atMs, () => this.#ready(nextStart.seq));
    }
    return this.#nextAlarm();
  }

  #nextAlarm(): boolean {
    const { next } = this.#alarms;
    if (next === undefined || this.#onlyIdleWakes()) return false;
    return this.#moveTo(next.atMs, () => {
      this.#alarms.remove(next);
      this.#ring(next.alarm);
    });
  }

  #moveTo(atMs: SimMs, act: () => void): boolean {
    if (atMs > this.#options.horizonMs) return false;
    if (atMs > this.ledger.nowMs) this.ledger.setTime(atMs);
    act();
    return true;
  }

  /** Controllers that only look again, and have changed nothing the last times, will not. */
  #onlyIdleWakes(): boolean {
    if (this.#starts.size > 0) return false;
    if (this.#counters.idleAtChanges !== this.ledger.changes) {
      this.journal.set(this.#counters, "idleAtChanges", this.ledger.changes);
      for (const key of [...this.#idleWakes.keys()]) this.journal.mapDelete(this.#idleWakes, key);
    }
    const first = this.#alarms.next?.alarm.kind;
    if (first !== "wake" && first !== "budget") return first === undefined;
    for (const { alarm } of this.alarms) {
      if (alarm.kind === "wake") {
        if ((this.#idleWakes.get(alarm.workload) ?? 0) < idleWakesMax) return false;
      } else if (alarm.kind !== "budget" || this.#isRefused()) return false;
    }
    return true;
  }

  /** A budget that looks again may allow what it does not now. */
  #isRefused(): boolean {
    return refusedNow(this.#program, this.steps).refusedPods.size > 0;
  }

  /** Untimed: a start-up that lets something happen may end now, or not before the next thing happens. */
  #advanceUntimed(): boolean {
    const starting = [...this.#starts.keys()].flatMap((uid) => this.#podByUid(uid) ?? []);
    const waits = refusedNow(this.#program, this.steps);
    const matters = (pod: PodView): boolean => this.#options.startUps === "all" || canEnable(this.ledger, pod, waits);
    const enabling = starting.filter(matters).map((pod) => pod.key);
    if (this.#alarms.size > 0 && !this.#onlyIdleAlarms()) {
      if (enabling.length === 0) return this.#nextAlarm();
      this.#ask({ kind: "start-up", pods: enabling, orLater: true }, () => []);
      return true;
    }
    // Every start-up is finite: with nothing else to come, one of them ends.
    if (enabling.length === 0) {
      const [next] = starting;
      if (next === undefined) return this.#nextAlarm();
      this.#ready(next.uid);
    } else this.#ask({ kind: "start-up", pods: enabling, orLater: false }, () => []);
    return true;
  }

  #onlyIdleAlarms(): boolean {
    return this.alarms.every(({ alarm }) => alarm.kind === "wake" || alarm.kind === "budget");
  }

  #becomeReady(key: PodKey): void {
    const pod = this.ledger.pod(key);
    if (pod !== undefined) this.#ready(pod.uid);
  }

  #ring(alarm: Alarm): void {
    switch (alarm.kind) {
      case "running": {
        const pod = this.#podByUid(alarm.uid);
        if (pod?.phase === "Pending" && pod.terminatingSinceMs === null) this.ledger.setPhase(pod.key, "Running");
        return;
      }
      case "ready":
        this.#ready(alarm.uid);
        return;
      case "gone": {
        const pod = this.#podByUid(alarm.uid);
        if (pod !== undefined) this.#gone(pod, false);
        return;
      }
      case "wake":
        this.journal.mapSet(this.#idleWakes, alarm.workload, (this.#idleWakes.get(alarm.workload) ?? 0) + 1);
        this.ledger.dirtyWorkloads.add(alarm.workload);
        return;
      case "budget":
        this.ledger.dirtyBudgets.add(alarm.budget);
        return;
      case "node-lost":
        this.#nodes.lose(alarm.node, alarm.epoch);
        return;
      case "lost-nodes":
        this.#nodes.lookAtLost();
        return;
      case "expel":
        return;
      case "collect":
        this.#nodes.collect();
        return;
      case "elect":
        this.#elect(alarm.election);
        return;
      case "program":
        this.#setProgram(onTimer(this, this.#program, this.steps, alarm.timer));
        this.#noteStalls();
        return;
      default:
        unreachable(alarm);
    }
  }

  // Pods.

  /** What a pod of the snapshot does by itself: a terminating one goes, an unready one turns Ready when it is said to. */
  #startPod(pod: PodView): void {
    if (pod.terminatingSinceMs !== null) {
      if (pod.node === null || !this.isDown(pod.node.name)) this.#scheduleGone(pod, podStopMs(pod, null));
      return;
    }
    if (pod.node === null || pod.ready || isTerminal(pod)) return;
    const span = this.timing.podReady(pod);
    if (span !== null) this.#startsAt(pod.uid, span.mostMs);
  }

  #start(pod: PodView): void {
    if (!this.disks.mayStart(pod)) return;
    const span = this.timing.podStart(pod);
    if (this.timed && isRange(span) && this.#lengthMatters(pod)) this.journal.mapSet(this.#openStarts, pod.uid, span);
    else this.#startFor(pod, span.mostMs);
  }

  #lengthMatters(pod: PodView): boolean {
    if (this.#options.startUps === "all") return true;
    return canEnableLater(this.ledger, pod, stillAhead(this.#program, this.steps));
  }

  #chooseStart(): boolean {
    for (const [uid, { leastMs, mostMs }] of this.#openStarts) {
      const pod = this.#podByUid(uid);
      if (pod === undefined) continue;
      this.#ask({ kind: "start", pod: pod.key, leastMs, mostMs }, () => []);
      return true;
    }
    return false;
  }

  #startWithin(key: PodKey, startMs: number): void {
    const pod = this.ledger.pod(key);
    if (pod === undefined) return;
    this.journal.mapDelete(this.#openStarts, pod.uid);
    this.#startFor(pod, startMs);
  }

  #startFor(pod: PodView, startMs: number): void {
    const nowMs = this.ledger.nowMs + this.disks.lateMs(pod);
    if (pod.phase === "Pending")
      this.setAlarm(nowMs + Math.min(containersRunMs, startMs), { kind: "running", uid: pod.uid });
    this.#startsAt(pod.uid, nowMs + startMs);
  }

  #startsAt(uid: number, atMs: SimMs): void {
    const before = this.#starts.get(uid);
    if (before !== undefined) this.#startsInTurn.remove({ atMs: before, seq: uid });
    this.journal.mapSet(this.#starts, uid, atMs);
    this.#startsInTurn.add({ atMs, seq: uid });
  }

  #stopStart(uid: number): void {
    const atMs = this.#starts.get(uid);
    if (atMs !== undefined) this.#startsInTurn.remove({ atMs, seq: uid });
    this.journal.mapDelete(this.#starts, uid);
    this.journal.mapDelete(this.#openStarts, uid);
    this.disks.forget(uid);
  }

  #ready(uid: number): void {
    this.#stopStart(uid);
    const pod = this.#podByUid(uid);
    if (pod === undefined || pod.node === null || pod.terminatingSinceMs !== null || pod.ready) return;
    if (pod.phase === "Pending") this.ledger.setPhase(pod.key, "Running");
    const election = electionOf(pod);
    if (election !== null && leaderOf(this.ledger, election) !== null) return;
    this.ledger.setReady(pod.key, true);
    this.tell({ type: "pod-ready", pod: pod.key, node: pod.node.name });
  }

  /** A leader that goes, or is lost, is followed by a standby a moment later. */
  #followLeader(pod: PodView, afterMs: number): void {
    const election = electionOf(pod);
    if (election === null || !pod.ready) return;
    this.setAlarm(this.ledger.nowMs + afterMs, { kind: "elect", election });
  }

  #elect(election: string): void {
    if (leaderOf(this.ledger, election) !== null) return;
    const next = nextLeader(
      this.ledger,
      election,
      (pod) => this.#starts.has(pod.uid) || this.isDown(pod.node?.name ?? ""),
    );
    if (next !== null) this.#ready(next.uid);
  }

  #delete(
    key: PodKey,
    { by, graceMs, foreground }: { readonly by: string; readonly graceMs: number | null; readonly foreground: boolean },
  ): void {
    const pod = this.ledger.pod(key);
    if (pod === undefined) return;
    const node = pod.node?.name ?? "";
    if (pod.terminatingSinceMs === null) {
      if (by === "kube-scheduler") this.tell({ type: "pod-preempted", pod: key, node, by });
      else this.tell({ type: "pod-deleted", pod: key, node, by });
    } else if (graceMs !== 0) return;
    this.#stopStart(pod.uid);
    if (pod.terminatingSinceMs === null) this.#followLeader(pod, handOverMs);
    this.ledger.markTerminating(key, foreground, by === "kube-scheduler");
    if (graceMs === 0) {
      this.#gone(pod, true);
      return;
    }
    // On a machine that is off nobody confirms the end.
    if (pod.node !== null && this.isDown(pod.node.name)) return;
    const stopMs = stopMostMs(this.timing, pod, graceMs);
    if (stopMs === 0) this.#gone(pod, false);
    else this.#scheduleGone(pod, stopMs);
  }

  #scheduleGone(pod: PodView, inMs: number): void {
    this.setAlarm(this.ledger.nowMs + inMs, { kind: "gone", uid: pod.uid });
  }

  /** `forced`: deleted without grace, the object goes even from a dead node. */
  #gone(pod: PodView, forced: boolean): void {
    if (this.#podByUid(pod.uid) === undefined) return;
    const unseen = pod.node !== null && this.isDown(pod.node.name) && pod.terminatingSinceMs !== null;
    if (unseen && !forced && pod.terminatingSinceMs !== this.ledger.nowMs) return;
    if (pod.keptByFinalizer !== "") {
      const what = `who takes the finalizer ${pod.keptByFinalizer} off ${pod.key}`;
      this.#missing(what, "when it is gone; it stays here", true);
    }
    if (pod.heldByFinalizer || pod.keptByFinalizer !== "") {
      this.ledger.setReady(pod.key, false);
      this.ledger.setPhase(pod.key, "Failed");
    } else this.ledger.removePod(pod.key);
    this.#startAfter(pod);
  }

  #startAfter(gone: PodView): void {
    for (const next of this.disks.gone(gone)) this.#start(next);
  }

  #podByUid(uid: number): PodView | undefined {
    return this.ledger.podByUid(uid);
  }

  // Small things.

  #ask(choice: Choice, effects: (node: string) => readonly Effect[]): void {
    this.#setPending({ choice, effects });
    if (optionCount(choice) === 1) this.choose(0);
  }

  #wake(workload: ObjectKey, atMs: SimMs): void {
    if (this.alarms.some((a) => a.alarm.kind === "wake" && a.alarm.workload === workload && a.atMs === atMs)) return;
    this.setAlarm(Math.max(atMs, this.ledger.nowMs), { kind: "wake", workload });
  }

  #report(effect: Extract<Effect, { readonly do: "report" }>): void {
    if (effect.type === "rollout-stalled") {
      this.tell({ type: "rollout-stalled", ref: effect.ref, message: effect.message });
    } else if (effect.type === "pod-rejected") {
      this.tell({ type: "pod-rejected", owner: effect.ref, message: effect.message });
    } else this.#missing(effect.type, effect.message);
  }

  #missing(what: string, couldChange: string, isOfTime = false): void {
    if (!this.notModelled.has(what)) this.journal.mapSet(this.notModelled, what, { couldChange, isOfTime });
  }

  #effort(): Effort {
    const drains = this.timeline.reduce((count, { fact }) => count + (fact.type === "drain-started" ? 1 : 0), 0);
    return { drains, choices: this.choicesTaken.length, atMs: this.ledger.nowMs };
  }

  /** A drain that ended badly is the fault of the pods that refused: their endpoints stall. */
  #noteStalls(): void {
    this.monitor.noteDrains(this.ledger, this.drains);
  }

  #setProgram(program: ProgramState): void {
    const before = this.#program;
    this.#program = program;
    this.journal.note(() => {
      this.#program = before;
    });
  }

  #setPending(pending: OpenChoice | null): void {
    const before = this.#pending;
    this.#pending = pending;
    this.journal.note(() => {
      this.#pending = before;
    });
  }

  #end(): void {
    this.#ended = true;
    this.journal.note(() => {
      this.#ended = false;
    });
  }
}

interface Counters {
  /** Of the last alarm. */
  seq: number;
  /** The ledger's roomChanges when all that wait had last been tried. */
  triedAtRoom: number;
  /** The ledger's changes when wakes that change nothing were last counted anew, and when what was refused was last asked again. */
  idleAtChanges: number;
  rearmedAtChanges: number;
}

/** From being bound to its containers running, when the start-up takes longer. */
const containersRunMs = 2_000;

export function optionCount(choice: Choice): number {
  switch (choice.kind) {
    case "place":
    case "preempt":
    case "next-node":
      return choice.nodes.length;
    case "next-eviction":
      return choice.pods.length;
    case "start":
      return 2;
    case "start-up":
      return choice.pods.length + (choice.orLater ? 1 : 0);
    default:
      return unreachable(choice);
  }
}

/** To start as slowly as can be is not counted as a choice: a course is told by the starts that are quick. */
function isAsEver(choice: Choice, option: number): boolean {
  return choice.kind === "start" && option === 0;
}

function takenOf(choice: Choice, option: number): string {
  if (choice.kind === "start") return choice.pod;
  if (choice.kind === "start-up" && choice.orLater && option === 0) return "";
  const later = choice.kind === "start-up" && choice.orLater ? 1 : 0;
  const taken = "pods" in choice ? choice.pods[option - later] : choice.nodes[option];
  invariant(taken !== undefined, "an option of the choice is taken");
  return taken;
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

/** `24 h`, `90 s` */
function spoken(ms: SimMs): string {
  return ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : `${Math.round(ms / 1000)} s`;
}
