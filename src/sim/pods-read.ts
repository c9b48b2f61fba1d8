import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { type ObjectKey, type PodKey, podOfKey } from "../model/key.ts";
import type { Pod } from "../model/pod.ts";

/** Numbers of pods, in order. */
type Uids = readonly number[];

/**
 * The pods of a cluster as read, by the numbers that every ledger of it gives them: in order of creation. A ledger makes of them
 * those that somebody looks at, and of most questions most pods are none of their business.
 */
export class PodsRead {
  /** By number. */
  readonly pods: readonly Pod[];
  readonly #nodes: ReadonlySet<string>;
  readonly #byKey = new Map<string, ReadonlyMap<PodKey, number>>();
  #byNode: ReadonlyMap<string, Uids> | null = null;
  #byOwner: ReadonlyMap<ObjectKey | null, Uids> | null = null;
  #byNamespace: ReadonlyMap<string, Uids> | null = null;
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
      () => new Map(this.inNamespace(namespace).map((uid) => [this.at(uid).key, uid])),
    );
    return uids.get(key);
  }

  /** Pods bound to a node that was read; "": those that are bound to none. */
  onNode(name: string): Uids {
    this.#byNode ??= this.#groupedBy(({ nodeName }) => (this.#nodes.has(nodeName) ? nodeName : ""));
    return this.#byNode.get(name) ?? [];
  }

  ownedBy(owner: ObjectKey): Uids {
    this.#byOwner ??= this.#groupedBy((pod) => pod.owner);
    return this.#byOwner.get(owner) ?? [];
  }

  /** Pods that own others. */
  get owningPods(): ReadonlySet<PodKey> {
    this.#byOwner ??= this.#groupedBy((pod) => pod.owner);
    this.#owningPods ??= new Set([...this.#byOwner.keys()].flatMap((owner) => podOfKey(owner ?? "") ?? []));
    return this.#owningPods;
  }

  inNamespace(namespace: string): Uids {
    this.#byNamespace ??= this.#groupedBy((pod) => pod.namespace);
    return this.#byNamespace.get(namespace) ?? [];
  }

  /** Those that something becomes of by itself: they are not ready yet, or leave. */
  get unready(): Uids {
    this.#unready ??= Array.from(this.pods.keys()).filter((uid) => !this.at(uid).ready || this.at(uid).deleting);
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

  #groupedBy<K>(keyOf: (pod: Pod) => K): ReadonlyMap<K, Uids> {
    const grouped = new Map<K, number[]>();
    for (const [uid, pod] of this.pods.entries()) underKey(grouped, keyOf(pod), (): number[] => []).push(uid);
    return grouped;
  }
}

const known = new WeakMap<Cluster, PodsRead>();

/** Of those created in one moment, as they were read. */
function inCreationOrder(pods: readonly Pod[]): readonly Pod[] {
  const times = Float64Array.from(pods, ({ createdAtMs }) => createdAtMs ?? 0);
  const at = (place: number): number => times[place] ?? 0;
  const places = Int32Array.from(times.keys()).sort((a, b) => at(a) - at(b) || a - b);
  return Array.from(places).flatMap((place) => pods[place] ?? []);
}
