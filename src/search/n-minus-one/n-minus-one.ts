import type { ClusterView } from "../../model/view.ts";
import { type Mover, Movers } from "./movers.ts";
import { Places } from "./places/places.ts";
import { Trial } from "./places/trial.ts";

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
  readonly #movers: Movers;
  /** In the scheduler's order. */
  readonly nodes: readonly string[];

  constructor(view: ClusterView) {
    this.#view = view;
    this.#movers = new Movers(view);
    this.#places = new Places(view, this.#movers);
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

  /** The pods that have to leave, the most important first. */
  #leaving(closed: number): readonly Mover[] {
    const leaving = this.#movers.of(closed, this.#places);
    const { nominated } = this.#view;
    // Room that preemption made for others is theirs.
    const yields = ({ priority }: Mover): boolean => nominated.some(({ template }) => template.priority >= priority);
    const told =
      nominated.length === 0 ? leaving : leaving.map((mover) => (yields(mover) ? { ...mover, kind: null } : mover));
    return told.sort(byImportance);
  }
}

function byImportance(a: Mover, b: Mover): number {
  return b.priority - a.priority || a.uid - b.uid;
}
