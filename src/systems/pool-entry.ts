import type { OtherObject } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import type { LabelSelector } from "../model/labels.ts";
import { type Facts, fieldsOf, type Part, selectorOf } from "./facts.ts";
import { outsideKnobs } from "./knobs.ts";
import { stagesOf } from "./scaling-groups.ts";
import { type Entry, entryOf, isNeeded, type Stage } from "./system.ts";

export const poolGroups = ["inference.networking.k8s.io", "inference.networking.x-k8s.io"] as const;

/** InferencePools of both API groups the project has had. */
export function poolsOf(facts: Facts): readonly OtherObject[] {
  return poolGroups.flatMap((group) => facts.others("InferencePool", group));
}

/**
 * The endpoint an InferencePool makes: its picker, and the engines it selects by role. `extra`: engines of this endpoint
 * that the pool does not select (prefill beside a pool of decoders).
 */
export function poolEntry(facts: Facts, pool: OtherObject, extra: readonly Part[] = []): Entry {
  const selector = poolSelector(pool);
  const selected = facts.matching(pool.ref.namespace, selector);
  const known = new Set(selected);
  const engines = [...selected, ...extra.filter((part) => !known.has(part))];
  return {
    ...entryOf(pool),
    backends: poolBackends(pool),
    pools: [pool],
    stages: engines.length > 0 ? engineStages(engines) : [unknownEngines(pool, selector)],
  };
}

/** Routes written for the API's first group lead to the pool of the same name in the second. */
export function poolBackends({ ref }: OtherObject): readonly ObjectKey[] {
  return poolGroups.map((group) => `${ref.kind}.${group}/${ref.namespace}/${ref.name}`);
}

export function poolSelector(pool: OtherObject): LabelSelector {
  const selector = fieldsOf(pool).object("spec").object("selector");
  // The API's first version had the labels right under `selector`.
  return selectorOf(
    selector.has("matchLabels") ? selector.textMap("matchLabels") : fieldsOf(pool).object("spec").textMap("selector"),
  );
}

/** One stage an engine, with the role its label says. Workers of a group are part of their leader's unit. */
export function engineStages(parts: readonly Part[]): readonly Stage[] {
  return stagesOf(parts, (part) => ({ by: "part", part, hop: "engine", role: roleOf(part), needed: isNeeded }));
}

/** `decode`, `prefill`, …; "" when a unit does everything. */
export function roleOf(part: Part): string {
  const role = part.labels.get("llm-d.ai/role") ?? "";
  return role === "both" || role === "prefill-decode" ? "" : role;
}

/** Nothing matches yet: whatever will match is the engine. */
function unknownEngines(pool: OtherObject, selector: LabelSelector): Stage {
  return {
    by: "pods",
    hop: "engine",
    component: "Engine",
    role: "",
    ref: pool.ref,
    owner: null,
    pods: { by: "selector", namespace: pool.ref.namespace, selector },
    parts: [],
    desired: null,
    unit: { kind: "pod" },
    needed: isNeeded,
    knobs: outsideKnobs("No workload makes pods that this pool selects."),
  };
}

/** The parts a stage's pods belong to. */
export function partsOfStage(stage: Stage): readonly Part[] {
  if (stage.by === "outside") return [];
  return stage.by === "part" ? [stage.part] : stage.parts;
}
