import { listed } from "../base/listed.ts";
import type { SimMs } from "../base/units.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import { groupNameLabel, matches } from "../model/labels.ts";
import type { Service } from "../model/policy.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { capacityOf, floorsOf, type RoleFloor } from "../route/capacity.ts";
import type { Endpoint, Hop, PodSet } from "../systems/endpoint.ts";
import { endpointsOf } from "../workload/endpoints.ts";
import { ownerAbove } from "../workload/garbage-collector.ts";
import { isTerminal } from "../workload/pod-state.ts";
import type { Journal } from "./journal.ts";
import type { ChangedIn } from "./ledger.ts";
import { type DrainRecord, endsWell, type Fact } from "./trace.ts";

/** A span of time in which a hop the endpoint needs had nothing ready. */
export interface DownSpan {
  readonly fromMs: SimMs;
  /** Null: down still. */
  readonly toMs: SimMs | null;
  readonly hop: string;
  readonly because: string;
}

/** The longest of these, ms; null: one has no end. */
export function longestMs(spans: readonly DownSpan[]): number | null {
  let longest = 0;
  for (const { fromMs, toMs } of spans) {
    if (toMs === null) return null;
    longest = Math.max(longest, toMs - fromMs);
  }
  return longest;
}

/** What it took to get somewhere. */
export interface Effort {
  readonly drains: number;
  readonly choices: number;
  readonly atMs: SimMs;
}

/** What a simulation has seen of one endpoint so far. */
export interface EndpointRecord {
  readonly endpoint: Endpoint;
  down: DownSpan | null;
  downs: readonly DownSpan[];
  degraded: boolean;
  /** Degraded at some moment, or down for longer than it may be. */
  broken: boolean;
  /** How far it had come when it broke: fewer is the smaller counterexample. Null: not broken. */
  brokenAfter: Effort | null;
  /** The same for the moment it last went down. */
  downAfter: Effort;
  minCapacity: number;
  /** With times: every change of its capacity. */
  capacities: readonly { readonly atMs: SimMs; readonly capacity: number }[];
  /** What it was before anything happened. */
  now: "up" | "degraded" | "down" | "idle";
  /** Pods of its path on which a drain stalled, gave up or was refused. */
  stalledBy: readonly string[];
}

/** What it has seen of one hop: of a path, or supporting. */
export interface HopRecord {
  readonly hop: Hop;
  /** Ready units now. */
  ready: number;
  min: number;
  zeroSinceMs: SimMs | null;
  /** Was without a ready unit for a time. */
  wasZero: boolean;
  /** A drain did not end well because of one of its pods. */
  stalled: boolean;
}

export interface ServiceRecord {
  readonly service: Service;
  ready: number;
  min: number;
  sequence: readonly { readonly atMs: SimMs; readonly ready: number }[];
}

/** When a Service that had something ready had nothing, moments left out; toMs null: to the end. */
export function darkSpans(
  sequence: ServiceRecord["sequence"],
): readonly { readonly fromMs: SimMs; readonly toMs: SimMs | null }[] {
  const hadNothing = sequence[0]?.ready === 0;
  return sequence.flatMap(({ atMs, ready }, index) => {
    const toMs = sequence[index + 1]?.atMs ?? null;
    return ready > 0 || toMs === atMs || (index === 0 && hadNothing) ? [] : [{ fromMs: atMs, toMs }];
  });
}

/** What is watched: where something changed since the last look. */
export type Watched = ClusterView & {
  /** One entry a change. */
  readonly changedIn: readonly ChangedIn[];
};

