import { underKey } from "../base/under-key.ts";
import type { Fields } from "../wire/fields.ts";
import { ReadAlike } from "../wire/read-alike.ts";
import { type AdmissionContext, type Admitted, admit } from "./admission.ts";
import { ContentIds, Same, sameBut, sameContent } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { type PodSurroundings, parseFilledIn, parsePodSpec, shared } from "./parse-pod-spec.ts";
import { PodSums } from "./pod-sums.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import { SpecParts } from "./spec-parts.ts";
import { mergesLabels, notInterned } from "./template-content.ts";
import { namingNode, ownNodeOf, TemplateNumbers } from "./template-numbers.ts";
import type { WrittenPod, WrittenSpec } from "./written-pod.ts";

/** A spec as written, read once for all pods that are alike. */
export interface TemplateDraft {
  readonly written: WrittenPod;
  /** What was made of it so far; only the pool looks at it. A table of such would cost the garbage collector much. */
  finished: FinishedTemplate | null;
}

/** What admission found beside the template is kept, the template only as the form that equal ones share. */
export interface FinishedTemplate extends Omit<Admitted, "template"> {
  /** The template; where it names a node, one that names "" and has no number, which all that differ in it share. */
  readonly form: PodTemplate;
  /** The node it names; null: none. */
  readonly node: string | null;
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
  readonly #ids = new ContentIds();
  readonly #parts: SpecParts;
  readonly #specs = new ReadAlike<WrittenSpec>(16 << 20);
  readonly #maps = new Same<Labels>(this.#ids);
  readonly #tolerations = new Same<PodTemplate["tolerations"]>(this.#ids);
  /** The latest of each family. */
  readonly #written = new Map<string, WrittenPod>();
  #latest: WrittenPod | null = null;
  readonly #sums = new PodSums();
  readonly #shelves = new Map<Labels, Shelf>();
  /** Every distinct template. */
  readonly templates = new TemplateNumbers();

  constructor(quantities: QuantityReader) {
    this.#parts = new SpecParts(quantities);
  }

  /**
   * Of the spec in a pod or in a workload's template. `family`: what objects have in common whose specs are much alike: the name of who owns them
   * all.
   */
  draft(holder: Fields, around: PodSurroundings, family: string): TemplateDraft {
    const like = this.#written.get(family) ?? this.#latest;
    const fields = holder.object("spec");
    const spec = this.#specOf(holder, fields, around, like);
    const { priority, priorityClassName, preemptionPolicy, tolerations } = parseFilledIn(fields, this.#parts);
    const written: WrittenPod = {
      namespace: around.namespace,
      labels: shared(around.labels, like?.labels),
      annotations: shared(around.annotations, like?.annotations),
      admitted: around.admitted,
      priority,
      priorityClassName,
      preemptionPolicy,
      tolerations: shared(tolerations, like?.tolerations),
      spec,
    };
    this.#written.set(family, written);
    this.#latest = written;
    return { written, finished: null };
  }

  #specOf(holder: Fields, fields: Fields, around: PodSurroundings, like: WrittenPod | null): WrittenSpec {
    const reading = around.isPod ? this.#parts.reading.pod : this.#parts.reading.template;
    // Terms of affinity mean the namespace they stand in.
    const besides = fields.has("affinity") ? around.namespace : "";
    return holder.onceAlike("spec", { before: this.#specs, reading, besides, isKept }, () =>
      parsePodSpec(fields, around, this.#parts, like?.spec ?? null),
    );
  }

  /** What admission makes of a draft. */
  finish(draft: TemplateDraft, context: AdmissionContext): FinishedTemplate {
    if (draft.finished === null) {
      const making = { id: this.templates.count, maps: this.#maps, tolerations: this.#tolerations };
      const { template, summed, problems } = admit(draft.written, context, this.#sums, making);
      const { form, node } = this.#formOf(template);
      draft.finished = { form, node, summed, problems };
    }
    return draft.finished;
  }

  /** The template of this content, with its number. */
  intern(made: PodTemplate): PodTemplate {
    const own: PodTemplate = {
      ...made,
      labels: this.#maps.of(made.labels),
      tolerations: this.#tolerations.of(made.tolerations),
      nodeSelector: this.#maps.of(made.nodeSelector),
      id: this.templates.count,
    };
    return this.templateOf(this.#formOf(own));
  }

  templateOf({ form, node }: Pick<FinishedTemplate, "form" | "node">): PodTemplate {
    return node === null ? form : this.templates.at(this.templates.naming(form, node));
  }

  /** What stands on the shelf for this content. */
  #formOf(made: PodTemplate): Pick<FinishedTemplate, "form" | "node"> {
    const node = ownNodeOf(made);
    if (node !== null) {
      const nameless = { ...made, requiredNodeAffinity: namingNode(made, ""), id: notInterned };
      return { form: this.#onShelf(nameless), node };
    }
    const form = this.#onShelf(made);
    if (form === made) this.templates.add(form);
    return { form, node };
  }

  /** The form of this content; this one when there is none yet. */
  #onShelf(form: PodTemplate): PodTemplate {
    const shelf = underKey(this.#shelves, form.labels, (): Shelf => ({ forms: [], byContent: null }));
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
}

/** Whether a spec holds for others that are written alike: not where it takes in their labels. */
const isKept = (spec: WrittenSpec): boolean => !mergesLabels(spec);

/** The same but for the number. */
function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  // What differs most often is looked at first.
  return a.namespace === b.namespace && sameContent(a.containers, b.containers) && sameBut(a, b, "id");
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
