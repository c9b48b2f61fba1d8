import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { SimMs } from "../base/units.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import { type OwnedWorkloads, ownedWorkloadsOf } from "../model/owned-workloads.ts";
import type { Workload } from "../model/workload.ts";
import type { Journal } from "./journal.ts";
import { sinceMs, type WorkloadRecord } from "./records.ts";

/** The workloads of a ledger: of those that were read it makes records when somebody asks for them. */
export class WorkloadRecords {
  readonly #cluster: Cluster;
  readonly #journal: Journal;
  readonly #zeroUnixMs: number;
  readonly #owned: OwnedWorkloads;
  /** As read: undoing anything leaves them there. */
  readonly #read = new Map<ObjectKey, WorkloadRecord>();
  /** Of those that were read. */
  readonly #removed = new Map<ObjectKey, true>();
  readonly #made = new Map<ObjectKey, WorkloadRecord>();
  /** Each list is made of what was read when it is first asked for, which is before it changes. */
  readonly #byOwner = new Map<ObjectKey, readonly WorkloadRecord[]>();

  constructor(cluster: Cluster, journal: Journal, zeroUnixMs: number) {
    this.#cluster = cluster;
    this.#journal = journal;
    this.#zeroUnixMs = zeroUnixMs;
    this.#owned = ownedWorkloadsOf(cluster);
  }

  get(key: ObjectKey): WorkloadRecord | undefined {
    return this.#made.get(key) ?? (this.#removed.has(key) ? undefined : this.#asRead(key));
  }

  *keys(): Iterable<ObjectKey> {
    for (const key of this.#cluster.workloads.keys()) if (!this.#removed.has(key)) yield key;
    yield* this.#made.keys();
  }

  *[Symbol.iterator](): Iterator<WorkloadRecord> {
    for (const key of this.keys()) {
      const record = this.get(key);
      if (record !== undefined) yield record;
    }
  }

  add(record: WorkloadRecord): void {
    // One that was read of that name is gone, or goes with this.
    if (this.#cluster.workloads.has(record.key)) this.#journal.mapSet(this.#removed, record.key, true);
    this.#journal.mapSet(this.#made, record.key, record);
  }

  remove(key: ObjectKey): void {
    if (this.#made.has(key)) this.#journal.mapDelete(this.#made, key);
    else this.#journal.mapSet(this.#removed, key, true);
  }

  ownedBy(owner: ObjectKey): readonly WorkloadRecord[] {
    return (
      this.#byOwner.get(owner) ??
      underKey(this.#byOwner, owner, () => (this.#owned.get(owner) ?? []).flatMap((key) => this.#asRead(key) ?? []))
    );
  }

  own(owner: ObjectKey, record: WorkloadRecord): void {
    this.#journal.mapSet(this.#byOwner, owner, [...this.ownedBy(owner), record]);
  }

  disown(owner: ObjectKey, record: WorkloadRecord): void {
    const others = this.ownedBy(owner).filter((other) => other !== record);
    this.#journal.mapSet(this.#byOwner, owner, others);
  }

  /** A pod that owns one that was read. */
  isOwner(pod: PodKey): boolean {
    return owningPods(this.#owned).has(pod);
  }

  #asRead(key: ObjectKey): WorkloadRecord | undefined {
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const { workloads } = this.#cluster;
    if (!workloads.has(key)) return undefined;
    const owner = ownersOf(this.#owned).get(key) ?? null;
    const record = new LateWorkload({ key, owner, workloads, zeroUnixMs: this.#zeroUnixMs });
    this.#read.set(key, record);
    return record;
  }
}

/** Whoever asks for all that stands above a pod asks for owners, and for nothing else of them. */
class LateWorkload implements WorkloadRecord {
  key: ObjectKey;
  owner: ObjectKey | null;
  deleting = false;
  foreground = false;
  memory: WorkloadRecord["memory"] = null;
  readonly #workloads: Cluster["workloads"];
  readonly #zeroUnixMs: number;
  #spec: Workload | null = null;

  constructor(read: {
    readonly key: ObjectKey;
    readonly owner: ObjectKey | null;
    readonly workloads: Cluster["workloads"];
    readonly zeroUnixMs: number;
  }) {
    this.key = read.key;
    this.owner = read.owner;
    this.#workloads = read.workloads;
    this.#zeroUnixMs = read.zeroUnixMs;
  }

  get spec(): Workload {
    this.#spec ??= this.#asRead();
    return this.#spec;
  }
  set spec(spec: Workload) {
    this.#spec = spec;
  }

  get createdAtMs(): SimMs {
    return sinceMs(this.#asRead().createdAtMs, this.#zeroUnixMs);
  }

  #asRead(): Workload {
    const spec = this.#workloads.get(this.key);
    invariant(spec !== undefined, "the workload was read");
    return spec;
  }
}

function ownersOf(owned: OwnedWorkloads): ReadonlyMap<ObjectKey, ObjectKey> {
  return underKey(
    knownOwners,
    owned,
    () => new Map([...owned].flatMap(([owner, keys]) => keys.map((key) => [key, owner] as const))),
  );
}

const knownOwners = new WeakMap<OwnedWorkloads, ReadonlyMap<ObjectKey, ObjectKey>>();

function owningPods(owned: OwnedWorkloads): ReadonlySet<PodKey> {
  return underKey(known, owned, () => new Set([...owned.keys()].flatMap((owner) => podOfKey(owner) ?? [])));
}

const known = new WeakMap<OwnedWorkloads, ReadonlySet<PodKey>>();