/** Watches endpoints, hops and Services while a simulation runs; changes only through the journal. */
export class Monitor {
  readonly endpoints: readonly EndpointRecord[];
  readonly hops: readonly HopRecord[];
  readonly services: readonly ServiceRecord[];
  readonly #journal: Journal;
  readonly #timed: boolean;
  readonly #effort: () => Effort;
  readonly #floors: ReadonlyMap<Endpoint, readonly RoleFloor[]>;
  readonly #byHop: ReadonlyMap<Hop, HopRecord>;
  readonly #byEndpoint: ReadonlyMap<Endpoint, EndpointRecord>;
  readonly #places: ReadonlyMap<EndpointRecord, number>;
  readonly #withHop = new Map<Hop, EndpointRecord[]>();
  readonly #hopsIn: ReadonlyMap<string, readonly HopRecord[]>;
  /** Of those, the ones that take pods by their labels. */
  readonly #selectingIn: ReadonlyMap<string, readonly HopRecord[]>;
  /** Those that take the pods of an owner. */
  readonly #hopsOf: ReadonlyMap<string, readonly HopRecord[]>;
  /** The Services as they were read: as long as nobody changes one, these are they. */
  readonly #servicesRead: readonly Service[];
  readonly #servicesIn: ReadonlyMap<string, readonly ServiceRecord[]>;
  /** Who was ever down, or ever without a ready unit, in some branch of a search: of thousands few. */
  readonly #everDown = new Set<EndpointRecord>();
  readonly #everZero: Set<HopRecord>;
  /** How much of the view's `changedIn` it has looked at; -1: nothing yet. */
  #read = -1;

