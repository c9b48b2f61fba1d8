import type { Fields } from "../wire/fields.ts";
import type { LabelSelector } from "./labels.ts";
import { parseIntOrPercent } from "./parse-int-or-percent.ts";
import { type Meta, parseTimeField } from "./parse-meta.ts";
import { parseLabelSelector } from "./parse-selector.ts";
import type { Budget, BudgetStatus } from "./policy.ts";

/** All of a Budget but its owner, which is resolved against the whole input. */
export type UnownedBudget = Omit<Budget, "owner">;

export function parseBudget(fields: Fields, meta: Meta): UnownedBudget {
  const spec = fields.object("spec");
  const minAvailable = parseIntOrPercent(spec, "minAvailable");
  const maxUnavailable = parseIntOrPercent(spec, "maxUnavailable");
  if (minAvailable !== null && maxUnavailable !== null) {
    spec.problem("maxUnavailable", "minAvailable is set too; a budget takes only one, and minAvailable is used");
  }
  return {
    key: meta.key,
    ref: meta.ref,
    labels: meta.labels,
    annotations: meta.annotations,
    selector: parseBudgetSelector(spec, meta),
    minAvailable,
    maxUnavailable: minAvailable === null ? maxUnavailable : null,
    unhealthyPodEviction: spec.choice(
      "unhealthyPodEvictionPolicy",
      ["IfHealthyBudget", "AlwaysAllow"],
      "IfHealthyBudget",
    ),
    status: parseStatus(fields.optionalObject("status")),
    disruptedPods: parseDisruptedPods(fields.object("status")),
    generation: fields.object("metadata").count("generation") ?? 0,
    source: meta.source,
  };
}

/** In policy/v1beta1 an empty selector takes no pod; in v1 it takes every pod of the namespace. */
function parseBudgetSelector(spec: Fields, { ref }: Meta): LabelSelector | null {
  const selector = parseLabelSelector(spec, "selector");
  const isEmpty = selector?.invalid === false && selector.requirements.length === 0;
  return isEmpty && ref.apiVersion === "policy/v1beta1" ? null : selector;
}

function parseDisruptedPods(status: Fields): ReadonlyMap<string, number | null> {
  if (!status.has("disruptedPods")) return nobody;
  const disrupted = status.object("disruptedPods");
  return new Map(status.entries("disruptedPods").map(([pod]) => [pod, parseTimeField(disrupted, pod)]));
}

const nobody: ReadonlyMap<string, number | null> = new Map();

/** Null also for the empty status of an object the disruption controller has not seen yet. */
function parseStatus(status: Fields | null): BudgetStatus | null {
  if (status === null || !(status.has("observedGeneration") || status.has("expectedPods"))) return null;
  const condition = status.objects("conditions").find((each) => each.text("type") === "DisruptionAllowed");
  return {
    expectedPods: status.whole("expectedPods") ?? 0,
    desiredHealthy: status.whole("desiredHealthy") ?? 0,
    currentHealthy: status.whole("currentHealthy") ?? 0,
    disruptionsAllowed: status.whole("disruptionsAllowed") ?? 0,
    observedGeneration: status.whole("observedGeneration") ?? 0,
    reason: condition?.text("reason") ?? "",
    conditionStatus: condition?.text("status") ?? "",
    message: condition?.text("message") ?? "",
  };
}
