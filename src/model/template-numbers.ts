import { underKey } from "../base/under-key.ts";
import type { NodeSelectorTerm, PodTemplate } from "./pod-template.ts";

/** A template that is another one but for the node its only requirement on fields names. */
interface Naming {
  readonly form: PodTemplate;
  readonly node: string;
}

/**
 * Every distinct template of a cluster by its number. Those that differ in nothing but the node they name, as the pods of
 * a DaemonSet have them, are made when somebody asks for them: there are as many as such pods.
 */
export class TemplateNumbers {
  readonly #templates: (PodTemplate | Naming)[] = [];
  /** Form → node → number. */
  readonly #naming = new Map<PodTemplate, Map<string, number>>();

  /** The number of the next one. */
  get count(): number {
    return this.#templates.length;
  }

  /** Its number must be the next one. */
  add(template: PodTemplate): void {
    this.#templates.push(template);
  }

  /** The number of the template that is this one but names that node. */
  naming(form: PodTemplate, node: string): number {
    const byNode = underKey(this.#naming, form, () => new Map<string, number>());
    return underKey(byNode, node, () => this.#templates.push({ form, node }) - 1);
  }

  /** Such a template, under the number it has already. */
  named(id: number, form: PodTemplate, node: string): PodTemplate {
    this.#templates[id] ??= { form, node };
    return this.at(id);
  }

  at(id: number): PodTemplate {
    const found = this.#templates[id];
    if (found === undefined) throw new RangeError(`there is no template ${id}`);
    if (!("form" in found)) return found;
    const made = { ...found.form, requiredNodeAffinity: namingNode(found.form, found.node), id };
    this.#templates[id] = made;
    forms.set(made, found.form);
    return made;
  }
}

/** What a template is but for the node that it names: the same for all pods of a DaemonSet. Another is its own form. */
export function formOf(template: PodTemplate): PodTemplate {
  return forms.get(template) ?? template;
}

const forms = new WeakMap<PodTemplate, PodTemplate>();

/** The node that the only requirement on fields names, where there is one term and one such requirement; null else. */
export function ownNodeOf({ requiredNodeAffinity }: Pick<PodTemplate, "requiredNodeAffinity">): string | null {
  const term = requiredNodeAffinity?.[0];
  if (term === undefined || requiredNodeAffinity?.length !== 1 || term.matchFields.length !== 1) return null;
  const only = term.matchFields[0];
  return only?.key === "metadata.name" && only.values.length === 1 ? (only.values[0] ?? null) : null;
}

/** The affinity of a template that names a node, naming this one. */
export function namingNode(
  { requiredNodeAffinity }: Pick<PodTemplate, "requiredNodeAffinity">,
  node: string,
): readonly NodeSelectorTerm[] {
  return (requiredNodeAffinity ?? []).map((term) => ({
    ...term,
    matchFields: term.matchFields.map((requirement) => ({ ...requirement, values: [node] })),
  }));
}
