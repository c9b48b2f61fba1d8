import { listed } from "../../base/listed.ts";
import { none } from "../../base/none.ts";
import { LabelIndex, namedLabel } from "../../model/label-index.ts";
import type { LabelSelector } from "../../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../../model/pod-template.ts";
import type { Kind } from "./kinds.ts";

/** Of thousands of kinds a rule mostly takes one owner's: found by the labels that rules name. */
export class KindIndex {
  readonly all: readonly Kind[];
  readonly #keys: ReadonlySet<string>;
  readonly #byLabel = new LabelIndex<Kind>();
  readonly #byTemplate = new Map<PodTemplate, Kind[]>();
  /** By the label a pod must have to be kept off by a term. */
  readonly #repelling = new LabelIndex<Repelling>();
  readonly #repellingAny: Repelling[] = [];

  constructor(kinds: readonly Kind[]) {
    this.all = kinds;
    this.#keys = new Set(kinds.flatMap(({ now, next }) => [...keysRead(now), ...(now === next ? [] : keysRead(next))]));
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
    const label = namedLabel(selector);
    return label === null || !this.#keys.has(label.key) ? this.all : this.#byLabel.under("", label.key, label.value);
  }

  /** Terms by which pods may keep one of this template off, and others. */
  repelling({ labels }: PodTemplate): readonly Repelling[] {
    return [...this.#repellingAny, ...this.#repelling.about("", labels)];
  }

  #add(kind: Kind, template: PodTemplate): void {
    listed(this.#byTemplate, template, kind);
    for (const key of this.#keys) {
      const value = template.labels.get(key);
      const isKnown = template !== kind.now && kind.now.labels.get(key) === value;
      if (value !== undefined && !isKnown) this.#byLabel.add("", key, value, kind);
    }
    for (const term of template.requiredPodAntiAffinity) {
      const label = term.selector === null ? null : namedLabel(term.selector);
      if (label === null) this.#repellingAny.push({ kind, term });
      else this.#repelling.add("", label.key, label.value, { kind, term });
    }
  }
}

export interface Repelling {
  readonly kind: Kind;
  readonly term: PodAffinityTerm;
}

function keysRead({ requiredPodAntiAffinity, topologySpread }: PodTemplate): readonly string[] {
  if (requiredPodAntiAffinity.length === 0 && topologySpread.length === 0) return none;
  const selectors = [...requiredPodAntiAffinity, ...topologySpread].flatMap(({ selector }) => selector ?? []);
  return [
    ...selectors.flatMap((selector) => namedLabel(selector)?.key ?? []),
    ...topologySpread.flatMap(({ matchLabelKeys }) => matchLabelKeys),
  ];
}
