import { endToEnd } from "../../../base/end-to-end.ts";
import { listed } from "../../../base/listed.ts";
import { none } from "../../../base/none.ts";
import { LabelIndex, namedLabel } from "../../../model/label-index.ts";
import type { Labels } from "../../../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../../../model/pod-template.ts";
import { hasPodAffinity } from "../../../model/template-content.ts";

/** Says of pods that come where its own are, or near them. */
export interface Stated {
  readonly by: PodTemplate;
  readonly term: PodAffinityTerm;
  /** Required anti-affinity keeps them away; the others are weighed. */
  readonly repels: boolean;
  readonly weight: number;
}

/** Affinity of all kinds that templates state, found by the pods it is about. */
export class StatedIndex {
  /** By a namespace it is about ("": by a selector) and a label that pods it is about have. */
  readonly #labelled = new LabelIndex<Stated>();
  /** Where no label tells: by namespace. */
  readonly #ofAny = new Map<string, Stated[]>();

  add(by: PodTemplate): void {
    if (hasPodAffinity(by)) for (const stated of statedBy(by)) this.#state(stated);
  }

  /** What may be about pods of this template. */
  about({ namespace, labels }: PodTemplate): readonly Stated[] {
    return endToEnd(this.#about(namespace, labels), this.#about("", labels));
  }

  #about(namespace: string, labels: Labels): readonly Stated[] {
    return endToEnd(this.#labelled.about(namespace, labels), this.#ofAny.get(namespace) ?? none);
  }

  #state(stated: Stated): void {
    const { selector, namespaces, namespaceSelector } = stated.term;
    if (selector === null || selector.invalid) return;
    const label = namedLabel(selector);
    for (const about of namespaceSelector === null ? namespaces : [""]) {
      if (label === null) listed(this.#ofAny, about, stated);
      else this.#labelled.add(about, label.key, label.value, stated);
    }
  }
}

function* statedBy(by: PodTemplate): Iterable<Stated> {
  for (const term of by.requiredPodAntiAffinity) yield { by, term, repels: true, weight: 1 };
  for (const term of by.requiredPodAffinity) yield { by, term, repels: false, weight: 1 };
  for (const { term, weight } of by.preferredPodAffinity) yield { by, term, repels: false, weight };
  for (const { term, weight } of by.preferredPodAntiAffinity) yield { by, term, repels: false, weight: -weight };
}
