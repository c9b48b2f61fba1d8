import type { Fields } from "../wire/fields.ts";
import { ReadAlike } from "../wire/read-alike.ts";
import { type AdmissionContext, type Admitted, admit, type Making, templateOf } from "./admission.ts";
import { ContentIds, Same, sameBut, sameContent } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { familyOf, type Meta } from "./parse-meta.ts";
import { type PodSurroundings, parseFilledIn, parsePodSpec, shared } from "./parse-pod-spec.ts";
import type { Summed } from "./pod-requests.ts";
import { PodSums } from "./pod-sums.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import { SameLabels } from "./same-labels.ts";
import { SpecParts } from "./spec-parts.ts";
import { mergesLabels, notInterned } from "./template-content.ts";
import { namingNode, ownNodeOf, TemplateNumbers } from "./template-numbers.ts";
import type { FilledIn, MadeTemplate, WrittenPod, WrittenSpec } from "./written-pod.ts";

/** A spec as written, read once for all pods that are alike. */
export interface TemplateDraft {
  readonly written: WrittenPod;
  /** What was made of it so far; only the pool looks at it. A table of such would cost the garbage collector much. */
  finished: FinishedTemplate | null;
}

/** What admission found beside the template is kept, the template only as the form that equal ones share. */
export interface FinishedTemplate extends MadeTemplate {
  /** The sums' parts, for pods that are being resized. */
  readonly summed: Summed;
  readonly problems: Admitted["problems"];
}

/** Templates with the same labels. Those that differ in nothing but the node they name stand here as one that names "". */
interface Shelf {
  /** A list that grows has room for many more, and most shelves hold one. */
  forms: readonly PodTemplate[];
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
  readonly #maps = new SameLabels();
  readonly #tolerations = new Same<PodTemplate["tolerations"]>(this.#ids);
  /** The latest of each family. */
  readonly #written = new Map<string, WrittenPod>();
  #latest: WrittenPod | null = null;
  readonly #sums = new PodSums();
  /** A template alone stands without a shelf, as most do. */
  readonly #shelves = new Map<Labels, PodTemplate | Shelf>();
  /** Every distinct template. */
  readonly templates = new TemplateNumbers();

  constructor(quantities: QuantityReader) {
    this.#parts = new SpecParts(quantities);
  }

  /** Of the spec in a pod or in a workload's template. `owner`: the pod or the workload. */
  draft(holder: Fields, around: PodSurroundings, owner: Meta): TemplateDraft {
    const fields = holder.object("spec");
    const reading = around.isPod ? this.#parts.reading.pod : this.#parts.reading.template;
    // Terms of affinity mean the namespace they stand in.
    const besides = fields.has("affinity") ? around.namespace : "";
    let like: WrittenPod | null = null;
    let family = "";
    const spec = holder.onceAlike("spec", { before: this.#specs, reading, besides, isKept }, () => {
      family = familyOf(owner);
      like = this.#written.get(family) ?? this.#latest;
      return parsePodSpec(fields, around, this.#parts, like?.spec ?? null);
    });
    const written = writtenPod(spec, around, parseFilledIn(fields, this.#parts), like);
    if (family !== "") this.#written.set(family, written);
    this.#latest = written;
    return { written, finished: null };
  }

  /** What admission makes of a draft. */
  finish(draft: TemplateDraft, context: AdmissionContext): FinishedTemplate {
    if (draft.finished === null) {
      const admitted = admit(draft.written, context, this.#sums);
      const { form, node } = this.#made(draft.written, admitted);
      draft.finished = { form, node, summed: admitted.counted.summed, problems: admitted.problems };
    }
    return draft.finished;
  }

  /** Most specs were met before with the same labels, and nothing need be made: a set's pods are made of its template. */
  #made(written: WrittenPod, admitted: Admitted): MadeTemplate {
    const { addedSelector } = admitted;
    const own = written.spec.nodeSelector;
    const making: Making = {
      id: this.templates.count,
      labels: this.#maps.of(written.labels),
      tolerations: this.#tolerations.of(admitted.tolerations),
      nodeSelector: this.#maps.of(addedSelector === null ? own : new Map([...own, ...addedSelector])),
    };
    const { made } = written.spec;
    const known = made.templates.find(({ form }) => isOfParts(form, written, admitted, making));
    if (known !== undefined) return known;
    const fresh = this.#formOf(templateOf(written, admitted, making));
    if (made.templates.length < madeMax) made.templates = made.templates.concat(fresh);
    return fresh;
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

  templateOf({ form, node }: MadeTemplate): PodTemplate {
    return node === null ? form : this.templates.at(this.templates.naming(form, node));
  }

  /** What stands on the shelf for this content. */
  #formOf(made: PodTemplate): MadeTemplate {
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
    const there = this.#shelves.get(form.labels);
    if (there === undefined) {
      this.#shelves.set(form.labels, form);
      return form;
    }
    if ("labels" in there && isSameTemplate(there, form)) return there;
    const shelf: Shelf = "labels" in there ? { forms: [there], byContent: null } : there;
    if (shelf !== there) this.#shelves.set(form.labels, shelf);
    if (shelf.byContent === null) {
      const found = shelf.forms.find((known) => isSameTemplate(known, form));
      if (found !== undefined) return found;
      shelf.forms = shelf.forms.concat(form);
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

/** As many are looked through where another one of the same spec is made. */
const madeMax = 4;

/** Whether a template is what would be made of these parts, which are all that one spec's differ in. */
function isOfParts(form: PodTemplate, written: WrittenPod, { priority, counted }: Admitted, making: Making): boolean {
  return (
    form.labels === making.labels &&
    form.namespace === written.namespace &&
    form.annotations === written.annotations &&
    form.priority === priority.value &&
    form.priorityClassName === priority.className &&
    form.preemptionPolicy === priority.preemptionPolicy &&
    form.tolerations === making.tolerations &&
    form.nodeSelector === making.nodeSelector &&
    form.containers === counted.containers &&
    form.initContainers === counted.initContainers &&
    form.images === counted.images &&
    form.requests === counted.sums.requests &&
    form.limits === counted.sums.limits
  );
}

/** `like`: a pod whose parts are taken where they are the same, as it is of the same family; null: they are shared already. */
function writtenPod(
  spec: WrittenSpec,
  { namespace, labels, annotations, admitted }: PodSurroundings,
  { priority, priorityClassName, preemptionPolicy, tolerations }: FilledIn,
  like: WrittenPod | null,
): WrittenPod {
  return {
    namespace,
    labels: like === null ? labels : shared(labels, like.labels),
    annotations: like === null ? annotations : shared(annotations, like.annotations),
    admitted,
    priority,
    priorityClassName,
    preemptionPolicy,
    tolerations: like === null ? tolerations : shared(tolerations, like.tolerations),
    spec,
  };
}

/** Whether a spec holds for others that are written alike: not where it takes in their labels. */
const isKept = (spec: WrittenSpec): boolean => !mergesLabels(spec);

/** The same but for the number. */
function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  // What differs most often is looked at first.
  return a.namespace === b.namespace && sameContent(a.containers, b.containers) && sameBut(a, b, ["id"]);
}

/** Annotations that differ from pod to pod and that no rule reads: kept, they would make every pod its own template. */
export function lastingAnnotations(annotations: Labels): Labels {
  let dropped = false;
  annotations.forEach((_, key) => {
    if (isFleeting(key)) dropped = true;
  });
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
