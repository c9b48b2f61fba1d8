import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import type { Pod } from "../model/pod.ts";
import type { PodKin } from "../model/pod-columns.ts";
import { type PodIndex, podIndexOf } from "../model/pod-index.ts";
import { type Stage, stageAsRead } from "./pod-stage.ts";

/** Numbers of pods, in order. */
type Uids = Int32Array;

const nobody: Uids = new Int32Array(0);

/** Pods that differ in nothing but what each has for itself: name, node and times. */
export class PodKind {
  readonly uids: Uids;
  readonly #index: PodIndex;
  readonly #number: number;

  constructor(uids: Uids, index: PodIndex, number: number) {
    this.uids = uids;
    this.#index = index;
    this.#number = number;
  }

  get kin(): PodKin {
    return this.#index.kin(this.#number);
  }

  get priority(): number {
    return this.#index.priority(this.#number);
  }

  get repels(): boolean {
    return this.#index.repels(this.#number);
  }
}

/**
 * The pods of a cluster as read, by the numbers that every ledger of it gives them: in order of creation. A ledger makes of them
 * those that somebody looks at, and of most questions most pods are none of their business.
 */
export class PodsRead {
  /** By number. */
  readonly pods: readonly Pod[];
  readonly #cluster: Cluster;
  readonly #index: PodIndex;
  readonly #kinOf: Int32Array;
  readonly #nodeOf: Int32Array;
  readonly #nodes: ReadonlySet<string>;
  /** By kin, twice: of those without a node, and of those that have one. */
  readonly #stages: (Stage | undefined)[] = [];
  readonly #byKey = new Map<string, ReadonlyMap<PodKey, number>>();
  #byNode: Groups<string> | null = null;
  #byOwner: Groups<ObjectKey | null> | null = null;
  #byNamespace: Groups<string> | null = null;
  #kinds: readonly PodKind[] | null = null;
  #kindsByNamespace: ReadonlyMap<string, readonly PodKind[]> | null = null;
  #owningPods: ReadonlySet<PodKey> | null = null;
  #unready: Uids | null = null;

  private constructor(cluster: Cluster) {
    const { pods, nodes } = cluster;
    this.#cluster = cluster;
    this.#index = podIndexOf(pods);
    const { order, kins } = this.#index;
    this.pods = Array.from(order, (place) => podAt(pods, place));
    this.#kinOf = order.map((place) => kins[place] ?? 0);
    this.#nodeOf = order.map((place) => this.#index.nodes[place] ?? 0);
    this.#nodes = new Set(nodes.map(({ name }) => name));
  }

  static of(cluster: Cluster): PodsRead {
    return underKey(known, cluster, () => new PodsRead(cluster));
  }

