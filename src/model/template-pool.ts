import { Fields, isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { type AdmissionContext, type Admitted, admit } from "./admission.ts";
import type { Labels, Requirement } from "./labels.ts";
import { type PodSurroundings, parsePodSpec } from "./parse-pod-spec.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { QuantityReader } from "./quantity.ts";
import { notInterned, templateContent } from "./template-content.ts";
import type { WrittenPod } from "./written-pod.ts";

type Found = readonly (readonly [string, string])[];

/** A distinct spec as written, read once for all pods that share it. */
export interface TemplateDraft {
  readonly written: WrittenPod;
  /** Field path inside the spec and message: said again for every object that has the spec. */
  readonly problems: Found;
}

export interface FinishedTemplate {
  readonly template: PodTemplate;
  readonly admitted: Admitted;
}

/**
 * Makes pod templates and lets equal ones be the same object. Most pods of a cluster repeat a few specs: the wire text
 * of the fields that are read is the key by which a spec is read once; specs that differ only in what is written out
 * or left to its default meet again by content.
 */
export class TemplatePool {
  readonly #quantities: QuantityReader;
  readonly #drafts = new Map<string, TemplateDraft>();
  readonly #finished = new Map<TemplateDraft, FinishedTemplate>();
  readonly #byContent = new Map<string, PodTemplate>();
  readonly #ofNode = new Map<PodTemplate, Map<string, PodTemplate>>();
  readonly #templates: PodTemplate[] = [];

  constructor(quantities: QuantityReader) {
    this.#quantities = quantities;
  }

  /** Every distinct template, by id. */
  get templates(): readonly PodTemplate[] {
    return this.#templates;
  }

  draft(spec: Fields, around: PodSurroundings): TemplateDraft {
    const key = wireKey(spec.wire, around);
    const known = this.#drafts.get(key);
    if (known !== undefined) return repeatProblems(known, spec);
    const problems: (readonly [string, string])[] = [];
    const own = Fields.of(spec.wire, (path, message) => problems.push([path, message]));
    const draft: TemplateDraft = { written: parsePodSpec(own, around, this.#quantities), problems };
    this.#drafts.set(key, draft);
    return repeatProblems(draft, spec);
  }

  finish(draft: TemplateDraft, context: AdmissionContext): FinishedTemplate {
    const known = this.#finished.get(draft);
    if (known !== undefined) return known;
    const admitted = admit(draft.written, context);
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
    const content = templateContent({ ...made, id: notInterned });
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const template: PodTemplate = { ...made, id: this.#templates.length };
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

function repeatProblems(draft: TemplateDraft, spec: Fields): TemplateDraft {
  for (const [path, message] of draft.problems) spec.problem(path, message);
  return draft;
}

/** The same text for specs that read the same; other texts may still read the same. */
function wireKey(spec: JsonObject, around: PodSurroundings): string {
  return JSON.stringify([
    around.admitted,
    around.namespace,
    [...around.labels],
    [...around.annotations],
    without(spec, unreadSpecFields, {
      containers: slimList(spec["containers"], slimContainer),
      initContainers: slimList(spec["initContainers"], slimContainer),
      volumes: slimList(spec["volumes"], slimVolume),
    }),
  ]);
}

const unreadSpecFields: ReadonlySet<string> = new Set(["serviceAccount", "serviceAccountName", "securityContext"]);
const unreadContainerFields: ReadonlySet<string> = new Set(["env", "envFrom", "livenessProbe", "securityContext"]);

function slimContainer(container: JsonObject): JsonObject | null {
  return without(container, unreadContainerFields, { volumeMounts: slimList(container["volumeMounts"], slimMount) });
}

/** Mounts are read for their bind options only; the token mount has another name in every pod. */
function slimMount(mount: JsonObject): JsonObject | null {
  return Object.hasOwn(mount, "bindMountOptions") ? mount : null;
}

/** Volumes that are never read: the token volume has another name in every pod. */
function slimVolume(volume: JsonObject): JsonObject | null {
  const unread = ["projected", "configMap", "secret", "downwardAPI"].some((kind) => Object.hasOwn(volume, kind));
  return unread ? null : volume;
}

function slimList(list: Json | undefined, slim: (element: JsonObject) => JsonObject | null): Json | undefined {
  if (!isJsonList(list)) return list;
  const kept: Json[] = [];
  for (const element of list) {
    const slimmed = isJsonObject(element) ? slim(element) : element;
    if (slimmed !== null) kept.push(slimmed);
  }
  return kept;
}

function without(object: JsonObject, unread: ReadonlySet<string>, replaced: JsonObject): JsonObject {
  const kept: [string, Json | undefined][] = [];
  for (const name of Object.keys(object)) {
    if (!unread.has(name) && !Object.hasOwn(replaced, name)) kept.push([name, object[name]]);
  }
  return Object.fromEntries([...kept, ...Object.entries(replaced)]);
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
