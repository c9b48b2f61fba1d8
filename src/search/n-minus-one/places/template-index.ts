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
    const [only, ...more] = namespaces === "all" ? this.#byNamespace.keys() : namespaces;
    if (only === undefined) return none;
    const those = (namespace: string): readonly PodTemplate[] =>
      this.#byNamespace.get(namespace)?.near(selector) ?? none;
    return more.length === 0 ? those(only) : [...new Set([only, ...more])].flatMap(those);
  }
}

function labelsOf({ labels }: PodTemplate): readonly [PodTemplate["labels"]] {
  return [labels];
}
