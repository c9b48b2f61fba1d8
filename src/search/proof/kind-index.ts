import { listed } from "../../base/listed.ts";
import { LabelIndex, namedLabel } from "../../model/label-index.ts";
import { Labelled } from "../../model/labelled.ts";
import type { LabelSelector } from "../../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../../model/pod-template.ts";
import type { Kind } from "./kinds.ts";

/** Kinds, found by their templates, by what selectors ask for, and by whom their terms are about. */
export class KindIndex {
  readonly all: readonly Kind[];
  readonly #labelled: Labelled<Kind>;
  readonly #byTemplate = new Map<PodTemplate, Kind[]>();
  /** By the label a pod must have to be kept off by a term. */
  readonly #repelling = new LabelIndex<Repelling>();
  readonly #repellingAny: Repelling[] = [];

  constructor(kinds: readonly Kind[]) {
    this.all = kinds;
    this.#labelled = new Labelled(({ now, next }) => (now === next ? [now.labels] : [now.labels, next.labels]), kinds);
    for (const kind of kinds) {
      this.#add(kind, kind.now);
      if (kind.next !== kind.now) this.#add(kind, kind.next);
    }
  }

  /** Those of this template, now or when they are made again. */
  of(template: PodTemplate): readonly Kind[] {
    return this.#byTemplate.get(template) ?? [];
  }

  /** Those that such a selector may take, and others. */
  near(selector: LabelSelector): readonly Kind[] {
    return this.#labelled.near(selector);
  }

  /** Terms by which pods may keep one of this template off, and others. */
  repelling({ labels }: PodTemplate): readonly Repelling[] {
    return [...this.#repellingAny, ...this.#repelling.about("", labels)];
  }

  #add(kind: Kind, template: PodTemplate): void {
    listed(this.#byTemplate, template, kind);
    for (const term of template.requiredPodAntiAffinity) {
      const label = term.selector === null ? null : namedLabel(term.selector);
      if (label === null) this.#repellingAny.push({ kind, term });
      else this.#repelling.add("", label.key, label.value, { kind, term });
    }
  }
}

interface Repelling {
  readonly kind: Kind;
  readonly term: PodAffinityTerm;
}
