import type { PodKin } from "../model/pod-columns.ts";
import type { PodView } from "../model/view.ts";
import { finalizerThatStays } from "../workload/pod-finalizers.ts";
import type { PodKind } from "./pods-read.ts";

/** What holds for every pod of a kind; of templates made for one node each what they have in common. */
export interface KindView
  extends Pick<
    PodView,
    "namespace" | "template" | "owner" | "requests" | "mirror" | "keptByFinalizer" | "ordinal" | "revision"
  > {
  /** The template's. */
  readonly priority: number;
  /** Its template has required anti-affinity. */
  readonly repels: boolean;
  /** Where nothing has been played, it is their phase. */
  readonly phaseAsRead: PodView["phase"];
  /** In the same way, that they are told to stop. */
  readonly deletingAsRead: boolean;
  readonly count: number;
  /** Nodes they are on, some told more than once. */
  nodes(): Iterable<string>;
  pods(): readonly PodView[];
}

/** Pods that are as they were read. Of most kinds a question asks no more than what stands in columns. */
export class KindAsRead implements KindView {
  readonly count: number;
  readonly nodes: KindView["nodes"];
  readonly pods: KindView["pods"];
  readonly #kind: PodKind;

  constructor(kind: PodKind, { count, nodes, pods }: Pick<KindView, "count" | "nodes" | "pods">) {
    this.#kind = kind;
    this.count = count;
    this.nodes = nodes;
    this.pods = pods;
  }

  get #kin(): PodKin {
    return this.#kind.kin;
  }

  get priority(): number {
    return this.#kind.priority;
  }
  get repels(): boolean {
    return this.#kind.repels;
  }
  get namespace(): string {
    return this.#kin.namespace;
  }
  get owner(): KindView["owner"] {
    return this.#kin.owner;
  }
  get mirror(): boolean {
    return this.#kin.mirror;
  }
  get template(): KindView["template"] {
    return this.#kin.template;
  }
  get requests(): KindView["requests"] {
    return this.#kin.requests;
  }
  get keptByFinalizer(): string {
    return finalizerThatStays(this.#kin.finalizers);
  }
  get ordinal(): number | null {
    return this.#kin.ordinal;
  }
  get revision(): string {
    return this.#kin.revision;
  }
  get phaseAsRead(): PodView["phase"] {
    return this.#kin.phase;
  }
  get deletingAsRead(): boolean {
    return this.#kin.deleting;
  }
}