  constructor(
    view: Watched,
    journal: Journal,
    watched: {
      readonly endpoints: readonly Endpoint[];
      readonly supporting: readonly Hop[];
      /** False: Services are nobody's question. */
      readonly services?: boolean;
    },
    how: { readonly timed: boolean; readonly effort: () => Effort },
  ) {
    this.#journal = journal;
    this.#timed = how.timed;
    this.#effort = how.effort;
    const hops = new Set([...watched.endpoints.flatMap((endpoint) => endpoint.hops), ...watched.supporting]);
    this.hops = [...hops].map((hop) => {
      const ready = readyUnits(view, hop);
      return { hop, ready, min: ready, zeroSinceMs: ready === 0 ? 0 : null, wasZero: false, stalled: false };
    });
    this.#everZero = new Set(this.hops.filter(({ ready }) => ready === 0));
    this.#floors = new Map(watched.endpoints.map((endpoint) => [endpoint, floorsOf(view, endpoint)]));
    this.endpoints = watched.endpoints.map((endpoint) => ({
      endpoint,
      down: null,
      downs: [],
      degraded: false,
      broken: false,
      brokenAfter: null,
      downAfter: { drains: 0, choices: 0, atMs: 0 },
      minCapacity: 1,
      capacities: [],
      now: endpoint.idle ? ("idle" as const) : ("up" as const),
      stalledBy: [],
    }));
    this.#byEndpoint = new Map(this.endpoints.map((record) => [record.endpoint, record]));
    this.#places = new Map(this.endpoints.map((record, place) => [record, place]));
    for (const record of this.endpoints) {
      for (const hop of record.endpoint.hops) listed(this.#withHop, hop, record);
    }
    this.#servicesRead = view.services;
    this.services = (watched.services === false ? [] : view.services)
      .filter((service) => service.selector !== null)
      .map((service) => {
        const ready = readyCount(view, service);
        return { service, ready, min: ready, sequence: [{ atMs: 0, ready }] };
      });
    this.#byHop = new Map(this.hops.map((record) => [record.hop, record]));
    this.#hopsIn = byEach(this.hops, ({ hop }) => namespacesOf(hop.pods));
    this.#selectingIn = byEach(this.hops, ({ hop }) => (hop.pods.by === "selector" ? [hop.pods.namespace] : []));
    this.#hopsOf = byEach(this.hops, ({ hop }) => (hop.pods.by === "owner" ? hop.pods.owners : []));
    this.#servicesIn = byEach(this.services, ({ service }) => [service.ref.namespace]);
  }

  /** Looks at everything after the cluster settled; tells what changed for endpoints. */
  look(view: Watched, tell: (fact: Fact) => void): void {
    const read = this.#read;
    if (view.changedIn.length === read) return;
    this.#read = view.changedIn.length;
    this.#journal.note(() => {
      this.#read = read;
    });
    const first = read === -1;
    const changes = view.changedIn.slice(Math.max(0, read));
    const changed = new Set<Hop>();
    for (const namespace of new Set(changes.map((change) => change.namespace))) {
      for (const record of this.#servicesIn.get(namespace) ?? []) this.#lookAtService(view, record);
    }
    for (const record of this.#hopsWith(view, changes)) if (this.#lookAtHop(view, record)) changed.add(record.hop);
    if (changed.size === 0 && !first) return;
    for (const record of first ? this.endpoints : this.#recordsWith(changed))
      this.#lookAtEndpoint(view, record, { tell, first });
  }

  /** Hops that may have a pod of the owners that changed. */
  #hopsWith(view: ClusterView, changes: readonly ChangedIn[]): ReadonlySet<HopRecord> {
    const found = new Set<HopRecord>();
    const seen = new Set<string>();
    const take = (records: readonly HopRecord[] = []): void => {
      for (const record of records) found.add(record);
    };
    for (const { namespace, owner } of changes) {
      if (seen.has(owner ?? namespace)) continue;
      seen.add(owner ?? namespace);
      const owners = owner === null ? null : ownersAbove(view, owner);
      if (owners === null) take(this.#hopsIn.get(namespace));
      else {
        take(this.#selectingIn.get(namespace));
        for (const key of owners) take(this.#hopsOf.get(key));
      }
    }
    return found;
  }

  /** Records of endpoints with one of these hops, in their order. */
  #recordsWith(hops: ReadonlySet<Hop>): readonly EndpointRecord[] {
    const records = new Set([...hops].flatMap((hop) => this.#withHop.get(hop) ?? []));
    return [...records].sort((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0));
  }

  endpoint(endpoint: Endpoint): EndpointRecord | undefined {
    return this.#byEndpoint.get(endpoint);
  }

  hop(hop: Hop): HopRecord | undefined {
    return this.#byHop.get(hop);
  }

  /** A hop's ready units as last looked at. */
  readyOf(hop: Hop): number {
    return this.#byHop.get(hop)?.ready ?? 0;
  }

  /** Whether the hop was, or is, without a ready unit for a time. */
  wasZero(hop: Hop, nowMs: SimMs): boolean {
    const record = this.#byHop.get(hop);
    if (record === undefined) return false;
    return record.wasZero || (record.zeroSinceMs !== null && record.zeroSinceMs < nowMs);
  }

  floorsOf(endpoint: Endpoint): readonly RoleFloor[] {
    return this.#floors.get(endpoint) ?? [];
  }

  #lookAtService(view: ClusterView, record: ServiceRecord): void {
    // A step may have changed what it selects, or have deleted it.
    const { ref } = record.service;
    const isSame = (other: Service): boolean => other.ref.name === ref.name && other.ref.namespace === ref.namespace;
    const now = view.services === this.#servicesRead ? record.service : view.services.find(isSame);
    const ready = now === undefined ? 0 : readyCount(view, now);
    if (ready === record.ready) return;
    this.#journal.set(record, "ready", ready);
    this.#journal.set(record, "min", Math.min(record.min, ready));
    this.#journal.set(record, "sequence", [...record.sequence, { atMs: view.nowMs, ready }]);
  }

  #lookAtHop(view: ClusterView, record: HopRecord): boolean {
    const ready = readyUnits(view, record.hop);
    if (ready === record.ready) return false;
    this.#journal.set(record, "ready", ready);
    this.#journal.set(record, "min", Math.min(record.min, ready));
    if (ready > 0 && record.zeroSinceMs !== null) {
      if (view.nowMs > record.zeroSinceMs) this.#journal.set(record, "wasZero", true);
      this.#journal.set(record, "zeroSinceMs", null);
    }
    if (ready === 0) {
      this.#everZero.add(record);
      this.#journal.set(record, "zeroSinceMs", view.nowMs);
      if (!this.#timed) this.#journal.set(record, "wasZero", true);
    }
    return true;
  }

  #lookAtEndpoint(
    view: ClusterView,
    record: EndpointRecord,
    { tell, first }: { readonly tell: (fact: Fact) => void; readonly first: boolean },
  ): void {
    const { endpoint } = record;
    if (endpoint.idle) return;
    const name = `${endpoint.namespace}/${endpoint.name}`;
    const units = (hop: Hop): number => this.readyOf(hop);
    const floors = this.#floors.get(endpoint) ?? [];
    const lost = endpoint.hops.find((hop) => hop.needed && hop.outside === "" && isLost(endpoint, hop, units));
    const capacity = lost === undefined ? capacityOf(endpoint, floors, units) : 0;
    this.#journal.set(record, "minCapacity", Math.min(record.minCapacity, capacity));
    if (this.#timed && record.capacities.at(-1)?.capacity !== capacity)
      this.#journal.set(record, "capacities", [...record.capacities, { atMs: view.nowMs, capacity }]);
    if (lost !== undefined && record.down === null) {
      const because = whyNothingReady(view, lost);
      this.#everDown.add(record);
      this.#journal.set(record, "down", { fromMs: view.nowMs, toMs: null, hop: lost.component, because });
      this.#journal.set(record, "downAfter", this.#effort());
      tell({ type: "endpoint-down", endpoint: name, hop: lost.component, because });
      if (!this.#timed) this.#break(record, record.downAfter);
    }
    if (lost === undefined && record.down !== null) {
      this.closeSpan(record, view.nowMs);
      tell({ type: "endpoint-up", endpoint: name });
    }
    const short = floors.find(({ role, minAvailable }) => unitsOfRole(endpoint, role, units) < minAvailable);
    const degraded = lost === undefined && short !== undefined;
    if (degraded && !record.degraded) {
      const ready = unitsOfRole(endpoint, short.role, units);
      const because = `${ready} of ${short.desired} ${short.role === "" ? "engines" : `${short.role} engines`} ready, ${short.minAvailable} wanted`;
      tell({ type: "endpoint-degraded", endpoint: name, capacity, because });
      this.#break(record, this.#effort());
    }
    this.#journal.set(record, "degraded", degraded);
    if (first && lost !== undefined) this.#journal.set(record, "now", "down");
    if (first && degraded) this.#journal.set(record, "now", "degraded");
  }

  #break(record: EndpointRecord, effort: Effort): void {
    if (record.broken) return;
    this.#journal.set(record, "broken", true);
    this.#journal.set(record, "brokenAfter", effort);
  }

  /** The endpoint is up again: the span counts when it was longer than nothing. */
  closeSpan(record: EndpointRecord, nowMs: SimMs): void {
    const { down } = record;
    if (down === null) return;
    const lengthMs = nowMs - down.fromMs;
    if (lengthMs > 0 || !this.#timed) {
      this.#journal.set(record, "downs", [...record.downs, { ...down, toMs: nowMs }]);
    }
    if (lengthMs > record.endpoint.maxDownMs) this.#break(record, record.downAfter);
    this.#journal.set(record, "down", null);
  }

  /** Drains that did not end well because of a pod of an endpoint's path. */
  noteDrains(view: ClusterView, drains: readonly DrainRecord[]): void {
    for (const [hop, pods] of this.#stalledOn(view, drains)) {
      const known = this.#byHop.get(hop);
      if (known?.stalled === false) this.#journal.set(known, "stalled", true);
      if (!hop.onPath) continue;
      for (const record of this.#withHop.get(hop) ?? []) {
        const blamed = new Set([...record.stalledBy, ...pods]);
        if (blamed.size > record.stalledBy.length) this.#journal.set(record, "stalledBy", [...blamed]);
      }
    }
  }

  /** Hops of whose pods a drain did not end well, with these pods. */
  #stalledOn(view: ClusterView, drains: readonly DrainRecord[]): ReadonlyMap<Hop, readonly string[]> {
    const found = new Map<Hop, string[]>();
    for (const drain of drains) {
      if (endsWell(drain)) continue;
      for (const pod of [...drain.blockedBy.map((refusal) => refusal.pod), ...drain.refusedFor]) {
        for (const { hop } of this.#hopsIn.get(pod.slice(0, pod.indexOf("/"))) ?? []) {
          if (podsOf(view, hop.pods).some(({ key }) => key === pod)) listed(found, hop, pod);
        }
      }
    }
    return found;
  }

  /** Nothing more happens: what is down stays down. */
  finish(view: ClusterView): void {
    for (const record of this.#everDown) {
      if (record.down === null) continue;
      this.#journal.set(record, "downs", [...record.downs, record.down]);
      this.#break(record, record.downAfter);
    }
    for (const record of this.#everZero) {
      if (record.zeroSinceMs !== null && record.zeroSinceMs <= view.nowMs) this.#journal.set(record, "wasZero", true);
    }
  }
}

/** Pods never leave the namespace of what owns them. */
function namespacesOf(pods: PodSet): readonly string[] {
  if (pods.by === "selector") return [pods.namespace];
  return [...new Set(pods.owners.map((owner) => owner.split("/")[1] ?? ""))];
}

/** The owner of a pod and all above it; null: one of them is gone, so that nothing tells who else is. */
function ownersAbove(view: ClusterView, owner: ObjectKey): readonly ObjectKey[] | null {
  const owners: ObjectKey[] = [];
  for (let at: ObjectKey | null = owner; at !== null && owners.length < ownersDeepMax; ) {
    owners.push(at);
    const above = ownerAbove(view, at);
    if (above === undefined) return null;
    at = above;
  }
  return owners;
}

/** A chain of hands is Job, JobSet, … and never this long. */
const ownersDeepMax = 16;

function byEach<T>(records: readonly T[], keysOf: (record: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const record of records) for (const key of new Set(keysOf(record))) listed(found, key, record);
  return found;
}

function readyCount(view: ClusterView, service: Service): number {
  let ready = 0;
  for (const endpoint of endpointsOf(view, service)) if (endpoint.ready) ready += 1;
  return ready;
}

/** Engines of one role stand in for each other; any other hop stands for itself. */
function isLost(endpoint: Endpoint, hop: Hop, units: (hop: Hop) => number): boolean {
  return (hop.hop === "engine" ? unitsOfRole(endpoint, hop.role, units) : units(hop)) === 0;
}

function unitsOfRole(endpoint: Endpoint, role: string, units: (hop: Hop) => number): number {
  let sum = 0;
  for (const hop of endpoint.hops) if (hop.hop === "engine" && hop.role === role) sum += units(hop);
  return sum;
}

/** Pods with it may own a StatefulSet: the leaders of groups own their workers'. No others own anything. */

/** Pods of a set now, terminating ones too. */
export function podsOf(view: ClusterView, set: PodSet): readonly PodView[] {
  if (set.by === "selector") {
    return view.podsIn(set.namespace).filter((pod) => matches(set.selector, pod.template.labels));
  }
  const found = new Map<number, PodView>();
  const below = (key: string): void => {
    for (const pod of view.podsOwnedBy(key)) {
      found.set(pod.uid, pod);
      if (!pod.template.labels.has(groupNameLabel)) continue;
      const podKey = objectKey({ apiVersion: "v1", kind: "Pod", namespace: pod.namespace, name: pod.name });
      for (const owned of view.workloadsOwnedBy(podKey)) below(owned.key);
    }
    for (const owned of view.workloadsOwnedBy(key)) below(owned.key);
  };
  for (const owner of set.owners) below(owner);
  return [...found.values()].sort((a, b) => a.uid - b.uid);
}

/**
 * Serving units that are ready: pods, or whole groups. Ready and not terminating, as in an EndpointSlice. Where no nodes were read,
 * pods speak for themselves.
 */
export function readyUnits(view: ClusterView, hop: Hop): number {
  const stands = ({ node }: PodView): boolean =>
    view.nodes.length === 0 || (node !== null && view.node(node.name) !== undefined);
  const isReady = (pod: PodView): boolean => pod.ready && pod.terminatingSinceMs === null && stands(pod);
  return unitsOf(hop, podsOf(view, hop.pods).filter(isReady));
}

/** How many whole units of the hop these pods are. */
export function unitsOf({ unit }: Hop, pods: readonly PodView[]): number {
  if (unit.kind === "pod") return pods.length;
  const groups = new Map<string, number>();
  for (const pod of pods) {
    const group = pod.template.labels.get(unit.groupLabel);
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return [...groups.values()].filter((count) => count >= unit.size).length;
}

function whyNothingReady(view: ClusterView, hop: Hop): string {
  const pods = podsOf(view, hop.pods).filter((pod) => !isTerminal(pod));
  const coming = pods.filter((pod) => pod.terminatingSinceMs === null);
  const waiting = coming.find((pod) => pod.node === null);
  if (waiting !== undefined) return `${waiting.key} is Pending: ${waiting.unschedulableMessage || "not placed yet"}`;
  const starting = coming.find((pod) => !pod.ready);
  if (starting !== undefined) return `${starting.key} on ${starting.node?.name ?? "no node"} is not Ready yet`;
  return pods.length > 0 ? "its last pod stops and no replacement exists" : "it has no pod";
}
