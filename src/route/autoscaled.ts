import { underKey } from "../base/under-key.ts";
import { scaledValue } from "../model/int-or-percent.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import type { Budget } from "../model/policy.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";

/**
 * What an autoscaler may make of parts on the path before anybody drains a node: it is played as if the load stayed as it is, and it
 * need not. Where it may go down to one pod, or to so few that their budget lets none go, what more pods survive proves nothing.
 */
export function autoscaledOf(facts: Facts, hops: readonly Hop[]): Endpoint["notModelled"] {
  const found: Endpoint["notModelled"][number][] = [];
  for (const hop of hops) {
    const scaler = hop.needed ? scalerOf(facts, hop) : undefined;
    if (scaler === undefined || hop.desired === null || hop.desired <= scaler.minReplicas) continue;
    const couldChange = harmAt(facts, hops, hop, scaler.minReplicas);
    if (couldChange === "") continue;
    const { kind, namespace, name } = scaler.ref;
    found.push({
      what: `the load, by which ${kind} ${namespace}/${name} may take its ${hop.desired} replicas down to ${scaler.minReplicas}`,
      ref: `${hop.ref.kind} ${hop.ref.namespace}/${hop.ref.name}`,
      couldChange,
    });
  }
  return found;
}

/** "" none that is known of. */
function harmAt(facts: Facts, hops: readonly Hop[], hop: Hop, least: number): string {
  if (leastOf(facts, hops, hop) < 2) return "whether anything serves while the last one moves";
  const budget = facts.cluster.budgets.find((one) => takes(facts, one, hop));
  if (budget === undefined || allows(budget, hop.desired ?? 0) === 0 || allows(budget, least) > 0) return "";
  return `whether budget ${budget.ref.namespace}/${budget.ref.name} lets any of them go`;
}

/** The fewest there may be with those that stand in for them: engines of a role do. */
function leastOf(facts: Facts, hops: readonly Hop[], hop: Hop): number {
  const standIns = hop.hop === "engine" ? hops.filter((one) => one.hop === "engine" && one.role === hop.role) : [hop];
  return standIns.reduce(
    (sum, one) => sum + Math.min(one.desired ?? 0, scalerOf(facts, one)?.minReplicas ?? Infinity),
    0,
  );
}

interface Scaler {
  readonly ref: ObjectRef;
  readonly minReplicas: number;
}

function scalerOf(facts: Facts, { ref, owner }: Hop): Scaler | undefined {
  const known = underKey(byTarget, facts, scalersOf);
  return known.get(objectKey(ref)) ?? (owner === null ? undefined : known.get(objectKey(owner)));
}

const byTarget = new WeakMap<Facts, ReadonlyMap<ObjectKey, Scaler>>();

/** By what they scale. Those of KEDA and AIBrix count where the HorizontalPodAutoscaler that they make is not there, or they make none. */
function scalersOf(facts: Facts): ReadonlyMap<ObjectKey, Scaler> {
  const found = new Map<ObjectKey, Scaler>();
  for (const scaler of facts.cluster.autoscalers) found.set(scaler.target, scaler);
  for (const [kind, group, least, unless] of others) {
    for (const scaler of facts.others(kind, group)) {
      const spec = fieldsOf(scaler).object("spec");
      const named = spec.object("scaleTargetRef");
      const target = objectKey({
        apiVersion: named.optionalText("apiVersion") ?? "apps/v1",
        kind: named.optionalText("kind") ?? "Deployment",
        namespace: scaler.ref.namespace,
        name: named.text("name"),
      });
      if (!found.has(target)) found.set(target, { ref: scaler.ref, minReplicas: spec.count(least) ?? unless });
    }
  }
  return found;
}

/** Kind, group, the field of the fewest replicas, and how many where it is not stated. Mirrors: KEDA v2.18; AIBrix v0.7. */
const others = [
  ["ScaledObject", "keda.sh", "minReplicaCount", 0],
  ["PodAutoscaler", "autoscaling.aibrix.ai", "minReplicas", 1],
] as const;

function takes(facts: Facts, { ref, selector }: Budget, hop: Hop): boolean {
  const template = facts.part(objectKey(hop.ref))?.template;
  return (
    ref.namespace === hop.ref.namespace &&
    selector !== null &&
    template !== null &&
    template !== undefined &&
    matches(selector, template.labels)
  );
}

/** How many of so many pods a budget over these alone lets go while all are Ready. */
function allows({ minAvailable, maxUnavailable }: Budget, pods: number): number {
  if (maxUnavailable !== null) return Math.min(pods, scaledValue(maxUnavailable, pods, "up"));
  return minAvailable === null ? pods : Math.max(0, pods - scaledValue(minAvailable, pods, "up"));
}
