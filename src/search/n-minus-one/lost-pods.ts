import { setOf } from "../../base/set-of.ts";
import type { ClusterView, PodView } from "../../model/view.ts";

/** Of most losses it is asked of few pods whether they are among those: views of the others are made when somebody goes through them. */
export interface PodSet extends Iterable<PodView> {
  has(pod: PodView): boolean;
}

/** Pods of some nodes. */
export class LostPods implements PodSet {
  readonly #view: Pick<ClusterView, "podsOn">;
  readonly #nodes: ReadonlySet<string>;
  readonly #isOne: (pod: PodView) => boolean;

  /** `isOne`: of those on the nodes. */
  constructor(view: Pick<ClusterView, "podsOn">, nodes: readonly string[], isOne: (pod: PodView) => boolean) {
    this.#view = view;
    this.#nodes = setOf(nodes);
    this.#isOne = isOne;
  }

  has(pod: PodView): boolean {
    return pod.node !== null && this.#nodes.has(pod.node.name) && this.#isOne(pod);
  }

  *[Symbol.iterator](): Iterator<PodView> {
    for (const node of this.#nodes) for (const pod of this.#view.podsOn(node)) if (this.#isOne(pod)) yield pod;
  }
}
