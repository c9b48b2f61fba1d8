import type { Fields } from "../wire/fields.ts";
import { type AdmissionContext, type Admitted, admit } from "./admission.ts";
import { ContentIds, Same } from "./content-ids.ts";
import type { Labels, Requirement } from "./labels.ts";
import { type PodSurroundings, parsePodSpec } from "./parse-pod-spec.ts";
import { PodSums } from "./pod-sums.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import type { Resources } from "./resources.ts";
import { notInterned } from "./template-content.ts";
import type { WrittenPod } from "./written-pod.ts";

/** A spec as written, read once for all pods that are alike. */
export interface TemplateDraft {
  readonly written: WrittenPod;
}

export interface FinishedTemplate {
  readonly template: PodTemplate;
  readonly admitted: Admitted;
}

/**
 * Makes pod templates and lets equal ones be the same object, as well as their larger parts: most pods of a cluster
 * repeat a few specs, and a workload's pods, its ReplicaSet and itself differ in labels only.
 */
export class TemplatePool {
  readonly #quantities: QuantityReader;
  readonly #ids = new ContentIds();
  readonly #sums = new PodSums();
  readonly #finished = new Map<TemplateDraft, FinishedTemplate>();
  readonly #byContent = new Map<number, PodTemplate>();
  readonly #ofNode = new Map<PodTemplate, Map<string, PodTemplate>>();
  readonly #templates: PodTemplate[] = [];
  readonly #maps = new Same<Labels>(this.#ids);
  readonly #resources = new Same<Resources>(this.#ids);
  readonly #tolerations = new Same<PodTemplate["tolerations"]>(this.#ids);
  readonly #containers = new Same<PodTemplate["containers"]>(this.#ids);
  readonly #texts = new Same<readonly string[]>(this.#ids);

  constructor(quantities: QuantityReader) {
    this.#quantities = quantities;
  }

  /** Every distinct template, by id. */
  get templates(): readonly PodTemplate[] {
    return this.#templates;
  }

  draft(spec: Fields, around: PodSurroundings): TemplateDraft {
    return { written: parsePodSpec(spec, around, this.#quantities) };
  }

  finish(draft: TemplateDraft, context: AdmissionContext): FinishedTemplate {
    const known = this.#finished.get(draft);
    if (known !== undefined) return known;
    const admitted = admit(draft.written, context, this.#sums);
    const finished: FinishedTemplate = { admitted, template: this.#intern(admitted.template) };
    this.#finished.set(draft, finished);
    return finished;
  }

  /** The template for another node than the one it names, as each pod of a DaemonSet has it. */
  ofNode(template: PodTemplate, node: string): PodTemplate {
    let byNode = this.#ofNode.get(template);
    if (byNode === undefined) {
      byNode = new Map();
      this.#ofNode.set(template, byNode);
    }
    let own = byNode.get(node);
    if (own === undefined) {
      own = this.#intern({ ...template, requiredNodeAffinity: namingNode(template, node) });
      byNode.set(node, own);
    }
    return own;
  }

  /** The template of this content, with its number. */
  intern(made: Omit<PodTemplate, "id">): PodTemplate {
    return this.#intern(made);
  }

  #intern(made: Omit<PodTemplate, "id">): PodTemplate {
    const shared = {
      ...made,
      requests: this.#resources.of(made.requests),
      limits: this.#resources.of(made.limits),
      tolerations: this.#tolerations.of(made.tolerations),
      nodeSelector: this.#maps.of(made.nodeSelector),
      labels: this.#maps.of(made.labels),
      annotations: this.#maps.of(made.annotations),
      containers: this.#containers.of(made.containers),
      initContainers: this.#containers.of(made.initContainers),
      images: this.#texts.of(made.images),
      id: notInterned,
    };
    const content = this.#ids.of(shared);
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const template: PodTemplate = { ...shared, id: this.#templates.length };
    this.#templates.push(template);
    this.#byContent.set(content, template);
    return template;
  }
}

/** The node that the only requirement on fields names, where there is one term and one such requirement; null else. */
export function ownNodeOf({ requiredNodeAffinity }: Pick<PodTemplate, "requiredNodeAffinity">): string | null {
  const [term, ...more] = requiredNodeAffinity ?? [];
  if (term === undefined || more.length > 0 || term.matchFields.length !== 1) return null;
  const [only] = term.matchFields;
  return only?.key === "metadata.name" && only.values.length === 1 ? (only.values[0] ?? null) : null;
}

function namingNode({ requiredNodeAffinity }: PodTemplate, node: string): PodTemplate["requiredNodeAffinity"] {
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