  uidOf(key: PodKey): number | undefined {
    // Asked for each name that a ledger makes up: nobody need read the names of a whole namespace for that.
    if (isMadeUp(key) && !hasMadeUp(this.#cluster)) return undefined;
    const namespace = key.slice(0, key.indexOf("/"));
    const uids = underKey(
      this.#byKey,
      namespace,
      () => new Map(Array.from(this.inNamespace(namespace), (uid) => [this.at(uid).key, uid])),
    );
    return uids.get(key);
  }

  /** Pods bound to a node that was read; "": those that are bound to none. */
  onNode(name: string): Uids {
    this.#byNode ??= this.#groupedByNode();
    return this.#byNode.of(name);
  }

  ownedBy(owner: ObjectKey): Uids {
    return this.#owners().of(owner);
  }

  /** Pods that own others. */
  get owningPods(): ReadonlySet<PodKey> {
    this.#owningPods ??= new Set(Array.from(this.#owners().keys).flatMap((owner) => podOfKey(owner ?? "") ?? []));
    return this.#owningPods;
  }

  inNamespace(namespace: string): Uids {
    this.#byNamespace ??= new Groups(this.#kinOf, (kin) => this.#index.kin(kin).namespace);
    return this.#byNamespace.of(namespace);
  }

  /** By the first of each. Of most questions about all pods it is enough to ask each kind. */
  get kinds(): readonly PodKind[] {
    this.#kinds ??= this.#sortedByKind();
    return this.#kinds;
  }

  kindsIn(namespace: string): readonly PodKind[] {
    this.#kindsByNamespace ??= Map.groupBy(this.kinds, ({ kin }) => kin.namespace);
    return this.#kindsByNamespace.get(namespace) ?? [];
  }

  /** Those that something becomes of by itself: they are not ready yet, or leave. */
  get unready(): Uids {
    this.#unready ??= Int32Array.from(this.pods.keys()).filter((uid) => isUnready(this.kinAt(uid)));
    return this.#unready;
  }

  find(key: PodKey): Pod | undefined {
    const uid = this.uidOf(key);
    return uid === undefined ? undefined : this.at(uid);
  }

  at(uid: number): Pod {
    const pod = this.pods[uid];
    invariant(pod !== undefined, "the pod was read");
    return pod;
  }

  /** Without a look at the pod. */
  nodeNameAt(uid: number): string {
    return this.#index.nodeName(this.#nodeOf[uid] ?? 0);
  }

  /** What it has in common with all that are alike. */
  kinAt(uid: number): PodKin {
    return this.#index.kin(this.#kinOf[uid] ?? 0);
  }

  /** How far it was. `nodes`: those that there are now. */
  stageAt(uid: number, nodes: { has(name: string): boolean }): Stage {
    const kin = this.#kinOf[uid] ?? 0;
    const isBound = nodes.has(this.nodeNameAt(uid));
    const at = 2 * kin + (isBound ? 1 : 0);
    this.#stages[at] ??= stageAsRead(this.#index.kin(kin), isBound);
    return this.#stages[at];
  }

  #owners(): Groups<ObjectKey | null> {
    this.#byOwner ??= new Groups(this.#kinOf, (kin) => this.#index.kin(kin).owner);
    return this.#byOwner;
  }

  #sortedByKind(): readonly PodKind[] {
    const byKin = new Groups(this.#kinOf, (kin) => kin);
    return Array.from(byKin.keys, (kin) => new PodKind(byKin.of(kin), this.#index, kin));
  }

  #groupedByNode(): Groups<string> {
    const { nodeName } = this.#index;
    return new Groups(this.#nodeOf, (number) => (this.#nodes.has(nodeName(number)) ? nodeName(number) : ""));
  }
}

function isUnready({ ready, deleting }: PodKin): boolean {
  return !ready || deleting;
}

/** Ends as the names do that a ledger makes up, `~` and a number: no server takes such a name. Most names say no with their last letter. */
function isMadeUp(key: PodKey): boolean {
  let at = key.length - 1;
  while (isDigit(key.charCodeAt(at))) at -= 1;
  return key[at] === "~";
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const known = new WeakMap<Cluster, PodsRead>();

/** The cluster was played before. */
export function hasMadeUp(cluster: Cluster): boolean {
  return underKey(madeUp, cluster, () => cluster.pods.some(({ key }) => isMadeUp(key)));
}

/** It was looked for before, and saved with the cluster. */
export function knowMadeUp(cluster: Cluster, is: boolean): void {
  madeUp.set(cluster, is);
}

const madeUp = new WeakMap<Cluster, boolean>();

function podAt(pods: readonly Pod[], place: number): Pod {
  const pod = pods[place];
  invariant(pod !== undefined, "every pod has a place in the order");
  return pod;
}

/** Numbers of pods by something they have, end to end in one list: there are more of them than of anything else. */
class Groups<K> {
  readonly #numbers = new Map<K, number>();
  /** Where each group begins in the list, and at last where it ends. */
  readonly #starts: Int32Array;
  readonly #uids: Uids;

  /** `numbers`: of what each pod has, by uid. `keyOf`: under what that number is known; several may be one. */
  constructor(numbers: Int32Array, keyOf: (number: number) => K) {
    const groups: number[] = [];
    const groupOf = numbers.map((number) => {
      groups[number] ??= this.#groupOf(keyOf(number));
      return groups[number];
    });
    this.#starts = new Int32Array(this.#numbers.size + 1);
    this.#uids = new Int32Array(numbers.length);
    this.#sort(groupOf);
  }

  #groupOf(key: K): number {
    return underKey(this.#numbers, key, () => this.#numbers.size);
  }

  get keys(): Iterable<K> {
    return this.#numbers.keys();
  }

  of(key: K): Uids {
    const group = this.#numbers.get(key);
    if (group === undefined) return nobody;
    return this.#uids.subarray(this.#starts[group], this.#starts[group + 1]);
  }

  #sort(groupOf: Int32Array): void {
    const [starts, uids] = [this.#starts, this.#uids];
    for (const group of groupOf) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
    for (let group = 1; group < starts.length; group += 1) {
      starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
    }
    const next = starts.slice();
    for (let uid = 0; uid < groupOf.length; uid += 1) {
      const group = groupOf[uid] ?? 0;
      const place = next[group] ?? 0;
      uids[place] = uid;
      next[group] = place + 1;
    }
  }
}
