import { underKey } from "../../base/under-key.ts";
import type { NodeView } from "../../model/view.ts";
import { limiting } from "./amounts.ts";
import type { Kind } from "./kinds.ts";
import type { Place } from "./present.ts";
import { shapeOf } from "./usable.ts";

/** A place, with a number for what it looks like: nothing tells those of one number apart. */
export interface Seen extends Place {
  readonly look: number;
}

/** Nodes as places, for all who ask about one cluster: what stays on a node while others are worked on is looked at once. */
export class Looks {
  readonly #worked = new Map<NodeView, Seen>();
  readonly #left = new Map<NodeView, Seen>();
  readonly #bare = new Map<NodeView, Bare>();
  readonly #numbers = new Map<string, number>();

  /** `staying`: on a node that somebody works on, or on one that is left alone. */
  of(view: NodeView, { isWorked, staying }: { readonly isWorked: boolean; staying(): readonly Kind[] }): Seen {
    return underKey(isWorked ? this.#worked : this.#left, view, () =>
      this.with(
        view,
        staying().map(({ size }) => size),
      ),
    );
  }

  /** The sizes of pods that stand there and on no other place. */
  with(view: NodeView, standing: readonly number[]): Seen {
    const { most, text } = underKey(this.#bare, view, bareOf);
    const held = standing.toSorted((a, b) => a - b);
    const look = underKey(this.#numbers, `${text}/${held.join()}`, () => this.#numbers.size);
    return { node: view.node, count: 1, standing, most, look };
  }
}

/** What a node is whatever stands there. */
interface Bare extends Pick<Place, "most"> {
  /** The same for those that are alike. */
  readonly text: string;
}

function bareOf(view: NodeView): Bare {
  const { node } = view;
  const most = limiting.map((limit) => Math.max(limit.of(node), limit.held(view)));
  return { most, text: `${shapeOf(node)}/${most.join()}` };
}
