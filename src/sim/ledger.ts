import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { SimMs } from "../base/units.ts";
import { unsyncedStatus } from "../eviction/budget-status.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Allocation, ResourceClaim } from "../model/device.ts";
import { namespacedName, type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import { newestMs } from "../model/newest.ts";
import type { Node } from "../model/node.ts";
import { repels } from "../model/pod-index.ts";
import type { PodTemplate, Taint } from "../model/pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, BudgetStatus, Quota, Service } from "../model/policy.ts";
import { combine } from "../model/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";
import { notInterned } from "../model/template-content.ts";
import type {
  BudgetView,
  ClusterView,
  ControllerMemory,
  NodeView,
  PodCohort,
  PodCounts,
  PodView,
  TellPod,
  WorkloadView,
} from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { readyEndpoints } from "../workload/endpoints.ts";
import { podObjectKey } from "../workload/garbage-collector.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { countsForZone, withNode, type ZoneCount, zoneCounts, zoneKey } from "../workload/zones.ts";
import { Claims } from "./claims.ts";
import { Cohorts } from "./cohorts.ts";
import type { Journal } from "./journal.ts";
import { KindAsRead, type KindView } from "./kind-view.ts";
import { loadsOf, noLoad, summed } from "./node-loads.ts";
import {
  anyStage,
  comesUp,
  countsOf,
  isForBudgets,
  isForReplicas,
  isForRollouts,
  isForServices,
  isHealthy,
  isPlaced,
  noStage,
  recounted,
  type Stage,
  stageOf,
} from "./pod-stage.ts";
import { PodsRead } from "./pods-read.ts";
import {
  type BudgetRecord,
  type CohortRecord,
  type NodeRecord,
  noClaimKeys,
  nodeRecord,
  type PodRecord,
  podRecord,
  type Standing,
  sinceMs,
  type WorkloadRecord,
  workloadRecord,
} from "./records.ts";
import { Templates } from "./templates.ts";
import { Touches } from "./touches.ts";
import { WorkloadRecords } from "./workload-records.ts";

const nobody: readonly PodRecord[] = [];
const empty: Standing = { records: () => nobody, tell: () => undefined, load: () => noLoad };

/** A change in a namespace: of one pod of this owner, or null: of anything there. */
export interface ChangedIn {
  readonly namespace: string;
  readonly owner: ObjectKey | null;
}

/** What a new pod is made of. */
export interface NewPod {
  readonly owner: ObjectKey | null;
  readonly namespace: string;
  /** Null: `<owner name>-~n`. */
  readonly name: string | null;
  readonly template: PodTemplate;
  readonly ordinal: number | null;
  readonly revision: string;
}

/**
 * The moving part of a cluster: the only mutable state of a simulation. Every change goes through the journal, so that
 * `mark` and `undoTo` fork it. Readers see it as ClusterView; `changes` grows with every change, so that who waits for
 * something to happen can tell that nothing did.
 */
export class Ledger implements ClusterView {
  readonly cluster: Cluster;
  readonly journal: Journal;
  nowMs: SimMs = 0;
  /** Grows with every change but controllers' own memory. */
  changes = 0;
  /** Grows with changes that can alter where a waiting pod may go. */
  roomChanges = 0;
  nodes: readonly NodeView[] = [];
  /** Those that are not ready. */
  lostNodes = 0;
  budgets: readonly BudgetView[] = [];
  services: readonly Service[];
  autoscalers: readonly Autoscaler[];
  quotas: readonly Quota[];
  webhooks: readonly AdmissionWebhook[];
  readonly #nodesByName = new Map<string, NodeRecord>();
  readonly #read: PodsRead;
  readonly #asRead: ConstructorParameters<typeof Cohorts>[1];
  /** Null: it is gone. Undefined: read, and nobody has looked at it yet. */
  readonly #podsByUid: (PodRecord | null | undefined)[];
  /** So many are. */
  #gone = 0;
  /** Pods that were made since. */
  readonly #uidsByKey = new Map<PodKey, number>();
  /** Waiting pods nominated to a node, in no order. */
  readonly #nominated = new Map<PodKey, PodRecord>();
  /** Pods without a node that want one: not terminating, not finished. In no order. */
  readonly #waiting = new Map<PodKey, PodRecord>();
  /** Each list is made of what was read when it is first asked for, which is before it changes. */
  readonly #podsByNode = new Map<string, readonly PodRecord[]>();
  readonly #podsByOwner = new Map<ObjectKey, PodRecord[]>();
  /** Each list is there from when it was first asked for, and gone again when that is taken back. */
  readonly #podsByNamespace = new Map<string, PodRecord[]>();
  readonly #podCounts = new Map<ObjectKey, PodCounts>();
  /** Pods that got another template, in some branch of a search, or have finished. */
  readonly #patched = new Set<number>();
  /** By namespace; no cohort ever goes. */
  readonly #cohorts = new Map<string, Cohorts>();
  readonly #workloads: WorkloadRecords;
  #daemonSets: readonly WorkloadRecord[] | null = null;
  /** Pods that own something, or did in some branch of a search: leaders of groups, mostly. */
  readonly #owningPods = new Set<PodKey>();
  readonly #budgetRecords = new Map<ObjectKey, BudgetRecord>();
  readonly #claims: Claims;
  readonly #nameCounters = new Map<string, number>();
  /** Names given to pods of an owner, by their numbers: a search that comes back gives the same again. */
  readonly #names = new Map<ObjectKey, NewName[]>();
  #templates: Templates | null = null;
  #generations = 0;
  #zones: Map<string, ZoneCount> | null = null;
  readonly #touches: Touches<NodeRecord>;
  /** Workloads whose controller has something new to look at, and budgets that have. Emptied by the loop. */
  readonly dirtyWorkloads = new Set<ObjectKey>();
  readonly dirtyBudgets = new Set<ObjectKey>();
  /** Nodes whose taints the node controllers have to look at. Emptied by the loop. */
  readonly dirtyNodes = new Set<string>();
  /** Where pods and workloads changed, one entry a change: who watches remembers how far they have read. */
  readonly changedIn: ChangedIn[] = [];
  /** Objects garbage collection has to look at: removed ones, those in foreground deletion, owners of what was removed. */
  readonly suspects = new Set<ObjectKey>();
  /** Unix ms that is the scenario's 0: nothing in the cluster is younger. */
  readonly #zeroUnixMs: number;

  constructor(cluster: Cluster, journal: Journal) {
    this.cluster = cluster;
    this.#zeroUnixMs = newestMs(cluster);
    this.journal = journal;
    this.services = cluster.services;
    this.autoscalers = cluster.autoscalers;
    this.quotas = cluster.quotas;
    this.webhooks = cluster.webhooks;
    this.#claims = new Claims(cluster, journal);
    this.#workloads = new WorkloadRecords(cluster, journal, this.#zeroUnixMs);
    this.#touches = new Touches(cluster.nodes.length + newNodesKept);
    this.#read = PodsRead.of(cluster);
    this.#asRead = {
      read: this.#read,
      recordsOf: (uids: Int32Array): PodRecord[] => this.#recordsOf(uids),
    };
    this.#podsByUid = new Array<undefined>(this.#read.pods.length).fill(undefined);
    this.#load(cluster);
  }

  // Readers.

  node(name: string): NodeView | undefined {
    return this.#nodesByName.get(name);
  }

  get pods(): Iterable<PodView> {
    return this.#existing();
  }

  *#existing(): Iterable<PodView> {
    for (let uid = 0; uid < this.#podsByUid.length; uid += 1) {
      const pod = this.#podByUid(uid);
      if (pod !== null) yield pod;
    }
  }

  pod(key: PodKey): PodView | undefined {
    return this.#podByKey(key);
  }

  podByUid(uid: number): PodView | undefined {
    return uid < this.#podsByUid.length ? (this.#podByUid(uid) ?? undefined) : undefined;
  }

  /** Pods that were not ready when they were read, or on their way out. */
  get unready(): Iterable<PodView> {
    return this.#recordsOf(this.#read.unready);
  }

  get nominated(): readonly PodView[] {
    return this.#nominated.size === 0 ? nobody : [...this.#nominated.values()].sort((a, b) => a.uid - b.uid);
  }

  /** Pods that want a node, in no order. */
  get waiting(): Iterable<PodView> {
    return this.#waiting.values();
  }

  podsOn(node: string): readonly PodView[] {
    return this.#on(node);
  }

  /** Those of them that are meant by what they have in common with others: of the rest no views are made. */
  podsOnMeant(node: string, isMeant: (pod: Pick<PodView, "namespace" | "template">) => boolean): readonly PodView[] {
    const known = this.#podsByNode.get(node);
    if (known !== undefined) return known.filter(isMeant);
    if (node === "") return nobody;
    const meant = this.#read.onNode(node).filter((uid) => isMeant(this.#podsByUid[uid] ?? this.#read.kinAt(uid)));
    return this.#recordsOf(meant);
  }

  podsOwnedBy(owner: ObjectKey): readonly PodView[] {
    return this.#ownedBy(owner);
  }

  hostsOf(owner: ObjectKey): readonly string[] | null {
    const known = this.#podsByOwner.get(owner);
    const uids = known === undefined ? this.#read.ownedBy(owner) : known.map(({ uid }) => uid);
    const hosts: string[] = [];
    for (const uid of uids) {
      const stage = this.#stageAt(uid);
      if (stage === noStage) continue;
      if (!isPlaced(stage)) return null;
      hosts.push(this.#podsByUid[uid]?.node?.name ?? this.#read.nodeNameAt(uid));
    }
    return hosts;
  }

  podsIn(namespace: string): readonly PodView[] {
    return this.#inNamespace(namespace);
  }

  podCounts(owner: ObjectKey): PodCounts {
    return (
      this.#podCounts.get(owner) ??
      underKey(this.#podCounts, owner, () => countsOf(this.#read.ownedBy(owner).map((uid) => this.#stageAt(uid))))
    );
  }

  cohortsIn(namespace: string): readonly PodCohort[] {
    return this.#cohortsIn(namespace).all;
  }

  /** Existing pods sorted by what they have in common: of most questions about all pods it is enough to ask each kind. */
  *kinds(): Iterable<KindView> {
    const isAsRead = this.#gone === 0 && this.#patched.size === 0;
    const isThere = (uid: number): boolean => this.#podsByUid[uid] !== null && !this.#patched.has(uid);
    for (const kind of this.#read.kinds) {
      const { uids } = kind;
      const there = isAsRead || uids.every(isThere) ? uids : uids.filter(isThere);
      if (there.length === 0) continue;
      yield new KindAsRead(kind, {
        count: there.length,
        nodes: () => this.#nodesOf(there),
        pods: () => this.#recordsOf(there),
      });
    }
    for (const uid of this.#patched) if (uid < this.#read.pods.length) yield* this.#kindOf(uid);
    for (let uid = this.#read.pods.length; uid < this.#podsByUid.length; uid += 1) yield* this.#kindOf(uid);
  }

  /** Of one that was not read, or is not as it was read. */
  *#kindOf(uid: number): Iterable<KindView> {
    const pod = this.#podByUid(uid);
    if (pod === null) return;
    const nodes = (): Iterable<string> => this.#nodesOf(Int32Array.of(uid));
    const { phase: phaseAsRead, template } = pod;
    const deletingAsRead = pod.terminatingSinceMs !== null;
    const { priority } = template;
    const pods = (): readonly PodView[] => [pod];
    yield { ...pod, priority, repels: repels(pod), phaseAsRead, deletingAsRead, count: 1, nodes, pods };
  }

  /** Without making views of them. */
  #nodesOf(uids: Int32Array): Iterable<string> {
    const names: string[] = [];
    for (const uid of uids) {
      const record = this.#podsByUid[uid];
      const name = record === undefined ? this.#read.nodeNameAt(uid) : record?.node?.name;
      if (name !== undefined && this.#nodesByName.has(name)) names.push(name);
    }
    return names;
  }

  get workloads(): Iterable<WorkloadView> {
    return this.#workloads;
  }

  /** DaemonSets come and go seldom: looked up again when one does. */
  get daemonSets(): readonly WorkloadView[] {
    this.#daemonSets ??= [...this.#workloads.keys()]
      .filter((key) => key.startsWith("DaemonSet."))
      .flatMap((key) => this.#workloads.get(key) ?? [])
      .filter(({ spec }) => spec.kind === "DaemonSet");
    return this.#daemonSets;
  }

  workload(key: ObjectKey): WorkloadView | undefined {
    return this.#workloads.get(key);
  }

  workloadsOwnedBy(owner: ObjectKey): readonly WorkloadView[] {
    return this.#workloads.ownedBy(owner);
  }

  readyEndpoints(service: string): number {
    return readyEndpoints(this, service);
  }

  volumeClaim(key: string): PersistentVolumeClaim | undefined {
    return this.#claims.volumeClaims.get(key);
  }

  get volumeClaims(): Iterable<PersistentVolumeClaim> {
    return this.#claims.volumeClaims.values();
  }

  volume(name: string): PersistentVolume | undefined {
    return this.#claims.volumes.get(name);
  }

  get volumes(): Iterable<PersistentVolume> {
    return this.#claims.volumes.values();
  }

  resourceClaim(key: string): ResourceClaim | undefined {
    return this.#claims.resourceClaims.get(key);
  }

  get resourceClaims(): Iterable<ResourceClaim> {
    return this.#claims.resourceClaims.values();
  }

  /** By the zones of the node controller: how many nodes are ready and lost. */
  get zones(): ReadonlyMap<string, ZoneCount> {
    return this.#zonesKnown();
  }

  get touches(): number {
    return this.#touches.count;
  }

  touchedSince(touches: number): readonly NodeView[] | null {
    return this.#touches.since(touches);
  }

  // Time.

  setTime(nowMs: SimMs): void {
    this.journal.set<Ledger, "nowMs">(this, "nowMs", nowMs);
  }

  // Nodes.

  addNode(node: Node): void {
    this.#roomChanged();
    const record = nodeRecord(node, empty);
    this.#countInZone(record, 1);
    this.journal.mapSet(this.#nodesByName, node.name, record);
    this.journal.set<Ledger, "nodes">(this, "nodes", [...this.nodes, record]);
    this.#renumber(record);
    this.dirtyNodes.add(node.name);
    this.#changed();
  }

  /** The Node object goes; its pods stay until pod garbage collection removes them. */
  removeNode(name: string): void {
    this.#roomChanged();
    const record = this.#nodeRecord(name);
    // Those that nobody has looked at yet find their node by its name.
    this.#on(name);
    this.#countInZone(record, -1);
    this.journal.mapDelete(this.#nodesByName, name);
    this.journal.set<Ledger, "nodes">(
      this,
      "nodes",
      this.nodes.filter((n) => n !== record),
    );
    this.#renumber(record);
    for (const pod of record.pods) this.#podChanged(pod, anyStage);
    this.#changed();
  }

  setUnschedulable(name: string, unschedulable: boolean): void {
    this.#touchNode(name, (record) => this.journal.set(record, "unschedulable", unschedulable));
  }

  setTaints(name: string, taints: readonly Taint[]): void {
    this.#touchNode(name, (record) => this.journal.set(record, "taints", taints));
  }

  setNodeReady(name: string, ready: boolean): void {
    this.#touchNode(name, (record) => this.#inItsZone(record, () => this.journal.set(record, "ready", ready)));
  }

  /** A node patched or applied: labels, capacity. What changes while it runs stays as it is. */
  setNode(name: string, node: Node): void {
    this.#touchNode(name, (record) => this.#inItsZone(record, () => this.journal.set(record, "node", node)));
  }

  // Pods.

  createPod(pod: NewPod): PodView {
    this.#roomChanged();
    const template = this.#interned(pod.template);
    const { name, key } =
      pod.name === null ? this.#nextName(pod.owner ?? "", pod.namespace) : named(pod.namespace, pod.name);
    const record = this.#insert({
      // In the order of the input's records, so that all are of one shape.
      uid: this.#podsByUid.length,
      template,
      owner: pod.owner,
      terminatingSinceMs: null,
      mirror: false,
      key,
      namespace: pod.namespace,
      name,
      requests: template.requests,
      nonZeroMilliCpu: template.nonZeroMilliCpu,
      nonZeroMemoryBytes: template.nonZeroMemoryBytes,
      node: null,
      phase: "Pending",
      ready: false,
      readySinceMs: null,
      preempted: false,
      createdAtMs: this.nowMs,
      startedAtMs: null,
      nominatedNode: "",
      unschedulableMessage: "",
      restarts: 0,
      ordinal: pod.ordinal,
      revision: pod.revision,
      claimKeys: noClaimKeys,
      heldByFinalizer: false,
      keptByFinalizer: "",
    });
    const owner = record.owner === null ? undefined : this.#workloads.get(record.owner)?.spec;
    this.journal.set(record, "claimKeys", this.#claims.makeFor(record, owner));
    return record;
  }

  bind(key: PodKey, nodeName: string): void {
    this.#roomChanged();
    const pod = this.#podRecord(key);
    invariant(pod.node === null && !isTerminal(pod), "only a waiting pod is bound");
    const before = this.#stageOf(pod);
    const node = this.#nodeRecord(nodeName);
    this.journal.set(pod, "node", node);
    this.journal.set(pod, "nominatedNode", "");
    this.journal.mapDelete(this.#nominated, key);
    this.journal.mapDelete(this.#waiting, key);
    this.journal.mapSet(this.#podsByNode, nodeName, [...this.#on(nodeName), pod]);
    this.journal.set(pod, "unschedulableMessage", "");
    this.#occupy(node, pod);
    this.#podChanged(pod, before);
  }

  setPhase(key: PodKey, phase: PodView["phase"]): void {
    const pod = this.#podRecord(key);
    if (pod.phase === phase) return;
    const before = this.#stageOf(pod);
    if (isTerminal({ phase })) this.#setApart(pod);
    this.journal.set(pod, "phase", phase);
    if (phase === "Running" && pod.startedAtMs === null) this.journal.set(pod, "startedAtMs", this.nowMs);
    if (isTerminal(pod)) {
      this.#vacate(pod);
      this.journal.mapDelete(this.#waiting, key);
    }
    this.#podChanged(pod, before);
  }

  /** It is no longer of the kind as which it was read. */
  #setApart({ uid }: PodRecord): void {
    if (this.#patched.has(uid)) return;
    this.#patched.add(uid);
    this.journal.note(() => this.#patched.delete(uid));
  }

  setReady(key: PodKey, ready: boolean): void {
    const pod = this.#podRecord(key);
    if (pod.ready === ready) return;
    const before = this.#stageOf(pod);
    this.journal.set(pod, "ready", ready);
    this.journal.set(pod, "readySinceMs", ready ? this.nowMs : null);
    this.#podChanged(pod, before);
  }

  /** A pod patched: other labels, annotations. What it asks for stays. */
  setTemplate(key: PodKey, template: PodTemplate): void {
    const pod = this.#podRecord(key);
    this.#podChanged(pod, anyStage);
    this.#leave(pod);
    this.#patched.add(pod.uid);
    this.journal.set(pod, "template", this.#interned(template));
    this.#join(pod);
    this.#roomChanged();
    if (pod.node !== null) this.#podsChangedOn(pod.node.name);
    this.#podChanged(pod, anyStage);
  }

  setUnschedulableMessage(key: PodKey, message: string): void {
    this.journal.set(this.#podRecord(key), "unschedulableMessage", message);
  }

  nominate(key: PodKey, nodeName: string): void {
    const pod = this.#podRecord(key);
    if (pod.nominatedNode === nodeName) return;
    this.#roomChanged();
    this.journal.set(pod, "nominatedNode", nodeName);
    if (nodeName === "" || pod.node !== null) this.journal.mapDelete(this.#nominated, key);
    else this.journal.mapSet(this.#nominated, key, pod);
    this.#changed();
  }

  /** Sets deletionTimestamp. The pod keeps its room until removePod. */
  markTerminating(key: PodKey, foreground: boolean, preempted = false): void {
    this.#roomChanged();
    const pod = this.#podRecord(key);
    if (pod.terminatingSinceMs !== null) return;
    const before = this.#stageOf(pod);
    this.journal.set(pod, "terminatingSinceMs", this.nowMs);
    this.journal.mapDelete(this.#waiting, key);
    if (preempted) this.journal.set(pod, "preempted", true);
    if (foreground) {
      this.journal.set(pod, "heldByFinalizer", true);
      this.suspects.add(podObjectKey(pod));
    }
    if (pod.node !== null) this.#podsChangedOn(pod.node.name);
    this.#podChanged(pod, before);
  }

  releaseFinalizer(key: PodKey): void {
    this.journal.set(this.#podRecord(key), "heldByFinalizer", false);
    this.#podChanged(this.#podRecord(key), anyStage);
  }

  /** The object goes, and the claims made for it; claims it only used are released. */
  removePod(key: PodKey): void {
    this.#roomChanged();
    const pod = this.#podRecord(key);
    const before = this.#stageOf(pod);
    this.#vacate(pod);
    this.journal.mapDelete(this.#uidsByKey, key);
    this.journal.mapDelete(this.#nominated, key);
    this.journal.mapDelete(this.#waiting, key);
    if (pod.node !== null) this.journal.mapSet(this.#podsByNode, pod.node.name, without(this.#on(pod.node.name), pod));
    this.#takeOut(this.#podsByNamespace.get(pod.namespace) ?? [], pod);
    this.#leave(pod);
    if (pod.owner !== null) this.#takeOut(this.#ownedBy(pod.owner), pod);
    const uid = pod.uid;
    this.#podsByUid[uid] = null;
    this.#gone += 1;
    this.journal.note(() => {
      this.#podsByUid[uid] = pod;
      this.#gone -= 1;
    });
    this.#claims.releaseOf(pod);
    if (this.#isOwner(key)) this.suspects.add(podObjectKey(pod));
    if (pod.owner !== null && this.#workloads.get(pod.owner)?.deleting !== false) this.suspects.add(pod.owner);
    this.#podChanged(pod, before);
  }

  // Workloads.

  createWorkload(spec: Workload): WorkloadView {
    const record = workloadRecord(spec, this.nowMs);
    this.#workloads.add(record);
    if (spec.kind === "DaemonSet") this.#forgetDaemonSets();
    if (spec.owner !== null) this.#own(spec.owner, record);
    this.#workloadChanged(record);
    return record;
  }

  setSpec(key: ObjectKey, spec: Workload): void {
    const record = this.#workloadRecord(key);
    if (record.owner !== spec.owner) {
      if (record.owner !== null) this.#disown(record.owner, record);
      if (spec.owner !== null) this.#own(spec.owner, record);
      this.journal.set(record, "owner", spec.owner);
    }
    this.journal.set(record, "spec", spec);
    this.#workloadChanged(record);
  }

  remember(key: ObjectKey, memory: ControllerMemory | null): void {
    const record = this.#workloadRecord(key);
    this.journal.set(record, "memory", memory);
    this.#dirty(key);
  }

  markWorkloadDeleting(key: ObjectKey, foreground: boolean): void {
    const record = this.#workloadRecord(key);
    this.journal.set(record, "deleting", true);
    this.journal.set(record, "foreground", foreground);
    this.suspects.add(key);
    this.#workloadChanged(record);
  }

  removeWorkload(key: ObjectKey): void {
    const record = this.#workloadRecord(key);
    this.#workloads.remove(key);
    if (record.spec.kind === "DaemonSet") this.#forgetDaemonSets();
    if (record.owner !== null) this.#dirty(record.owner);
    if (record.owner !== null) this.#disown(record.owner, record);
    this.suspects.add(key);
    if (record.owner !== null) this.suspects.add(record.owner);
    this.#workloadChanged(record);
  }

  /** Everything has been looked at. */
  forgetDirty(): void {
    this.dirtyWorkloads.clear();
    this.dirtyBudgets.clear();
    this.dirtyNodes.clear();
    this.suspects.clear();
  }

  // Budgets and other policy.

  /** Status is left as it was until the disruption controller looks; a new budget has not been looked at. */
  putBudget(budget: Budget): void {
    const known = this.#budgetRecords.get(budget.key);
    const status = known?.status ?? budget.status ?? unsyncedStatus;
    const disruptedPods = known?.disruptedPods ?? this.#disrupted(budget);
    const record: BudgetRecord = { budget, status, disruptedPods };
    this.journal.mapSet(this.#budgetRecords, budget.key, record);
    const others = this.budgets.filter((b) => b.budget.key !== budget.key);
    this.journal.set<Ledger, "budgets">(this, "budgets", [...others, record]);
    this.dirtyBudgets.add(budget.key);
    this.#changed();
  }

  #disrupted({ ref, disruptedPods }: Budget): BudgetView["disruptedPods"] {
    return new Map(
      [...disruptedPods].map(
        ([name, atMs]) => [namespacedName(ref.namespace, name), sinceMs(atMs, this.#zeroUnixMs)] as const,
      ),
    );
  }

  removeBudget(key: ObjectKey): void {
    this.journal.mapDelete(this.#budgetRecords, key);
    this.journal.set<Ledger, "budgets">(
      this,
      "budgets",
      this.budgets.filter((b) => b.budget.key !== key),
    );
    this.#changed();
  }

  budget(key: ObjectKey): BudgetView | undefined {
    return this.#budgetRecords.get(key);
  }

  setBudgetStatus(key: ObjectKey, status: BudgetStatus): void {
    this.journal.set(this.#budgetRecord(key), "status", status);
    this.#changed();
  }

  /** An accepted eviction: one disruption less, and the pod counted as gone until it is seen going. */
  spendBudget(key: ObjectKey, pod: PodKey): void {
    const record = this.#budgetRecord(key);
    const allowed = record.status.disruptionsAllowed - 1;
    this.journal.set(record, "status", { ...record.status, disruptionsAllowed: allowed });
    this.journal.set(record, "disruptedPods", new Map([...record.disruptedPods, [pod, this.nowMs]]));
    this.#changed();
  }

  setDisruptedPods(key: ObjectKey, disruptedPods: ReadonlyMap<PodKey, SimMs>): void {
    this.journal.set(this.#budgetRecord(key), "disruptedPods", disruptedPods);
  }

  setServices(services: readonly Service[]): void {
    for (const { ref } of [...this.services, ...services])
      this.journal.push(this.changedIn, { namespace: ref.namespace, owner: null });
    this.journal.set<Ledger, "services">(this, "services", services);
    this.#changed();
  }

  setAutoscalers(autoscalers: readonly Autoscaler[]): void {
    this.journal.set<Ledger, "autoscalers">(this, "autoscalers", autoscalers);
    for (const { target } of autoscalers) this.#dirty(target);
    this.#changed();
  }

  setQuotas(quotas: readonly Quota[]): void {
    this.journal.set<Ledger, "quotas">(this, "quotas", quotas);
    this.#changed();
  }

  setWebhooks(webhooks: readonly AdmissionWebhook[]): void {
    this.journal.set<Ledger, "webhooks">(this, "webhooks", webhooks);
    this.#changed();
  }

  // Claims.

  allocateClaim(key: string, allocation: Allocation, pod: PodKey): void {
    this.#claims.allocate(key, allocation, pod);
    this.#changed();
  }

  deallocateClaim(key: string): void {
    this.#roomChanged();
    this.#claims.deallocate(key);
    this.#changed();
  }

  /** Null volume: a new one is provisioned for the node; it holds the claim there from now on. */
  bindVolumeClaim(key: string, volumeName: string | null, nodeName: string): void {
    this.#roomChanged();
    this.#claims.bindVolume(key, volumeName, this.#nodesByName.get(nodeName)?.node ?? null);
    this.#changed();
  }

  // Below: how it is kept.

  /** What was read is where undo ends: it goes in whole, past the journal. */
  #load(cluster: Cluster): void {
    for (const node of cluster.nodes) {
      const { name } = node;
      this.#nodesByName.set(name, nodeRecord(node, this.#standingOn(name)));
    }
    this.#loadPods();
    for (const budget of cluster.budgets) {
      const status = budget.status ?? unsyncedStatus;
      this.#budgetRecords.set(budget.key, { budget, status, disruptedPods: this.#disrupted(budget) });
    }
    this.nodes = [...this.#nodesByName.values()];
    this.lostNodes = this.nodes.filter(({ ready }) => !ready).length;
    this.budgets = [...this.#budgetRecords.values()];
  }

  #loadPods(): void {
    for (const record of this.#recordsOf(this.#read.onNode(""))) {
      if (record.nominatedNode !== "") this.#nominated.set(record.key, record);
      if (isWaiting(record)) this.#waiting.set(record.key, record);
    }
  }

  /** What a node holds as read: one of them may have ended just now. */
  #standingOn(node: string): Standing {
    const read = this.#read;
    const loads = loadsOf(this.cluster);
    const tell = (to: TellPod): void => {
      const uids = read.onNode(node);
      for (let i = 0; i < uids.length; i += 1) {
        const uid = uids[i] ?? 0;
        const kin = read.kinAt(uid);
        const record = this.#podsByUid[uid];
        if (record === null || isTerminal(kin)) continue;
        to(record ?? kin, uid, record === undefined ? kin.deleting : record.terminatingSinceMs !== null);
      }
    };
    return {
      records: () => this.#recordsOf(read.onNode(node).filter((uid) => !isTerminal(read.kinAt(uid)))),
      tell,
      load: (alsoTell) => {
        const known = loads.get(node);
        if (known !== undefined && alsoTell !== null) tell(alsoTell);
        return known ?? underKey(loads, node, () => summed(tell, alsoTell));
      },
    };
  }

  /** Of a pod that nobody has looked at yet what was read tells as much. */
  #stageAt(uid: number): Stage {
    const record = this.#podsByUid[uid];
    if (record === null) return noStage;
    return record === undefined ? this.#read.stageAt(uid, this.#nodesByName) : stageOf(record);
  }

  #recordsOf(uids: Int32Array): PodRecord[] {
    const records: PodRecord[] = [];
    for (const uid of uids) {
      const record = this.#podByUid(uid);
      if (record !== null) records.push(record);
    }
    return records;
  }

  /** Null: it is gone. */
  #podByUid(uid: number): PodRecord | null {
    let record = this.#podsByUid[uid];
    if (record === undefined) {
      const pod = this.#read.at(uid);
      const node = this.#nodesByName.get(pod.nodeName) ?? null;
      record = podRecord(pod, { uid, node, zeroUnixMs: this.#zeroUnixMs });
      this.#podsByUid[uid] = record;
    }
    return record;
  }

  #podByKey(key: PodKey): PodRecord | undefined {
    const uid = this.#uidsByKey.get(key);
    if (uid !== undefined) return this.#podByUid(uid) ?? undefined;
    const read = this.#read.uidOf(key);
    const record = read === undefined ? null : this.#podByUid(read);
    if (record === null) return undefined;
    // As it was read: undoing anything leaves it so.
    this.#uidsByKey.set(key, record.uid);
    return record;
  }

  #on(node: string): readonly PodRecord[] {
    return (
      this.#podsByNode.get(node) ?? underKey(this.#podsByNode, node, () => (node === "" ? [] : this.#asReadOn(node)))
    );
  }

  /** Pods of nodes that are drained are asked for by name: then nobody need read the names of all. */
  #asReadOn(node: string): readonly PodRecord[] {
    const records = this.#recordsOf(this.#read.onNode(node));
    for (const { key, uid } of records) this.#uidsByKey.set(key, uid);
    return records;
  }

  #ownedBy(owner: ObjectKey): PodRecord[] {
    return (
      this.#podsByOwner.get(owner) ??
      underKey(this.#podsByOwner, owner, () => this.#recordsOf(this.#read.ownedBy(owner)))
    );
  }

  #inNamespace(namespace: string): PodRecord[] {
    return (
      this.#podsByNamespace.get(namespace) ??
      underKey(this.#podsByNamespace, namespace, () => this.#nowInNamespace(namespace))
    );
  }

  #nowInNamespace(namespace: string): PodRecord[] {
    const read = this.#recordsOf(this.#read.inNamespace(namespace));
    const made = this.#podsByUid.slice(this.#read.pods.length).flatMap((pod) => pod ?? []);
    this.journal.note(() => this.#podsByNamespace.delete(namespace));
    return [...read, ...made.filter((pod) => pod.namespace === namespace)];
  }

  #cohortsIn(namespace: string): Cohorts {
    return (
      this.#cohorts.get(namespace) ?? underKey(this.#cohorts, namespace, () => new Cohorts(namespace, this.#asRead))
    );
  }

  /** How far it is, before that changes: whoever counts it has counted it by then. */
  #stageOf(pod: PodRecord): Stage {
    this.#cohortsIn(pod.namespace);
    if (pod.owner !== null) this.podCounts(pod.owner);
    return stageOf(pod);
  }

  /** Templates a controller made get the number of their content: the same object for the same content. */
  #interned(template: PodTemplate): PodTemplate {
    if (template.id !== notInterned) return template;
    this.#templates ??= new Templates(this.cluster);
    return this.#templates.interned(template);
  }

  #insert(record: PodRecord): PodRecord {
    if (record.owner !== null) this.podCounts(record.owner);
    this.journal.push(this.#podsByUid, record);
    this.journal.mapSet(this.#uidsByKey, record.key, record.uid);
    if (isWaiting(record)) this.journal.mapSet(this.#waiting, record.key, record);
    // In place: thousands of pods made at once would else be copied thousands of times.
    this.#join(record);
    const inNamespace = this.#podsByNamespace.get(record.namespace);
    if (inNamespace !== undefined) this.journal.push(inNamespace, record);
    if (record.owner !== null) {
      this.journal.push(this.#ownedBy(record.owner), record);
      this.#noteOwner(record.owner);
    }
    this.#podChanged(record, noStage);
    return record;
  }

  #own(owner: ObjectKey, owned: WorkloadRecord): void {
    this.#workloads.own(owner, owned);
    this.#noteOwner(owner);
  }

  #disown(owner: ObjectKey, owned: WorkloadRecord): void {
    this.#workloads.disown(owner, owned);
  }

  #isOwner(pod: PodKey): boolean {
    return this.#owningPods.has(pod) || this.#workloads.isOwner(pod) || this.#read.owningPods.has(pod);
  }

  #noteOwner(owner: ObjectKey): void {
    const pod = podOfKey(owner);
    if (pod !== null) this.#owningPods.add(pod);
  }

  #join(pod: PodRecord): void {
    const cohort = this.#cohortOf(pod);
    const at = placeByUid(cohort.pods, pod.uid);
    cohort.pods.splice(at, 0, pod);
    this.journal.note(() => {
      cohort.pods.splice(at, 1);
    });
    if (isHealthy(stageOf(pod))) this.journal.set(cohort, "healthy", cohort.healthy + 1);
  }

  #leave(pod: PodRecord): void {
    const cohort = this.#cohortOf(pod);
    this.#takeOut(cohort.pods, pod);
    if (isHealthy(stageOf(pod))) this.journal.set(cohort, "healthy", cohort.healthy - 1);
  }

  #cohortOf(pod: PodRecord): CohortRecord {
    return this.#cohortsIn(pod.namespace).of(pod);
  }

  #occupy(node: NodeRecord, pod: PodRecord): void {
    this.journal.set(node, "pods", [...node.pods, pod]);
    this.journal.set(node, "requested", combine(node.requested, pod.requests, 1));
    this.journal.set(node, "nonZeroMilliCpu", node.nonZeroMilliCpu + pod.nonZeroMilliCpu);
    this.journal.set(node, "nonZeroMemoryBytes", node.nonZeroMemoryBytes + pod.nonZeroMemoryBytes);
    this.#podsChanged(node);
  }

  #vacate(pod: PodRecord): void {
    const node = pod.node === null ? undefined : this.#nodesByName.get(pod.node.name);
    if (node === undefined || !node.pods.includes(pod)) return;
    this.journal.set(
      node,
      "pods",
      node.pods.filter((p) => p !== pod),
    );
    this.journal.set(node, "requested", combine(node.requested, pod.requests, -1));
    this.journal.set(node, "nonZeroMilliCpu", node.nonZeroMilliCpu - pod.nonZeroMilliCpu);
    this.journal.set(node, "nonZeroMemoryBytes", node.nonZeroMemoryBytes - pod.nonZeroMemoryBytes);
    this.#podsChanged(node);
  }

  /** Something changes by which zones count it. */
  #inItsZone(record: NodeRecord, change: () => void): void {
    this.#countInZone(record, -1);
    change();
    this.#countInZone(record, 1);
  }

  /** Before it comes, or goes. */
  #countInZone(record: NodeRecord, sign: 1 | -1): void {
    const zones = this.#zonesKnown();
    if (!record.ready) this.journal.set<Ledger, "lostNodes">(this, "lostNodes", this.lostNodes + sign);
    if (!countsForZone(record.node)) return;
    this.journal.mapSet(zones, zoneKey(record.node), withNode(zones, record, sign));
  }

  #zonesKnown(): Map<string, ZoneCount> {
    this.#zones ??= zoneCounts(this.nodes);
    return this.#zones;
  }

  #touchNode(name: string, change: (record: NodeRecord) => void): void {
    const record = this.#nodeRecord(name);
    change(record);
    this.dirtyNodes.add(name);
    this.#renumber(record);
    this.#roomChanged();
    this.#changed();
  }

  #podsChangedOn(name: string): void {
    const node = this.#nodesByName.get(name);
    if (node !== undefined) this.#podsChanged(node);
  }

  #podsChanged(node: NodeRecord): void {
    this.#renumber(node);
    this.journal.set(node, "podsGeneration", node.generation);
  }

  /** Numbers are never used again, in no branch of a search: a node with a number seen before is as it was then. */
  #renumber(node: NodeRecord): void {
    const before = node.generation;
    this.#generations += 1;
    node.generation = this.#generations;
    this.#touches.add(node);
    this.journal.note(() => {
      node.generation = before;
      this.#touches.add(node);
    });
  }

  /** `<owner name>-~n`, counted by owner. */
  #nextName(owner: ObjectKey, namespace: string): NewName {
    const names = this.#names.get(owner) ?? underKey(this.#names, owner, () => []);
    for (let count = (this.#nameCounters.get(owner) ?? 0) + 1; ; count += 1) {
      const known = names[count];
      const next =
        known?.namespace === namespace
          ? known
          : named(namespace, `${owner.slice(owner.lastIndexOf("/") + 1)}-~${count}`);
      names[count] = next;
      // A cluster that was played before has such pods already.
      if (this.#podByKey(next.key) !== undefined) continue;
      this.journal.mapSet(this.#nameCounters, owner, count);
      return next;
    }
  }

  /** In place: by creation, so that it is found by halves. */
  #takeOut(list: PodRecord[], pod: PodRecord): void {
    const at = placeByUid(list, pod.uid);
    if (list[at] !== pod) return;
    list.splice(at, 1);
    this.journal.note(() => {
      list.splice(at, 0, pod);
    });
  }

  /** Changes that can alter where a pod may go. */
  #roomChanged(): void {
    this.journal.set<Ledger, "roomChanges">(this, "roomChanges", this.roomChanges + 1);
  }

  /** `before`: how far it was. Whom that tells nothing new is not told. */
  #podChanged(pod: PodRecord, before: Stage): void {
    const after = this.#podsByUid[pod.uid] === pod ? stageOf(pod) : noStage;
    if (before !== after) {
      if (isForBudgets(before, after)) for (const { budget } of budgetsOf(this, pod)) this.dirtyBudgets.add(budget.key);
      if (isForServices(before, after)) this.journal.push(this.changedIn, pod);
      if (before !== anyStage) this.#recount(pod, before, after);
    }
    if (pod.owner !== null) this.#tellOwner(pod.owner, before, after);
    // A LeaderWorkerSet's workers belong to a StatefulSet that belongs to the leader pod.
    if (this.#isOwner(pod.key)) for (const owned of this.workloadsOwnedBy(podObjectKey(pod))) this.#dirty(owned.key);
    this.#changed();
  }

  #recount(pod: PodRecord, before: Stage, after: Stage): void {
    if (pod.owner !== null)
      this.journal.mapSet(this.#podCounts, pod.owner, recounted(this.podCounts(pod.owner), before, after));
    if (before === noStage || after === noStage || isHealthy(before) === isHealthy(after)) return;
    const cohort = this.#cohortOf(pod);
    this.journal.set(cohort, "healthy", cohort.healthy + (isHealthy(after) ? 1 : -1));
  }

  #tellOwner(owner: ObjectKey, before: Stage, after: Stage): void {
    const up = comesUp(before, after);
    if (up && this.#waitsForNone(owner)) return;
    const workload = this.#workloads.get(owner);
    if (workload === undefined || !countsAlone(workload)) this.#dirty(owner);
    else if (isForReplicas(before, after) || (up && waitsForReady(workload))) this.#dirty(owner);
    // What is ready, and what is gone for good, is for whoever stands above it.
    else if (workload.owner !== null && isForRollouts(before, after)) this.#dirty(workload.owner);
  }

  /** A DaemonSet that rolls nothing out has its pods, whether they are ready or not. */
  #waitsForNone(owner: ObjectKey): boolean {
    const workload = this.#workloads.get(owner);
    return workload?.spec.kind === "DaemonSet" && workload.memory === null && workload.spec.minReadyMs === 0;
  }

  #forgetDaemonSets(): void {
    this.#daemonSets = null;
    this.journal.note(() => {
      this.#daemonSets = null;
    });
  }

  #workloadChanged(workload: WorkloadRecord): void {
    this.journal.push(this.changedIn, { namespace: workload.spec.ref.namespace, owner: null });
    this.#dirty(workload.key);
    for (const owned of this.workloadsOwnedBy(workload.key)) this.dirtyWorkloads.add(owned.key);
    this.#changed();
  }

  /** A workload and everything above it: a Deployment looks when its ReplicaSet's pods change. */
  #dirty(key: ObjectKey): void {
    let at: ObjectKey | null = key;
    for (let level = 0; at !== null && level < ownersDeepMax; level += 1) {
      this.dirtyWorkloads.add(at);
      const workload: WorkloadRecord | undefined = this.#workloads.get(at);
      at = workload === undefined ? (this.#podByKey(podOfKey(at) ?? "")?.owner ?? null) : workload.owner;
    }
  }

  #changed(): void {
    this.journal.set<Ledger, "changes">(this, "changes", this.changes + 1);
  }

  #nodeRecord(name: string): NodeRecord {
    const record = this.#nodesByName.get(name);
    invariant(record !== undefined, `node ${name} exists`);
    return record;
  }

  #podRecord(key: PodKey): PodRecord {
    const record = this.#podByKey(key);
    invariant(record !== undefined, `pod ${key} exists`);
    return record;
  }

  #workloadRecord(key: ObjectKey): WorkloadRecord {
    const record = this.#workloads.get(key);
    invariant(record !== undefined, `workload ${key} exists`);
    return record;
  }

  #budgetRecord(key: ObjectKey): BudgetRecord {
    const record = this.#budgetRecords.get(key);
    invariant(record !== undefined, `budget ${key} exists`);
    return record;
  }
}

