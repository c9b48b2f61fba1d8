import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import type { Pod } from "../model/pod.ts";
import { kinOf, type PodKin } from "../model/pod-columns.ts";

/** Numbers of pods, in order. */
type Uids = Int32Array;

const nobody: Uids = new Int32Array(0);

/** Pods that differ in nothing but what each has for itself: name, node and times. */
export interface PodKind {
  readonly kin: PodKin;
  readonly uids: Uids;
}

/**
 * The pods of a cluster as read, by the numbers that every ledger of it gives them: in order of creation. A ledger makes of them
 * those that somebody looks at, and of most questions most pods are none of their business.
 */
export class PodsRead {
  /** By number. */
  readonly pods: readonly Pod[];
  readonly #nodes: ReadonlySet<string>;
  readonly #byKey = new Map<string, ReadonlyMap<PodKey, number>>();
  #byNode: Groups<string> | null = null;
  #byOwner: Groups<ObjectKey | null> | null = null;
  #byNamespace: Groups<string> | null = null;
  #kinds: readonly PodKind[] | null = null;
  #owningPods: ReadonlySet<PodKey> | null = null;
  #unready: Uids | null = null;

  private constructor(cluster: Cluster) {
    this.pods = inCreationOrder(cluster.pods);
    this.#nodes = new Set(cluster.nodes.map(({ name }) => name));
  }

  static of(cluster: Cluster): PodsRead {
    return underKey(known, cluster, () => new PodsRead(cluster));
  }

  uidOf(key: PodKey): number | undefined {
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
    this.#byNode ??= new Groups(this.pods, ({ nodeName }) => (this.#nodes.has(nodeName) ? nodeName : ""));
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
    this.#byNamespace ??= new Groups(this.pods, (pod) => pod.namespace);
    return this.#byNamespace.of(namespace);
  }

  /** By the first of each. Of most questions about all pods it is enough to ask each kind. */
  get kinds(): readonly PodKind[] {
    this.#kinds ??= kindsOf(this.pods);
    return this.#kinds;
  }

  /** Those that something becomes of by itself: they are not ready yet, or leave. */
  get unready(): Uids {
    this.#unready ??= Int32Array.from(
      this.kinds.flatMap(({ kin, uids }) => (kin.ready && !kin.deleting ? [] : [...uids])),
    ).sort();
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

  #owners(): Groups<ObjectKey | null> {
    this.#byOwner ??= new Groups(this.pods, (pod) => pod.owner);
    return this.#byOwner;
  }
}

const known = new WeakMap<Cluster, PodsRead>();

/** Numbers of pods by something they have, end to end in one list: there are more of them than of anything else. */
class Groups<K> {
  readonly #numbers = new Map<K, number>();
  /** Where each group begins in the list, and at last where it ends. */
  readonly #starts: Int32Array;
  readonly #uids: Uids;

  constructor(pods: readonly Pod[], keyOf: (pod: Pod) => K) {
    const numbers = this.#numbers;
    const groupOf = new Int32Array(pods.length);
    let [before, group]: [K | undefined, number] = [undefined, 0];
    for (let uid = 0; uid < pods.length; uid += 1) {
      const pod = pods[uid];
      if (pod === undefined) continue;
      const key = keyOf(pod);
      // Pods of one owner mostly follow each other.
      if (uid === 0 || key !== before) {
        group = numbers.get(key) ?? numbers.size;
        if (group === numbers.size) numbers.set(key, group);
        before = key;
      }
      groupOf[uid] = group;
    }
    this.#starts = new Int32Array(numbers.size + 1);
    this.#uids = new Int32Array(pods.length);
    this.#sort(groupOf);
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

function kindsOf(pods: readonly Pod[]): readonly PodKind[] {
  const byKin = new Groups(pods, kinOf);
  return Array.from(byKin.keys, (kin) => ({ kin, uids: byKin.of(kin) }));
}

/** Of those created in one moment, as they were read. */
function inCreationOrder(pods: readonly Pod[]): readonly Pod[] {
  const times = Float64Array.from(pods, ({ createdAtMs }) => createdAtMs ?? 0);
  const at = (place: number): number => times[place] ?? 0;
  const places = Int32Array.from(times.keys()).sort((a, b) => at(a) - at(b) || a - b);
  return Array.from(places).flatMap((place) => pods[place] ?? []);
}
