import { endToEnd } from "../../base/end-to-end.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import type { Kind } from "./kinds.ts";
import type { Seen } from "./looks.ts";
import type { Roster } from "./roster.ts";

/** Who may leave a node while only these nodes are worked on; all others stay where they are. */
export class Movers {
  readonly roster: Roster;
  readonly #worked: ReadonlySet<string>;
  readonly #counts = new Map<Kind, number>();

  constructor(roster: Roster, nodes: readonly string[]) {
    this.roster = roster;
    this.#worked = new Set(nodes);
    const add = (kind: Kind | undefined): void => {
      if (kind !== undefined) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    };
    for (const node of this.#worked) for (const kind of roster.leavingFrom(node)) add(kind);
    for (const pod of roster.wandering) add(roster.kindOf(pod));
  }

  /** Each kind of which some may move, and how many. */
  get counts(): Iterable<readonly [Kind, number]> {
    return this.#counts;
  }

  moves(pod: PodView, { stays }: Pick<Kind, "stays">): boolean {
    return !stays && (this.#worked.has(pod.node?.name ?? "") || this.roster.wandering.has(pod));
  }

  /** With what stays on it. */
  placeOf(view: NodeView): Seen {
    const { name } = view;
    return this.roster.looks.of(view, { isWorked: this.#worked.has(name), staying: () => this.stayingOn(name) });
  }

  /** One for each pod that stays on this node. */
  stayingOn(node: string): readonly Kind[] {
    const staying = this.roster.stayingOn(node);
    return this.#worked.has(node) ? staying : endToEnd(staying, this.roster.leavingFrom(node));
  }
}