/** The name a new pod gets. */
interface NewName {
  readonly namespace: string;
  readonly name: string;
  readonly key: PodKey;
}

function named(namespace: string, name: string): NewName {
  return { namespace, name, key: namespacedName(namespace, name) };
}

/** Nodes that come and go while it is played are remembered beside those that were read, up to so many. */
const newNodesKept = 1_000;

/** Where a pod with this number stands, or would: a new one last. */
function placeByUid(list: readonly PodRecord[], uid: number): number {
  if ((list.at(-1)?.uid ?? -1) < uid) return list.length;
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.uid ?? uid) < uid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Owners of owners that are told of a change; a chain of hands is Job, JobSet, … and never this long. */
const ownersDeepMax = 8;

/** What it does goes by how many of its pods are how far, and by nothing else about them. */
function countsAlone({ spec }: WorkloadView): boolean {
  return spec.kind === "ReplicaSet" || spec.kind === "ReplicationController";
}

/** With minReadySeconds it looks again when a pod has been ready for so long. */
function waitsForReady({ spec }: WorkloadView): boolean {
  return "minReadyMs" in spec && spec.minReadyMs > 0;
}

function isWaiting(pod: PodView): boolean {
  return pod.node === null && pod.terminatingSinceMs === null && !isTerminal(pod);
}

function without<T>(list: readonly T[], item: T): T[] {
  return list.filter((other) => other !== item);
}
