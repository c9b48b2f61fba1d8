import type { OtherObject } from "../model/cluster.ts";
import { type ObjectRef, objectKey } from "../model/key.ts";
import { servedModel } from "./engine-arguments.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { pickerBudget } from "./inference-extension.ts";
import { createBudget, type Knob, type Knobs, none } from "./knobs.ts";
import { labelledOwner, ownedKnobs } from "./part-rules.ts";
import { engineStages, poolBackends, poolsOf } from "./pool-entry.ts";
import { type Claims, type Entry, entryOf, type PartRule, type Stage, type System } from "./system.ts";

const partOf = "app.kubernetes.io/part-of";
const nameLabel = "app.kubernetes.io/name";
const componentLabel = "app.kubernetes.io/component";
const llm = "llminferenceservice";
const group = "serving.kserve.io";
const ownerOf = labelledOwner("LLMInferenceService", `${group}/v1alpha2`, nameLabel);

/**
 * LLMInferenceServices: engines (also in groups, also prefill apart), a router scheduler that picks among them, a tokenizer.
 * Mirrors: KServe v0.20 and its presets; which edits are reverted was seen on running controllers.
 */
export const kserveLlm: System = {
  name: "kserve-llm",
  title: "KServe LLMInferenceService (also OpenShift AI)",
  about:
    "Workloads labelled app.kubernetes.io/part-of=llminferenceservice. Engines scale by spec.replicas (or spec.scaling), the scheduler " +
    "by spec.router.scheduler.replicas; spread goes into the templates. Template edits of what it makes are reverted. The " +
    "scheduler's strategy is Recreate: any change of its template stops all of them. No field makes a budget.",
  gateways: [],
  entries: (facts, claimed) => namesOf(facts).map((ref) => serviceEntry(facts, ref, claimed)),
  parts: [
    engineRule("llminferenceservice-workload", "Engine", "spec.replicas", "spec.template"),
    engineRule(
      "llminferenceservice-workload-prefill",
      "Prefill engine",
      "spec.prefill.replicas",
      "spec.prefill.template",
    ),
    engineRule("llminferenceservice-workload-leader", "Engine", "spec.replicas", "spec.template"),
    engineRule("llminferenceservice-workload-worker", "Engine", "spec.replicas", "spec.worker"),
    engineRule(
      "llminferenceservice-workload-leader-prefill",
      "Prefill engine",
      "spec.prefill.replicas",
      "spec.prefill.template",
    ),
    engineRule(
      "llminferenceservice-workload-worker-prefill",
      "Prefill engine",
      "spec.prefill.replicas",
      "spec.prefill.worker",
    ),
    {
      ...rule("llminferenceservice-router-scheduler", "picker", "Endpoint picker"),
      knobs: (part, facts) =>
        knobsAt(part, facts, "spec.router.scheduler.replicas", "spec.router.scheduler.template", pickerBudget(part)),
    },
    {
      ...rule("tokenizer", "tokenizer", "Tokenizer"),
      knobs: (part, facts) => ({
        ...knobsAt(part, facts, "", "spec.router.scheduler.tokenizer.template", createBudget()),
        replicas: none("KServe runs one tokenizer a service; no field raises it."),
        budget: none("Over one replica a budget only holds drains."),
      }),
    },
  ],
};

function namesOf(facts: Facts): readonly ObjectRef[] {
  const refs = new Map<string, ObjectRef>();
  for (const { ref } of facts.others("LLMInferenceService", group)) refs.set(objectKey(ref), ref);
  for (const part of facts.parts) {
    const ref = part.labels.get(partOf) === llm ? ownerOf(part, facts) : null;
    if (ref !== null && !refs.has(objectKey(ref))) refs.set(objectKey(ref), ref);
  }
  return [...refs.values()];
}

function serviceEntry(facts: Facts, ref: ObjectRef, claimed: Claims): Entry {
  const object = facts.other("LLMInferenceService", group, ref.namespace, ref.name);
  const parts = facts
    .partsIn(ref.namespace)
    .filter(({ labels }) => labels.get(partOf) === llm && labels.get(nameLabel) === ref.name);
  const engines = parts.filter(({ labels }) => (labels.get(componentLabel) ?? "").startsWith(`${llm}-workload`));
  const pools = poolsOf(facts).filter((pool) => !claimed.objects.has(pool.key) && isPoolOf(pool, ref));
  const workloadService = objectKey({
    apiVersion: "v1",
    kind: "Service",
    namespace: ref.namespace,
    name: `${ref.name}-kserve-workload-svc`,
  });
  const annotations = object?.annotations ?? new Map<string, string>();
  const tokenizers = parts.filter(({ labels }) => labels.get(componentLabel) === "tokenizer");
  return {
    ...entryOf({ ref, annotations }),
    model: modelOf(object, engines) || ref.name,
    stopped: annotations.get("serving.kserve.io/stop") === "true",
    backends: [...pools.flatMap(poolBackends), workloadService],
    pools,
    stages: [...tokenizers.map(tokenizerStage), ...engineStages(engines)],
  };
}

function isPoolOf(pool: OtherObject, ref: ObjectRef): boolean {
  if (pool.ref.namespace !== ref.namespace) return false;
  if (pool.owner === objectKey(ref)) return true;
  return pool.labels.get(partOf) === llm
    ? pool.labels.get(nameLabel) === ref.name
    : pool.ref.name === `${ref.name}-inference-pool`;
}

function modelOf(object: OtherObject | undefined, engines: readonly Part[]): string {
  const named = object === undefined ? "" : fieldsOf(object).object("spec").object("model").text("name");
  return named || servedModel(engines);
}

function tokenizerStage(part: Part): Stage {
  const needed = { needed: true, because: "The picker asks it for the tokens of each request." };
  return { by: "part", part, hop: "tokenizer", role: "", needed };
}

function rule(component: string, hop: string, title: string): Omit<PartRule, "knobs"> {
  return {
    hop,
    component: title,
    onPath: true,
    whileGone: "",
    match: { labels: { [partOf]: llm, [componentLabel]: component } },
    owner: ownerOf,
  };
}

function engineRule(component: string, title: string, replicas: string, template: string): PartRule {
  return {
    ...rule(component, "engine", title),
    knobs: (part, facts) => {
      const grouped = part.workload.kind === "LeaderWorkerSet";
      const note = grouped
        ? `One over the whole set: leaderworkerset.sigs.k8s.io/name=${part.workload.ref.name}, maxUnavailable 1.`
        : "Its selector: app.kubernetes.io/name, part-of and kserve.io/component=workload.";
      return knobsAt(part, facts, replicas, template, createBudget(note));
    },
  };
}

/** Replicas and scaling exclude each other, for each role by itself. */
function isScaled(object: OtherObject, replicas: string): boolean {
  const spec = fieldsOf(object).object("spec");
  if (replicas === "spec.replicas") return spec.has("scaling");
  return replicas === "spec.prefill.replicas" && spec.object("prefill").has("scaling");
}

function knobsAt(part: Part, facts: Facts, replicas: string, template: string, budget: Knob): Knobs {
  const owner = ownerOf(part, facts);
  const object = owner === null ? undefined : facts.other("LLMInferenceService", group, owner.namespace, owner.name);
  return ownedKnobs(part.workload, owner, {
    replicas:
      object !== undefined && isScaled(object, replicas)
        ? replicas.replace(/replicas$/, "scaling.minReplicas")
        : replicas,
    spread: `${template}.topologySpreadConstraints`,
    budget,
    overwrites:
      "KServe reverts edits of the pod template within seconds; replicas stay only where the service leaves them unset.",
  });
}
