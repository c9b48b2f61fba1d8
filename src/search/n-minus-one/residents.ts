import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import { underKey } from "../../base/under-key.ts";
import type { ObjectKey } from "../../model/key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { ownNodeOf } from "../../model/template-numbers.ts";
import type { PodView } from "../../model/view.ts";
import type { KindView } from "../../sim/kind-view.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { staysPut } from "../owners.ts";

/** Who says which pods come and go with others. */
interface Bonds {
  /** Pods that own others. */
  readonly leaders: Iterable<PodView>;
  isBound(owner: ObjectKey | null): boolean;
}

/** Those of some nodes that have to look for another place. */
interface Together {
  /** How many they are. */
  readonly movers: number;
  /** The highest priority of any of them. */
  readonly strongest: number;
  /** One of them comes and goes with others, which may stand elsewhere. */
  readonly takeOthers: boolean;
}

/** What is asked of the pods on many nodes at once, told without a view of each: of those that have to look for another place. */
export class Residents {
  readonly #movers = new Map<string, number>();
  /** The highest priority of any of them. */
  readonly #strongest = new Map<string, number>();
  readonly #bound = new Set<string>();
  readonly #together = new WeakMap<readonly string[], Together>();
  /** Of few: each is told once for every kind there. */
  readonly #stronger = new Map<string, PodTemplate[]>();

  /** `priority`: of the weakest pod that matters. */
  constructor(view: Ledger, priority: number, { leaders, isBound }: Bonds) {
    for (const kind of view.kinds()) {
      if (staysPut(view, kind)) continue;
      const comesWithOthers = isBound(kind.owner);
      for (const node of kind.nodes()) {
        this.#movers.set(node, (this.#movers.get(node) ?? 0) + 1);
        if (kind.priority > (this.#strongest.get(node) ?? Number.NEGATIVE_INFINITY))
          this.#strongest.set(node, kind.priority);
        if (comesWithOthers) this.#bound.add(node);
      }
      if (kind.priority > priority)
        for (const [node, template] of templatesOn(kind)) listed(this.#stronger, node, template);
    }
    for (const pod of leaders) if (pod.node !== null && !staysPut(view, pod)) this.#bound.add(pod.node.name);
  }

  /** Asked again for every endpoint there, and every template. */
  on(nodes: readonly string[]): Together {
    return underKey(this.#together, nodes, () => {
      let [movers, strongest] = [0, Number.NEGATIVE_INFINITY];
      for (const node of nodes) {
        movers += this.#movers.get(node) ?? 0;
        strongest = Math.max(strongest, this.#strongest.get(node) ?? Number.NEGATIVE_INFINITY);
      }
      return { movers, strongest, takeOthers: this.#bound.size > 0 && nodes.some((node) => this.#bound.has(node)) };
    });
  }

  /** Templates of those that are stronger than the weakest that matters. */
  strongerOn(nodes: readonly string[]): ReadonlySet<PodTemplate> {
    return new Set(nodes.flatMap((node): readonly PodTemplate[] => this.#stronger.get(node) ?? none));
  }
}

function* templatesOn(kind: KindView): Iterable<readonly [node: string, template: PodTemplate]> {
  const { template } = kind;
  if (ownNodeOf(template) === null) for (const node of kind.nodes()) yield [node, template];
  // Each is that of its node.
  else for (const pod of kind.pods()) if (pod.node !== null) yield [pod.node.name, pod.template];
}
