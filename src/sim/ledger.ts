import { invariant } from "../base/invariant.ts";
import type { SimMs } from "../base/units.ts";
import { unsyncedStatus } from "../eviction/budget-status.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Allocation, ResourceClaim } from "../model/device.ts";
import { namespacedName, type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import type { PodTemplate, Taint } from "../model/pod-template.ts";
import type { AdmissionWebhook, Autoscaler, Budget, BudgetStatus, Quota, Service } from "../model/policy.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";
import { notInterned } from "../model/template-content.ts";
import type { BudgetView, ClusterView, ControllerMemory, NodeView, PodView, WorkloadView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import { readyEndpoints } from "../workload/endpoints.ts";
import { podObjectKey } from "../workload/garbage-collector.ts";
import { isTerminal } from "../workload/pod-state.ts";
import { Claims } from "./claims.ts";
import type { Journal } from "./journal.ts";
import {
  type BudgetRecord,
  combine,
  type NodeRecord,
  newestMs,
  nodeRecord,
  occupyWith,
  type PodRecord,
  podRecord,
  sinceMs,
  type WorkloadRecord,
  workloadRecord,
} from "./records.ts";
import { Templates } from "./templates.ts";

const nobody: readonly PodView[] = [];
const noTemplates: ReadonlyMap<PodTemplate, readonly PodView[]> = new Map();

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
  budgets: readonly BudgetView[] = [];
  services: readonly Service[];
  autoscalers: readonly Autoscaler[];
  quotas: readonly Quota[];
  webhooks: readonly AdmissionWebhook[];
  readonly #nodesByName = new Map<string, NodeRecord>();
  readonly #podsByUid: (PodRecord | undefined)[] = [];
  readonly #podsByKey = new Map<PodKey, PodRecord>();
  /** Waiting pods nominated to a node, in no order. */
  readonly #nominated = new Map<PodKey, PodRecord>();
  /** Pods without a node that want one: not terminating, not finished. In no order. */
  readonly #waiting = new Map<PodKey, PodRecord>();
  readonly #podsByNode = new Map<string, readonly PodRecord[]>();
  readonly #podsByOwner = new Map<ObjectKey, PodRecord[]>();
  readonly #podsByNamespace = new Map<string, PodRecord[]>();
  readonly #podsByTemplate = new Map<string, Map<PodTemplate, PodRecord[]>>();
  readonly #workloads = new Map<ObjectKey, WorkloadRecord>();
  #daemonSets: readonly WorkloadRecord[] | null = null;
  readonly #workloadsByOwner = new Map<ObjectKey, readonly WorkloadRecord[]>();
  readonly #budgetRecords = new Map<ObjectKey, BudgetRecord>();
  readonly #claims: Claims;
  readonly #nameCounters = new Map<string, number>();
  #templates: Templates | null = null;
  #generations = 0;
  readonly #touched: NodeRecord[] = [];
  /** Of those that are not kept any more. */
  #touchedBefore = 0;
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
    for (const pod of this.#podsByUid) if (pod !== undefined) yield pod;
  }

  pod(key: PodKey): PodView | undefined {
    return this.#podsByKey.get(key);
  }

  podByUid(uid: number): PodView | undefined {
    return this.#podsByUid[uid];
  }

  get nominated(): readonly PodView[] {
    return this.#nominated.size === 0 ? nobody : [...this.#nominated.values()].sort((a, b) => a.uid - b.uid);
  }

  /** Pods that want a node, in no order. */
  get waiting(): Iterable<PodView> {
    return this.#waiting.values();
  }

  podsOn(node: string): readonly PodView[] {
    return this.#podsByNode.get(node) ?? [];
  }

  podsOwnedBy(owner: ObjectKey): readonly PodView[] {
    return this.#podsByOwner.get(owner) ?? [];
  }

  podsIn(namespace: string): readonly PodView[] {
    return this.#podsByNamespace.get(namespace) ?? [];
  }

  podsByTemplateIn(namespace: string): ReadonlyMap<PodTemplate, readonly PodView[]> {
    return this.#podsByTemplate.get(namespace) ?? noTemplates;
  }

  get workloads(): Iterable<WorkloadView> {
    return this.#workloads.values();
  }

  /** DaemonSets come and go seldom: looked up again when one does. */
  get daemonSets(): readonly WorkloadView[] {
    this.#daemonSets ??= [...this.#workloads.values()].filter(({ spec }) => spec.kind === "DaemonSet");
    return this.#daemonSets;
  }

  workload(key: ObjectKey): WorkloadView | undefined {
    return this.#workloads.get(key);
  }

  workloadsOwnedBy(owner: ObjectKey): readonly WorkloadView[] {
    return this.#workloadsByOwner.get(owner) ?? [];
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

  get touches(): number {
    return this.#touchedBefore + this.#touched.length;
  }

  touchedSince(touches: number): readonly NodeView[] | null {
    return touches < this.#touchedBefore ? null : this.#touched.slice(touches - this.#touchedBefore);
  }

  // Time.

  setTime(nowMs: SimMs): void {
    this.journal.set<Ledger, "nowMs">(this, "nowMs", nowMs);
  }

  // Nodes.

  addNode(node: Node): void {
    this.#roomChanged();
    const record = nodeRecord(node);
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
    this.journal.mapDelete(this.#nodesByName, name);
    this.journal.set<Ledger, "nodes">(
      this,
      "nodes",
      this.nodes.filter((n) => n !== record),
    );
    this.#renumber(record);
    for (const pod of record.pods) this.#podChanged(pod);
    this.#changed();
  }

  setUnschedulable(name: string, unschedulable: boolean): void {
    this.#touchNode(name, (record) => this.journal.set(record, "unschedulable", unschedulable));
  }

  setTaints(name: string, taints: readonly Taint[]): void {
    this.#touchNode(name, (record) => this.journal.set(record, "taints", taints));
  }

  setNodeReady(name: string, ready: boolean): void {
    this.#touchNode(name, (record) => this.journal.set(record, "ready", ready));
  }

  /** A node patched or applied: labels, capacity. What changes while it runs stays as it is. */
  setNode(name: string, node: Node): void {
    this.#touchNode(name, (record) => this.journal.set(record, "node", node));
  }

  // Pods.

  createPod(pod: NewPod): PodView {
    this.#roomChanged();
    const template = this.#interned(pod.template);
    const name = pod.name ?? this.#nextName(pod.owner ?? "");
    const record = this.#insert({
      // In the order of the input's records, so that all are of one shape.
      uid: this.#podsByUid.length,
      template,
      owner: pod.owner,
      terminatingSinceMs: null,
      mirror: false,
      key: namespacedName(pod.namespace, name),
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
      claimKeys: new Map(),
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
    const node = this.#nodeRecord(nodeName);
    this.journal.set(pod, "node", node);
    this.journal.set(pod, "nominatedNode", "");
    this.journal.mapDelete(this.#nominated, key);
    this.journal.mapDelete(this.#waiting, key);
    this.#enlist(this.#podsByNode, nodeName, pod);
    this.journal.set(pod, "unschedulableMessage", "");
    this.#occupy(node, pod);
    this.#podChanged(pod);
  }

  setPhase(key: PodKey, phase: PodView["phase"]): void {
    const pod = this.#podRecord(key);
    if (pod.phase === phase) return;
    this.journal.set(pod, "phase", phase);
    if (phase === "Running" && pod.startedAtMs === null) this.journal.set(pod, "startedAtMs", this.nowMs);
    if (isTerminal(pod)) {
      this.#vacate(pod);
      this.journal.mapDelete(this.#waiting, key);
    }
    this.#podChanged(pod, { comesUp: !isTerminal(pod) });
  }

  setReady(key: PodKey, ready: boolean): void {
    const pod = this.#podRecord(key);
    if (pod.ready === ready) return;
    this.journal.set(pod, "ready", ready);
    this.journal.set(pod, "readySinceMs", ready ? this.nowMs : null);
    this.#podChanged(pod, { comesUp: true });
  }

  /** A pod patched: other labels, annotations. What it asks for stays. */
  setTemplate(key: PodKey, template: PodTemplate): void {
    const pod = this.#podRecord(key);
    this.#podChanged(pod);
    const templates = this.#templatesIn(pod.namespace);
    this.#unlist(templates, pod.template, pod);
    this.journal.set(pod, "template", this.#interned(template));
    const alike = [...(templates.get(pod.template) ?? []), pod].sort((a, b) => a.uid - b.uid);
    this.journal.mapSet(templates, pod.template, alike);
    this.#roomChanged();
    this.#podChanged(pod);
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
    this.journal.set(pod, "terminatingSinceMs", this.nowMs);
    this.journal.mapDelete(this.#waiting, key);
    if (preempted) this.journal.set(pod, "preempted", true);
    if (foreground) {
      this.journal.set(pod, "heldByFinalizer", true);
      this.suspects.add(podObjectKey(pod));
    }
    if (pod.node !== null) this.#nodeChanged(pod.node.name);
    this.#podChanged(pod);
  }

  releaseFinalizer(key: PodKey): void {
    this.journal.set(this.#podRecord(key), "heldByFinalizer", false);
    this.#podChanged(this.#podRecord(key));
  }

  /** The object goes, and the claims made for it; claims it only used are released. */
  removePod(key: PodKey): void {
    this.#roomChanged();
    const pod = this.#podRecord(key);
    this.#vacate(pod);
    this.journal.mapDelete(this.#podsByKey, key);
    this.journal.mapDelete(this.#nominated, key);
    this.journal.mapDelete(this.#waiting, key);
    if (pod.node !== null) this.#unlist(this.#podsByNode, pod.node.name, pod);
    this.#takeOut(this.#podsByNamespace, pod.namespace, pod);
    this.#takeOut(this.#templatesIn(pod.namespace), pod.template, pod);
    if (pod.owner !== null) this.#unlist(this.#podsByOwner, pod.owner, pod);
    const uid = pod.uid;
    this.#podsByUid[uid] = undefined;
    this.#undoWith(() => {
      this.#podsByUid[uid] = pod;
    });
    this.#claims.releaseOf(pod);
    this.suspects.add(podObjectKey(pod));
    if (pod.owner !== null) this.suspects.add(pod.owner);
    this.#podChanged(pod);
  }

  // Workloads.

  createWorkload(spec: Workload): WorkloadView {
    const record = workloadRecord(spec, this.nowMs);
    this.journal.mapSet(this.#workloads, spec.key, record);
    if (spec.kind === "DaemonSet") this.#forgetDaemonSets();
    if (spec.owner !== null) this.#enlist(this.#workloadsByOwner, spec.owner, record);
    this.#workloadChanged(record);
    return record;
  }

  setSpec(key: ObjectKey, spec: Workload): void {
    const record = this.#workloadRecord(key);
    if (record.owner !== spec.owner) {
      if (record.owner !== null) this.#unlist(this.#workloadsByOwner, record.owner, record);
      if (spec.owner !== null) this.#enlist(this.#workloadsByOwner, spec.owner, record);
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
    this.journal.mapDelete(this.#workloads, key);
    if (record.spec.kind === "DaemonSet") this.#forgetDaemonSets();
    if (record.owner !== null) this.#dirty(record.owner);
    if (record.owner !== null) this.#unlist(this.#workloadsByOwner, record.owner, record);
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

  /** `<owner name>-~n`, counted by owner. */
  nextName(owner: ObjectKey): string {
    return this.#nextName(owner);
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
    for (const node of cluster.nodes) this.#nodesByName.set(node.name, nodeRecord(node));
    for (const spec of cluster.workloads.values()) {
      this.#workloads.set(spec.key, workloadRecord(spec, sinceMs(spec.createdAtMs, this.#zeroUnixMs)));
    }
    for (const [owner, owned] of Map.groupBy(this.#workloads.values(), ({ owner }) => owner)) {
      if (owner !== null) this.#workloadsByOwner.set(owner, owned);
    }
    this.#loadPods(cluster.pods);
    for (const budget of cluster.budgets) {
      const status = budget.status ?? unsyncedStatus;
      this.#budgetRecords.set(budget.key, { budget, status, disruptedPods: this.#disrupted(budget) });
    }
    this.nodes = [...this.#nodesByName.values()];
    this.budgets = [...this.#budgetRecords.values()];
  }

  #loadPods(pods: readonly Pod[]): void {
    for (const pod of inCreationOrder(pods)) {
      if (!this.#podsByKey.has(pod.key))
        this.#podsByKey.set(pod.key, podRecord(pod, this.#nodesByName.get(pod.nodeName) ?? null, this.#zeroUnixMs));
    }
    const records = [...this.#podsByKey.values()];
    for (const [uid, record] of records.entries()) {
      record.uid = uid;
      this.#podsByUid.push(record);
      if (record.node === null && record.nominatedNode !== "") this.#nominated.set(record.key, record);
      if (isWaiting(record)) this.#waiting.set(record.key, record);
    }
    for (const [namespace, list] of Map.groupBy(records, (pod) => pod.namespace)) {
      this.#podsByNamespace.set(namespace, list);
      this.#podsByTemplate.set(
        namespace,
        Map.groupBy(list, ({ template }) => template),
      );
    }
    for (const [owner, list] of Map.groupBy(records, (pod) => pod.owner)) {
      if (owner !== null) this.#podsByOwner.set(owner, list);
    }
    for (const [node, list] of Map.groupBy(records, (pod) => pod.node?.name ?? "")) {
      const record = this.#nodesByName.get(node);
      if (record !== undefined) this.#podsByNode.set(node, list);
      if (record !== undefined)
        occupyWith(
          record,
          list.filter((pod) => !isTerminal(pod)),
        );
    }
  }

  /** Templates a controller made get the number of their content: the same object for the same content. */
  #interned(template: PodTemplate): PodTemplate {
    if (template.id !== notInterned) return template;
    this.#templates ??= new Templates(this.cluster);
    return this.#templates.interned(template);
  }

  #insert(record: PodRecord): PodRecord {
    this.journal.push(this.#podsByUid, record);
    this.journal.mapSet(this.#podsByKey, record.key, record);
    if (isWaiting(record)) this.journal.mapSet(this.#waiting, record.key, record);
    this.#append(this.#podsByNamespace, record.namespace, record);
    this.#append(this.#templatesIn(record.namespace), record.template, record);
    if (record.owner !== null) this.#append(this.#podsByOwner, record.owner, record);
    this.#podChanged(record);
    return record;
  }

  #occupy(node: NodeRecord, pod: PodRecord): void {
    this.journal.set(node, "pods", [...node.pods, pod]);
    this.journal.set(node, "requested", combine(node.requested, pod.requests, 1));
    this.journal.set(node, "nonZeroMilliCpu", node.nonZeroMilliCpu + pod.nonZeroMilliCpu);
    this.journal.set(node, "nonZeroMemoryBytes", node.nonZeroMemoryBytes + pod.nonZeroMemoryBytes);
    this.#renumber(node);
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
    this.#renumber(node);
  }

  #touchNode(name: string, change: (record: NodeRecord) => void): void {
    change(this.#nodeRecord(name));
    this.dirtyNodes.add(name);
    this.#nodeChanged(name);
    this.#roomChanged();
    this.#changed();
  }

  #nodeChanged(name: string): void {
    const record = this.#nodesByName.get(name);
    if (record !== undefined) this.#renumber(record);
  }

  /** Numbers are never used again, in no branch of a search: a node with a number seen before is as it was then. */
  #renumber(node: NodeRecord): void {
    const before = node.generation;
    this.#generations += 1;
    node.generation = this.#generations;
    this.#noteTouched(node);
    this.journal.note(() => {
      node.generation = before;
      this.#noteTouched(node);
    });
  }

  #noteTouched(node: NodeRecord): void {
    if (this.#touched.length > this.nodes.length + touchedMin) {
      this.#touchedBefore += this.#touched.length;
      this.#touched.length = 0;
    }
    this.#touched.push(node);
  }

  #nextName(owner: ObjectKey): string {
    const place = owner.slice(owner.indexOf("/") + 1);
    let count = (this.#nameCounters.get(owner) ?? 0) + 1;
    // A cluster that was played before has such pods already.
    while (this.#podsByKey.has(`${place}-~${count}`)) count += 1;
    this.journal.mapSet(this.#nameCounters, owner, count);
    return `${place.slice(place.lastIndexOf("/") + 1)}-~${count}`;
  }

  #templatesIn(namespace: string): Map<PodTemplate, PodRecord[]> {
    let templates = this.#podsByTemplate.get(namespace);
    if (templates === undefined) {
      templates = new Map();
      this.#podsByTemplate.set(namespace, templates);
    }
    return templates;
  }

  #enlist<T>(index: Map<string, readonly T[]>, key: string, item: T): void {
    this.journal.mapSet(index, key, [...(index.get(key) ?? []), item]);
  }

  /** In place: thousands of pods made at once would else be copied thousands of times. */
  #append<K, T>(index: Map<K, T[]>, key: K, item: T): void {
    const list = index.get(key);
    if (list === undefined) this.journal.mapSet(index, key, [item]);
    else this.journal.push(list, item);
  }

  /** In place, as `#append`: by creation, so that it is found by halves. */
  #takeOut<K>(index: Map<K, PodRecord[]>, key: K, pod: PodRecord): void {
    const list = index.get(key) ?? [];
    const at = placeByUid(list, pod.uid);
    if (list[at] !== pod) return;
    list.splice(at, 1);
    this.#undoWith(() => {
      list.splice(at, 0, pod);
    });
  }

  #unlist<K, T>(index: Map<K, T[]> | Map<K, readonly T[]>, key: K, item: T): void {
    const rest = (index.get(key) ?? []).filter((other) => other !== item);
    this.journal.mapSet(index, key, rest);
  }

  #undoWith(undo: () => void): void {
    this.journal.note(undo);
  }

  /** Changes that can alter where a pod may go. */
  #roomChanged(): void {
    this.journal.set<Ledger, "roomChanges">(this, "roomChanges", this.roomChanges + 1);
  }

  /** `comesUp`: all that changed is how far it is on its way to serve. */
  #podChanged(pod: PodRecord, { comesUp }: { readonly comesUp: boolean } = { comesUp: false }): void {
    for (const { budget } of budgetsOf(this, pod)) this.dirtyBudgets.add(budget.key);
    this.journal.push(this.changedIn, pod);
    if (pod.owner !== null && !(comesUp && this.#waitsForNone(pod.owner))) this.#dirty(pod.owner);
    // A LeaderWorkerSet's workers belong to a StatefulSet that belongs to the leader pod.
    for (const owned of this.workloadsOwnedBy(podObjectKey(pod))) this.#dirty(owned.key);
    this.#changed();
  }

  /** A DaemonSet that rolls nothing out has its pods, whether they are ready or not. */
  #waitsForNone(owner: ObjectKey): boolean {
    const workload = this.#workloads.get(owner);
    return workload?.spec.kind === "DaemonSet" && workload.memory === null && workload.spec.minReadyMs === 0;
  }

  #forgetDaemonSets(): void {
    this.#daemonSets = null;
    this.#undoWith(() => {
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
      at = this.#workloads.get(at)?.owner ?? this.#podsByKey.get(podOfKey(at) ?? "")?.owner ?? null;
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
    const record = this.#podsByKey.get(key);
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

/** More than nodes are not kept: whoever looks that late looks at all of them. */
const touchedMin = 1_000;

/** Where a pod with this number stands, or would. */
function placeByUid(list: readonly PodRecord[], uid: number): number {
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

function isWaiting(pod: PodView): boolean {
  return pod.node === null && pod.terminatingSinceMs === null && !isTerminal(pod);
}

function inCreationOrder(pods: readonly Pod[]): readonly Pod[] {
  return pods
    .map((pod, index) => ({ pod, index }))
    .sort((a, b) => (a.pod.createdAtMs ?? 0) - (b.pod.createdAtMs ?? 0) || a.index - b.index)
    .map(({ pod }) => pod);
}
