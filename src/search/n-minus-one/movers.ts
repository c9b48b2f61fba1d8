import type { ObjectKey } from "../../model/key.ts";
import type { ClusterView, ToldPod } from "../../model/view.ts";
import { isDaemon } from "../owners.ts";
import type { PodListener } from "./places/census.ts";
import type { Kind } from "./places/kind.ts";
import type { Places } from "./places/places.ts";
import type { Leaving } from "./places/trial.ts";

/** A pod that has to leave, with what is asked of it again and again. */
export interface Mover extends Leaving {
  readonly uid: number;
  readonly priority: number;
}

/** The pods of all nodes that leave with their node, node after node: what is needed of each, as numbers. */
export class Movers implements PodListener {
  readonly #view: Pick<ClusterView, "workload">;
  readonly #pods: ToldPod[] = [];
  readonly #uids: number[] = [];
  readonly #templates: number[] = [];
  /** By node: where its pods begin. */
  readonly #starts: number[] = [];
  /** By template: the owner of the first such pod that was told, as nearly all have it, and 1: their node is emptied without them. */
  readonly #owners: (ObjectKey | null | undefined)[] = [];
  readonly #stays: number[] = [];
  /** Those of other owners. */
  readonly #others = new Set<ToldPod>();
  /** By template, of those of its first owner. */
  readonly #kinds: (Kind | null | undefined)[] = [];

  constructor(view: Pick<ClusterView, "workload">) {
    this.#view = view;
  }

  node(): void {
    this.#starts.push(this.#uids.length);
  }

  /** DaemonSets' and static pods belong to their node. */
  pod(pod: ToldPod, uid: number, template: number): void {
    const { owner, mirror } = pod;
    if (mirror) return;
    if (template >= this.#owners.length || this.#owners[template] === undefined) this.#begin(template, pod);
    const isOther = this.#owners[template] !== owner;
    if (isOther ? isDaemon(this.#view, pod) : this.#stays[template] === 1) return;
    if (isOther) this.#others.add(pod);
    this.#pods.push(pod);
    this.#uids.push(uid);
    this.#templates.push(template);
  }

  #begin(template: number, pod: ToldPod): void {
    for (let more = this.#owners.length; more <= template; more += 1) {
      this.#owners.push(undefined);
      this.#stays.push(0);
      this.#kinds.push(undefined);
    }
    this.#owners[template] = pod.owner;
    this.#stays[template] = isDaemon(this.#view, pod) ? 1 : 0;
  }

  /** In the order they were told. */
  of(node: number, places: Places): Mover[] {
    const { priorities } = places.census;
    const movers: Mover[] = [];
    const end = this.#starts[node + 1] ?? this.#uids.length;
    for (let at = this.#starts[node] ?? end; at < end; at += 1) {
      const amounts = this.#pods[at];
      const template = this.#templates[at] ?? 0;
      if (amounts === undefined) continue;
      const kind = this.#kindOf(amounts, template, places);
      movers.push({ uid: this.#uids[at] ?? 0, amounts, template, kind, priority: priorities[template] ?? 0 });
    }
    return movers;
  }

  #kindOf(pod: ToldPod, template: number, places: Places): Kind | null {
    if (this.#others.size > 0 && this.#others.has(pod)) return places.kindBy(template, pod);
    let kind = this.#kinds[template];
    if (kind === undefined) {
      kind = places.kindBy(template, pod);
      this.#kinds[template] = kind;
    }
    return kind;
  }
}
