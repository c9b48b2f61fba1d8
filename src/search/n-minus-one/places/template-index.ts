import { none } from "../../../base/none.ts";
import { underKey } from "../../../base/under-key.ts";
import { Labelled } from "../../../model/labelled.ts";
import type { LabelSelector } from "../../../model/labels.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";

/** The templates of pods, found by what selectors ask for. */
export class TemplateIndex {
  readonly #byNamespace = new Map<string, Labelled<PodTemplate>>();

  add(template: PodTemplate): void {
    underKey(this.#byNamespace, template.namespace, () => new Labelled(labelsOf)).add(template);
  }

  /** Those of a namespace, or of any, that a selector matches are among these. */
  mayMatch(namespaces: readonly string[] | "all", selector: LabelSelector): readonly PodTemplate[] {
    if (selector.invalid) return none;
    if (namespaces === "all") return Array.from(this.#byNamespace.values()).flatMap((those) => those.near(selector));
    // Nearly all are about one namespace.
    if (namespaces.length === 1) return this.#near(namespaces[0] ?? "", selector);
    return [...new Set(namespaces)].flatMap((namespace) => this.#near(namespace, selector));
  }

  #near(namespace: string, selector: LabelSelector): readonly PodTemplate[] {
    return this.#byNamespace.get(namespace)?.near(selector) ?? none;
  }
}

function labelsOf({ labels }: PodTemplate): readonly [PodTemplate["labels"]] {
  return [labels];
}
