import { type ObjectRef, objectKey } from "../model/key.ts";
import { servedModel } from "./engine-arguments.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { activatorStages, isRevision, revisionBackends, revisionReverted, scalingGap } from "./knative.ts";
import { createBudget, type Knobs } from "./knobs.ts";
import { labelledOwner, ownedKnobs, plainPart } from "./part-rules.ts";
import { serviceKey } from "./route-kind.ts";
import { type Entry, entryOf, isNeeded, type Need, type PartRule, type Stage, type System } from "./system.ts";

const serviceLabel = "serving.kserve.io/inferenceservice";
const group = "serving.kserve.io";
const ownerOf = labelledOwner("InferenceService", `${group}/v1beta1`, serviceLabel);
const reverted = "KServe puts the Deployment back within about a second.";

/**
 * InferenceServices: a predictor, and before it a transformer where there is one.
 * Mirrors: KServe v0.20; which edits are reverted was seen on running controllers.
 */
export const kserve: System = {
  name: "kserve",
  title: "KServe InferenceService",
  about:
    "Deployments labelled serving.kserve.io/inferenceservice with component predictor, transformer or explainer. Replicas are " +
    "spec.<component>.minReplicas, spread and affinity inline beside it; no field makes a budget. Pods carry " +
    "app=isvc.<name>-predictor. The controller's webhook must answer before such a pod can be created.",
  gateways: [],
  entries: (facts) => namesOf(facts).map((ref) => serviceEntry(facts, ref)),
  parts: [
    componentRule("predictor", "engine", "Predictor"),
    componentRule("transformer", "transformer", "Transformer"),
    componentRule("explainer", "explainer", "Explainer"),
    plainPart({
      hop: "controller",
      component: "KServe controller",
      whileGone: "Services are not reconciled, and its webhook refuses their new pods.",
      match: {
        kinds: ["Deployment"],
        name: /^(kserve-controller-manager|llmisvc-controller-manager|odh-model-controller)$/,
      },
    }),
  ],
};

/** Every InferenceService there is, or that the labels of a workload name. */
function namesOf(facts: Facts): readonly ObjectRef[] {
  const refs = new Map<string, ObjectRef>();
  for (const { ref } of facts.others("InferenceService", group)) refs.set(objectKey(ref), ref);
  for (const part of facts.parts) {
    const ref = part.labels.has("component") ? ownerOf(part, facts) : null;
    if (ref !== null && !refs.has(objectKey(ref))) refs.set(objectKey(ref), ref);
  }
  return [...refs.values()];
}

function serviceEntry(facts: Facts, ref: ObjectRef): Entry {
  const object = facts.other("InferenceService", group, ref.namespace, ref.name);
  const parts = facts.partsIn(ref.namespace).filter(({ labels }) => labels.get(serviceLabel) === ref.name);
  const of = (component: string): readonly Part[] =>
    parts.filter(({ labels }) => labels.get("component") === component);
  const predictors = of("predictor");
  const annotations = object?.annotations ?? new Map<string, string>();
  const revisions = parts.filter(isRevision);
  const spared: Need = { needed: false, because: "Only requests for explanations pass it." };
  return {
    ...entryOf({ ref, annotations }),
    model: servedModel(predictors) || ref.name,
    stopped: annotations.get("serving.kserve.io/stop") === "true",
    backends: [
      ...[ref.name, `${ref.name}-predictor`, `${ref.name}-transformer`].map((name) => serviceKey(ref.namespace, name)),
      ...revisionBackends(revisions),
    ],
    stages: [
      ...(revisions.length > 0 ? activatorStages(facts, revisions) : []),
      ...stages(of("explainer"), "explainer", "", spared),
      ...stages(of("transformer"), "transformer", "transformer", isNeeded),
      ...stages(predictors, "engine", "", isNeeded),
    ],
    notModelled: scalingGap(revisions),
  };
}

function stages(parts: readonly Part[], hop: string, role: string, needed: Need): readonly Stage[] {
  return parts.map((part) => ({ by: "part", part, hop, role, needed }));
}

function componentRule(name: string, hop: string, component: string): PartRule {
  return {
    hop,
    component,
    onPath: true,
    whileGone: "",
    match: { kinds: ["Deployment"], labels: { [serviceLabel]: "*", component: name } },
    owner: ownerOf,
    knobs: (part, facts) => componentKnobs(name, part, facts),
  };
}

function componentKnobs(name: string, part: Part, facts: Facts): Knobs {
  const owner = ownerOf(part, facts);
  const isServerless = isRevision(part);
  const selector = isServerless
    ? `${serviceLabel}=${part.labels.get(serviceLabel) ?? ""}, component=${name}: app names one revision`
    : `app=${part.labels.get("app") ?? ""}`;
  const inlined = ownedKnobs(part.workload, owner, {
    replicas: `spec.${name}.minReplicas`,
    spread: `spec.${name}.topologySpreadConstraints`,
    budget: createBudget(`Its selector: ${selector}.`),
    overwrites: isServerless ? revisionReverted : reverted,
  });
  const flagged = "Knative takes it only with its feature flag kubernetes.podspec-topologyspreadconstraints.";
  const knobs =
    isServerless && inlined.spread.by === "field"
      ? { ...inlined, spread: { ...inlined.spread, note: flagged } }
      : inlined;
  const object = owner === null ? undefined : facts.other("InferenceService", group, owner.namespace, owner.name);
  const most = object === undefined ? null : fieldsOf(object).object("spec").object(name).whole("maxReplicas");
  if (knobs.replicas.by !== "field" || most === null) return knobs;
  return { ...knobs, replicas: { ...knobs.replicas, note: `Raise maxReplicas (now ${most}) with it.` } };
}
