import type { Fields } from "../wire/fields.ts";
import { type AdmissionContext, type Admitted, admit } from "./admission.ts";
import { ContentIds, Same, sameContent } from "./content-ids.ts";
import type { Labels, Requirement } from "./labels.ts";
import { type PodSurroundings, parsePodSpec } from "./parse-pod-spec.ts";
import { PodSums } from "./pod-sums.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import { notInterned } from "./template-content.ts";
import type { WrittenPod } from "./written-pod.ts";

/** A spec as written, read once for all pods that are alike. */
export interface TemplateDraft {
  readonly written: WrittenPod;
  /** What was made of it so far; only the pool looks at it. A table of such would cost the garbage collector much. */
  readonly made: { admitted: Admitted | null; template: PodTemplate | null; form: PodTemplate | null };
}

export interface FinishedTemplate {
  readonly template: PodTemplate;
  readonly admitted: Admitted;
}

/** Templates with the same labels. Those that differ in nothing but the node they name stand here as one that names "". */
interface Shelf {
  readonly forms: PodTemplate[];
  /** The same by content, once they are many. */
  byContent: Map<number, PodTemplate> | null;
}

/** So many are compared one by one. */
const shelfMax = 6;

/**
 * Makes pod templates and lets equal ones be the same object: most pods of a cluster repeat a few specs. Templates that are
 * the same have the same labels, and those of a workload tell its pods from all others, so that there is little to compare.
 */
export class TemplatePool {
  readonly #quantities: QuantityReader;
  readonly #ids = new ContentIds();
  readonly #sums = new PodSums();
  readonly #shelves = new Map<Labels, Shelf>();
  /** The form that names "" → node → the template of that node. */
  readonly #ofNode = new Map<PodTemplate, Map<string, PodTemplate>>();
  readonly #templates: PodTemplate[] = [];
  readonly #maps = new Same<Labels>(this.#ids);
  readonly #tolerations = new Same<PodTemplate["tolerations"]>(this.#ids);

  constructor(quantities: QuantityReader) {
    this.#quantities = quantities;
  }

  /** Every distinct template, by id. */
  get templates(): readonly PodTemplate[] {
    return this.#templates;
  }

  draft(spec: Fields, around: PodSurroundings): TemplateDraft {
    const made = { admitted: null, template: null, form: null };
    return { written: parsePodSpec(spec, around, this.#quantities), made };
  }

  /**
   * What admission makes of a draft. `node`: the one that its template names in place of the draft's, as each pod of a
   * DaemonSet does; "": as in the draft.
   */
  finish(draft: TemplateDraft, context: AdmissionContext, node = ""): FinishedTemplate {
    const { made } = draft;
    made.admitted ??= admit(draft.written, context, this.#sums);
    const { admitted } = made;
    if (node === "") {
      made.template ??= this.intern(admitted.template);
      return { admitted, template: made.template };
    }
    // No template of the draft's own node is made: there may be no such pod any more.
    made.form ??= this.#form(admitted.template).form;
    return { admitted, template: this.#named(made.form, node) };
  }

  /** The template of this content, with its number. */
  intern(made: Omit<PodTemplate, "id">): PodTemplate {
    const { form, node, isNew } = this.#form(made);
    if (node !== null) return this.#named(form, node);
    if (isNew) this.#templates.push(form);
    return form;
  }

  /** What stands on the shelf for this content, and the node it names. */
  #form(made: Omit<PodTemplate, "id">): {
    readonly form: PodTemplate;
    readonly node: string | null;
    readonly isNew: boolean;
  } {
    const labels = this.#maps.of(made.labels);
    let shelf = this.#shelves.get(labels);
    if (shelf === undefined) {
      shelf = { forms: [], byContent: null };
      this.#shelves.set(labels, shelf);
    }
    const node = ownNodeOf(made);
    const own: PodTemplate = {
      ...made,
      labels,
      tolerations: this.#tolerations.of(made.tolerations),
      nodeSelector: this.#maps.of(made.nodeSelector),
      requiredNodeAffinity: node === null ? made.requiredNodeAffinity : namingNode(made, ""),
      id: node === null ? this.#templates.length : notInterned,
    };
    const form = this.#onShelf(own, shelf);
    return { form, node, isNew: form === own };
  }

  /** The form of this content; this one when there is none yet. */
  #onShelf(form: PodTemplate, shelf: Shelf): PodTemplate {
    if (shelf.byContent === null) {
      const found = shelf.forms.find((known) => isSameTemplate(known, form));
      if (found !== undefined) return found;
      shelf.forms.push(form);
      if (shelf.forms.length > shelfMax) {
        shelf.byContent = new Map(shelf.forms.map((known) => [this.#contentOf(known), known]));
      }
      return form;
    }
    const content = this.#contentOf(form);
    const found = shelf.byContent.get(content);
    if (found !== undefined) return found;
    shelf.byContent.set(content, form);
    return form;
  }

  #contentOf(template: PodTemplate): number {
    return this.#ids.of({ ...template, id: notInterned });
  }

  #named(form: PodTemplate, node: string): PodTemplate {
    let byNode = this.#ofNode.get(form);
    if (byNode === undefined) {
      byNode = new Map();
      this.#ofNode.set(form, byNode);
    }
    let own = byNode.get(node);
    if (own === undefined) {
      own = { ...form, requiredNodeAffinity: namingNode(form, node), id: this.#templates.length };
      this.#templates.push(own);
      byNode.set(node, own);
    }
    return own;
  }
}

/** The same but for the number. */
function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  // What differs most often is looked at before anything is copied.
  if (a.namespace !== b.namespace || !sameContent(a.containers, b.containers)) return false;
  return sameContent({ ...a, id: notInterned }, { ...b, id: notInterned });
}

/** The node that the only requirement on fields names, where there is one term and one such requirement; null else. */
export function ownNodeOf({ requiredNodeAffinity }: Pick<PodTemplate, "requiredNodeAffinity">): string | null {
  const [term, ...more] = requiredNodeAffinity ?? [];
  if (term === undefined || more.length > 0 || term.matchFields.length !== 1) return null;
  const [only] = term.matchFields;
  return only?.key === "metadata.name" && only.values.length === 1 ? (only.values[0] ?? null) : null;
}

function namingNode(
  { requiredNodeAffinity }: Omit<PodTemplate, "id">,
  node: string,
): PodTemplate["requiredNodeAffinity"] {
  const named = (requirement: Requirement): Requirement => ({ ...requirement, values: [node] });
  return (requiredNodeAffinity ?? []).map((term) => ({ ...term, matchFields: term.matchFields.map(named) }));
}

/** Annotations that differ from pod to pod and that no rule reads: kept, they would make every pod its own template. */
export function lastingAnnotations(annotations: Labels): Labels {
  let dropped = false;
  for (const key of annotations.keys()) if (isFleeting(key)) dropped = true;
  if (!dropped) return annotations;
  return new Map([...annotations].filter(([key]) => !isFleeting(key)));
}

const fleetingPrefixes = ["cni.projectcalico.org/", "k8s.v1.cni.cncf.io/", "k8s.ovn.org/", "kubernetes.io/config."];
const fleetingNames: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "kubernetes.io/limit-ranger",
  "openshift.io/scc",
  "security.openshift.io/validated-scc-subject-type",
  "cni.cilium.io/endpoint",
]);

export function isFleeting(key: string): boolean {
  return fleetingNames.has(key) || fleetingPrefixes.some((prefix) => key.startsWith(prefix));
}
