import type { ObjectKey } from "../../model/key.ts";
import type { ClusterView, ToldPod } from "../../model/view.ts";
import { isDaemon } from "../owners.ts";
import type { Places } from "./places/places.ts";
import type { Leaving } from "./places/trial.ts";

/** A pod that has to leave, with what is asked of it again and again. */
export interface Mover extends Leaving {
  readonly uid: number;
  readonly priority: number;
}

/** The pods that leave with their node. */
export class Movers {
  readonly #view: Pick<ClusterView, "workload">;
  readonly #places: Places;
  /** By template: the owner of the first such pod that was told, as nearly all have it, and whether their node is emptied without them. */
  readonly #owners: (ObjectKey | null | undefined)[] = [];
  readonly #stay: boolean[] = [];

  constructor(view: Pick<ClusterView, "workload">, places: Places) {
    this.#view = view;
    this.#places = places;
  }

  /** In the order they are told. */
  of(node: number): Mover[] {
    const { census, order } = this.#places;
    const movers: Mover[] = [];
    // The census was told of the same pods: of most of them nothing but their owner is looked at again.
    const templates = census.templatesOn(node);
    let told = 0;
    order[node]?.tellPods((pod, uid, isTerminating) => {
      const template = templates[told] ?? 0;
      told += 1;
      if (isTerminating || pod.mirror) return;
      if (this.#stays(pod, template)) return;
      const kind = this.#places.kindBy(template, pod);
      movers.push({ uid, amounts: pod, template, kind, priority: census.priorities[template] ?? 0 });
    });
    return movers;
  }

  /** DaemonSets' pods belong to their node, as static ones do. */
  #stays(pod: ToldPod, template: number): boolean {
    for (let more = this.#owners.length; more <= template; more += 1) {
      this.#owners.push(undefined);
      this.#stay.push(false);
    }
    const known = this.#owners[template];
    if (known === pod.owner) return this.#stay[template] === true;
    const stays = isDaemon(this.#view, pod);
    if (known === undefined) {
      this.#owners[template] = pod.owner;
      this.#stay[template] = stays;
    }
    return stays;
  }
}
