import { listed } from "../../../base/listed.ts";
import { none } from "../../../base/none.ts";
import { underKey } from "../../../base/under-key.ts";
import { namedLabel } from "../../../model/label-index.ts";
import type { LabelSelector } from "../../../model/labels.ts";
import type { PodTemplate } from "../../../model/pod-template.ts";

/** The templates of pods, found by what selectors ask for. */
export class TemplateIndex {
  readonly #byNamespace = new Map<string, PodTemplate[]>();
  /** Namespace → label that was asked for there → its value → templates. */
  readonly #byLabel = new Map<string, Map<string, Map<string, PodTemplate[]>>>();

  add(template: PodTemplate): void {
    listed(this.#byNamespace, template.namespace, template);
    for (const [key, byValue] of this.#byLabel.get(template.namespace) ?? []) addUnder(byValue, key, template);
  }

  /** Those of a namespace, or of any, that a selector matches are among these. */
  mayMatch(namespaces: readonly string[] | "all", selector: LabelSelector): readonly PodTemplate[] {
    if (selector.invalid) return none;
    const label = namedLabel(selector);
    const [only, ...more] = namespaces === "all" ? this.#byNamespace.keys() : namespaces;
    if (only === undefined) return none;
    const those = (namespace: string): readonly PodTemplate[] =>
      label === null ? (this.#byNamespace.get(namespace) ?? none) : this.#labelled(namespace, label.key, label.value);
    return more.length === 0 ? those(only) : [...new Set([only, ...more])].flatMap(those);
  }

  #labelled(namespace: string, key: string, value: string): readonly PodTemplate[] {
    const byKey = underKey(this.#byLabel, namespace, () => new Map<string, Map<string, PodTemplate[]>>());
    const byValue = underKey(byKey, key, () => {
      const made = new Map<string, PodTemplate[]>();
      for (const template of this.#byNamespace.get(namespace) ?? none) addUnder(made, key, template);
      return made;
    });
    return byValue.get(value) ?? none;
  }
}

function addUnder(byValue: Map<string, PodTemplate[]>, key: string, template: PodTemplate): void {
  const value = template.labels.get(key);
  if (value !== undefined) listed(byValue, value, template);
}
