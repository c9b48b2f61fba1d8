import { underKey } from "../base/under-key.ts";
import type { OtherObject } from "../model/cluster.ts";
import { healthyNeeded } from "../model/healthy-needed.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import type { Budget } from "../model/policy.ts";
import { leastOfScaledObject } from "../systems/autoscaling.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf, replicasOf } from "../systems/facts.ts";
import { proportionalScaler, type Size } from "../systems/proportional-autoscaler.ts";

/**
 * What an autoscaler may make of parts on the path before anybody drains a node: it is played as if the load stayed as it is, and it
 * need not. Where it may go down to one pod, or to so few that their budget lets none go, what more pods survive proves nothing.
 */
export function autoscaledOf(facts: Facts, hops: readonly Hop[]): Endpoint["notModelled"] {
  const found: Endpoint["notModelled"][number][] = [];
  for (const hop of hops) {
    const scaler = hop.needed ? scalerOf(facts, hop) : undefined;
    if (scaler === undefined || hop.desired === null || hop.desired <= scaler.minReplicas) continue;
    const couldChange = harmAt(facts, hops, hop);
    if (couldChange === "") continue;
    const { kind, namespace, name } = scaler.ref;
    found.push({
      what: `${scaler.by}, by which ${kind} ${namespace}/${name} may take its ${hop.desired} replicas down to ${scaler.minReplicas}`,
      ref: `${hop.ref.kind} ${hop.ref.namespace}/${hop.ref.name}`,
      couldChange,
    });
  }
  return found;
}

/** "" none that is known of. */
function harmAt(facts: Facts, hops: readonly Hop[], hop: Hop): string {
  if (leastOf(facts, hops, hop) < 2) return "whether anything serves while the last one moves";
  const budget = budgetOver(facts, hop);
  if (budget === undefined) return "";
  const pods = podsUnder(facts, hops, budget);
  if (isHeld(budget, pods.now) || !isHeld(budget, pods.least)) return "";
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
  /** What it goes by. */
  readonly by: string;
  /** Infinity: it takes none away. */
  readonly minReplicas: number;
}

function scalerOf(facts: Facts, { ref, owner }: Pick<Hop, "ref" | "owner">): Scaler | undefined {
  const known = underKey(byTarget, facts, scalersOf);
  return known.get(objectKey(ref)) ?? (owner === null ? undefined : known.get(objectKey(owner)));
}

const byTarget = new WeakMap<Facts, ReadonlyMap<ObjectKey, Scaler>>();

/**
 * By what they scale. Those of KEDA and AIBrix count where the HorizontalPodAutoscaler that they make is not there, or they make none,
 * and where they go to zero, which it does not.
 */
function scalersOf(facts: Facts): ReadonlyMap<ObjectKey, Scaler> {
  const found = new Map<ObjectKey, Scaler>();
  for (const { target, ref, minReplicas, onlyUp } of facts.cluster.autoscalers)
    found.set(target, { ref, by: "the load", minReplicas: onlyUp ? Infinity : minReplicas });
  for (const [kind, group, leastOf] of others) {
    for (const scaler of facts.others(kind, group)) {
      const minReplicas = leastOf(scaler);
      if (minReplicas === null) continue;
      const named = fieldsOf(scaler).object("spec").object("scaleTargetRef");
      const target = objectKey({
        apiVersion: named.optionalText("apiVersion") ?? "apps/v1",
        kind: named.optionalText("kind") ?? "Deployment",
        namespace: scaler.ref.namespace,
        name: named.text("name"),
      });
      if (minReplicas === 0 || !found.has(target)) found.set(target, { ref: scaler.ref, by: "the load", minReplicas });
    }
  }
  const size = withoutLargest(facts);
  for (const { workload } of facts.partsIn("kube-system")) {
    const scaler = found.has(workload.key) ? null : proportionalScaler(facts, workload.ref);
    const minReplicas = scaler?.replicasAt(size) ?? null;
    if (scaler === null || minReplicas === null) continue;
    found.set(workload.key, { ref: scaler.map, by: "the number of nodes that take pods", minReplicas });
  }
  return found;
}

/** What takes pods while one node is closed: the largest, as nobody knows which. */
function withoutLargest({ cluster }: Facts): Size {
  const open = cluster.nodes
    .filter(({ unschedulable }) => !unschedulable)
    .map(({ allocatable }) => allocatable.milliCpu);
  const milliCpu = open.reduce((sum, each) => sum + each, 0) - Math.max(0, ...open);
  return { nodes: Math.max(0, open.length - 1), milliCpu };
}

/** Kind, group, and the fewest replicas they leave; null: they scale nothing now. Mirrors: KEDA v2.18; AIBrix v0.7. */
const others: readonly (readonly [kind: string, group: string, leastOf: (scaler: OtherObject) => number | null])[] = [
  ["ScaledObject", "keda.sh", leastOfScaledObject],
  ["PodAutoscaler", "autoscaling.aibrix.ai", (scaler) => fieldsOf(scaler).object("spec").count("minReplicas") ?? 1],
];

function budgetOver(facts: Facts, { ref }: Hop): Budget | undefined {
  const template = facts.part(objectKey(ref))?.template;
  if (template === undefined || template === null) return undefined;
  return facts.cluster.budgets.find(
    (one) => one.ref.namespace === ref.namespace && one.selector !== null && matches(one.selector, template.labels),
  );
}

interface PodsUnder {
  readonly now: number;
  /** The fewest that autoscalers may leave there. */
  readonly least: number;
}

/** The pods of all parts that a budget is over. */
function podsUnder(facts: Facts, hops: readonly Hop[], { ref, selector }: Budget): PodsUnder {
  const parts = selector === null ? [] : facts.matching(ref.namespace, selector);
  let [now, least] = [0, 0];
  for (const { workload, pods } of parts) {
    const replicas = replicasOf(workload) ?? pods.length;
    const size = workload.kind === "LeaderWorkerSet" ? workload.size : 1;
    const hop = hops.find((one) => objectKey(one.ref) === workload.key);
    const scaler = scalerOf(facts, hop ?? { ref: workload.ref, owner: null });
    now += replicas * size;
    least += Math.min(replicas, scaler?.minReplicas ?? replicas) * size;
  }
  return { now, least };
}

/** Of so many pods, all Ready, it lets none go. */
function isHeld(budget: Budget, pods: number): boolean {
  return healthyNeeded(budget, pods) >= pods;
}
