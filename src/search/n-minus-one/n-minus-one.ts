import type { ObjectKey } from "../../model/key.ts";
import type { ClusterView, ToldPod } from "../../model/view.ts";
import { Places } from "./places/places.ts";
import { type Leaving, Trial } from "./places/trial.ts";

/** What becomes of a pod that has to leave its node, by its number in the ledger. */
export type Move =
  /** `equals`: the nodes the scheduler draws from, in its order; `node`, the first of them, is taken to go on. */
  | { readonly uid: number; readonly outcome: "placed"; readonly node: string; readonly equals: readonly string[] }
  /** No node takes it, unless others make way. */
  | { readonly uid: number; readonly outcome: "nowhere" }
  /** It has volumes, devices or host ports, or somebody waits for room that was made: only the scheduler itself can tell, and the others are placed without it. */
  | { readonly uid: number; readonly outcome: "not-told" };

/**
 * N-1: each node by itself closed and emptied, and where its pods go one after the other, the most important first. What a
 * node costs goes with the pods on it, not with the cluster: places are kept for all nodes and taken back after each.
 *
 * Of more nodes than the scheduler looks for, it looks at those from where it stopped before; here every node begins anew.
 */
export class NMinusOne {
  readonly #view: ClusterView;
  readonly #places: Places;
  /** By a template's number, the owner of such pods that was asked about last, and whether it is a DaemonSet. */
  readonly #owners: ObjectKey[] = [];
  readonly #isDaemonSet: number[] = [];
  /** In the scheduler's order. */
  readonly nodes: readonly string[];

  constructor(view: ClusterView) {
    this.#view = view;
    this.#places = new Places(view);
    this.nodes = this.#places.order.map(({ name }) => name);
  }

  /** The node by its number in `nodes`. Everything stands as before afterwards. */
  without(closed: number): readonly Move[] {
    const leaving = this.#leaving(closed);
    const trial = new Trial(this.#places, closed, leaving);
    const moves = leaving.map(({ uid, kind }): Move => {
      if (kind === null) return { uid, outcome: "not-told" };
      const equals = this.#named(trial.place(kind));
      const node = equals[0];
      return node === undefined ? { uid, outcome: "nowhere" } : { uid, outcome: "placed", node, equals };
    });
    trial.takeBack();
    return moves;
  }

  #named(places: readonly number[]): readonly string[] {
    const names: string[] = [];
    for (let i = 0; i < places.length; i += 1) names.push(this.nodes[places[i] ?? 0] ?? "");
    return names;
  }

  /** The pods that have to leave, the most important first. By their templates' numbers: of thousands of pods little is at hand. */
  #leaving(closed: number): readonly Mover[] {
    const places = this.#places;
    const templates = places.census.templatesOn(closed);
    const { priorities } = places.census;
    const yields = this.#view.nominated.length > 0;
    const leaving: Mover[] = [];
    let next = 0;
    places.order[closed]?.tellPods((pod, uid, isTerminating) => {
      const template = templates[next] ?? -1;
      next += 1;
      // Pods on their way out are not made again here.
      if (isTerminating || !this.#moves(pod, template)) return;
      const kind = yields && this.#yields(pod) ? null : places.kindBy(template, pod);
      leaving.push({ amounts: pod, kind, template, priority: priorities[template] ?? 0, uid });
    });
    return leaving.sort(byImportance);
  }

  /** Room that preemption made for others is theirs. */
  #yields({ template }: ToldPod): boolean {
    return this.#view.nominated.some((other) => other.template.priority >= template.priority);
  }

  /** DaemonSets' and static pods belong to their node. */
  #moves({ mirror, owner }: ToldPod, template: number): boolean {
    if (mirror) return false;
    if (owner === null) return true;
    if (this.#owners[template] !== owner) {
      while (this.#owners.length < template) this.#owners.push("");
      this.#owners[template] = owner;
      this.#isDaemonSet[template] = this.#view.workload(owner)?.spec.kind === "DaemonSet" ? 1 : 0;
    }
    return this.#isDaemonSet[template] === 0;
  }
}

/** A pod that leaves, with what is asked of it again and again. */
interface Mover extends Leaving {
  readonly priority: number;
  readonly uid: number;
}

function byImportance(a: Mover, b: Mover): number {
  return b.priority - a.priority || a.uid - b.uid;
}
