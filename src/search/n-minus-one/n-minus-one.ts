import type { ObjectKey } from "../../model/key.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { Places } from "./places/places.ts";
import { Trial } from "./places/trial.ts";

/** What becomes of a pod that has to leave its node. */
export type Move =
  /** `equals`: the nodes the scheduler draws from, in its order; `node`, the first of them, is taken to go on. */
  | { readonly pod: PodView; readonly outcome: "placed"; readonly node: string; readonly equals: readonly string[] }
  /** No node takes it, unless others make way. */
  | { readonly pod: PodView; readonly outcome: "nowhere" }
  /** It has volumes, devices or host ports, or somebody waits for room that was made: only the scheduler itself can tell, and the others are placed without it. */
  | { readonly pod: PodView; readonly outcome: "not-told" };

/**
 * N-1: each node by itself closed and emptied, and where its pods go one after the other, the most important first. What a
 * node costs goes with the pods on it, not with the cluster: places are kept for all nodes and taken back after each.
 *
 * Of more nodes than the scheduler looks for, it looks at those from where it stopped before; here every node begins anew.
 */
export class NMinusOne {
  readonly #view: ClusterView;
  readonly #places: Places;
  /** In the scheduler's order. */
  readonly nodes: readonly string[];
  /** By a template's number, the owner of a pod of it that was asked about last, and whether that is a DaemonSet. */
  readonly #lastOwners: { readonly owner: ObjectKey; readonly isDaemonSet: boolean }[] = [];

  constructor(view: ClusterView) {
    this.#view = view;
    this.#places = new Places(view);
    this.nodes = this.#places.order.map(({ name }) => name);
  }

  /** The node by its number in `nodes`. Everything stands as before afterwards. */
  without(closed: number): readonly Move[] {
    const places = this.#places;
    const movers = (places.order[closed]?.pods ?? []).filter((pod) => this.#moves(pod)).sort(byImportance);
    const leaving = movers.map((pod) => ({ pod, kind: this.#yields(pod) ? null : places.kindOf(pod) }));
    const trial = new Trial(places, closed, leaving);
    const moves = leaving.map(({ pod, kind }): Move => {
      if (kind === null) return { pod, outcome: "not-told" };
      const equals = trial.place(kind).map((at) => this.nodes[at] ?? "");
      const [node] = equals;
      return node === undefined ? { pod, outcome: "nowhere" } : { pod, outcome: "placed", node, equals };
    });
    trial.takeBack();
    return moves;
  }

  /** Room that preemption made for others is theirs. */
  #yields({ template }: PodView): boolean {
    return this.#view.nominated.some((other) => other.template.priority >= template.priority);
  }

  /** DaemonSets' and static pods belong to their node; those on their way out are not made again here. */
  #moves({ mirror, terminatingSinceMs, owner, template }: PodView): boolean {
    if (mirror || terminatingSinceMs !== null) return false;
    return owner === null || !this.#isDaemonSet(owner, template.id);
  }

  #isDaemonSet(owner: ObjectKey, template: number): boolean {
    const last = this.#lastOwners[template];
    if (last?.owner === owner) return last.isDaemonSet;
    const isDaemonSet = this.#view.workload(owner)?.spec.kind === "DaemonSet";
    if (template >= 0) this.#lastOwners[template] = { owner, isDaemonSet };
    return isDaemonSet;
  }
}

function byImportance(a: PodView, b: PodView): number {
  return b.template.priority - a.template.priority || a.uid - b.uid;
}
