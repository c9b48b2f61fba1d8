import { unreachable } from "../base/invariant.ts";
import { budgetsOf } from "../eviction/budgets-of.ts";
import type { DrainFlags } from "../eviction/drain-flags.ts";
import { evict } from "../eviction/evict.ts";
import type { PassOver } from "../maintenance/actor.ts";
import { matches } from "../model/labels.ts";
import { parseSelectorText } from "../model/selector-text.ts";
import type { ClusterView, NodeView, PodView } from "../model/view.ts";
import type { Lane } from "./lanes.ts";
import { leavingPods } from "./leaving-pods.ts";
import { isUnavailable } from "./node-closing.ts";
import { beforeStart } from "./records.ts";
import type { Refusal } from "./trace.ts";

/** Why the actor does not take this node as things stand; null: it may. */
export function passedOver(view: ClusterView, lane: Lane, name: string, flags: DrainFlags): Refusal | null {
  const node = view.node(name);
  if (node === undefined) return null;
  for (const rule of lane.actor.passesOver) {
    const refusal = look(view, lane, node, flags, rule);
    if (refusal !== null) return refusal;
  }
  return null;
}

function look(view: ClusterView, lane: Lane, node: NodeView, flags: DrainFlags, rule: PassOver): Refusal | null {
  switch (rule.on) {
    case "unavailable":
      if (!isUnavailable(node, lane.actor.usesUp)) return null;
      return because("", `it is cordoned or not available, and so no candidate of pool ${lane.pool}`);
    case "nodeAnnotation":
      return said(node.node.annotations.get(rule.key), rule, "", `node ${node.name}: annotation`);
    case "nodeLabel":
      return said(node.node.labels.get(rule.key), rule, "", `node ${node.name}: label`);
    case "podAnnotation":
      return firstOf(movable(view, lane, node, flags), (pod) =>
        said(pod.template.annotations.get(rule.key), rule, pod.key, "annotation"),
      );
    case "podSelector": {
      const parsed = parseSelectorText(rule.selector);
      if (!parsed.ok) return null;
      return firstOf(node.pods, (pod) =>
        matches(parsed.selector, pod.template.labels) ? because(pod.key, `matches ${rule.selector}`) : null,
      );
    }
    case "budget":
      return overBudget(view, movable(view, lane, node, flags));
    case "barePod":
      return firstOf(movable(view, lane, node, flags), (pod) =>
        pod.owner === null && !excused(pod, rule.unlessAnnotation) ? because(pod.key, "has no controller") : null,
      );
    case "localStorage":
      return firstOf(movable(view, lane, node, flags), (pod) =>
        hasLocalStorage(pod) && !excused(pod, rule.unlessAnnotation) ? because(pod.key, "has local storage") : null,
      );
    case "systemPod":
      return firstOf(movable(view, lane, node, flags), (pod) => {
        if (pod.namespace !== "kube-system" || budgetsOf(view, pod).length > 0) return null;
        const ageMs = view.nowMs - pod.createdAtMs;
        return ageMs < rule.youngerThanMs && pod.createdAtMs !== beforeStart
          ? because(pod.key, "is a pod of kube-system without a budget, younger than an hour")
          : null;
      });
    default:
      return unreachable(rule);
  }
}

/** Every pod must be allowed to go, and of one budget no more than it allows. */
function overBudget(view: ClusterView, pods: readonly PodView[]): Refusal | null {
  const spent = new Map<string, number>();
  for (const pod of pods) {
    const { code, message, cause, budget } = evict(view, pod.key);
    if (code !== 201 && code !== 404) return { pod: pod.key, code, message, cause: cause ?? "" };
    if (budget === null) continue;
    const allowed = view.budgets.find((b) => b.budget.key === budget)?.status.disruptionsAllowed ?? 0;
    const count = (spent.get(budget) ?? 0) + 1;
    spent.set(budget, count);
    if (count > allowed) return because(pod.key, `its budget allows ${allowed} pods of the node, not all of them`);
  }
  return null;
}

function movable(view: ClusterView, { actor }: Lane, node: NodeView, flags: DrainFlags): readonly PodView[] {
  return leavingPods(view, node.name, actor, flags).pods.map(({ pod }) => pod);
}

function excused(pod: PodView, annotation: string): boolean {
  return pod.template.annotations.get(annotation) === "true";
}

function hasLocalStorage({ template }: PodView): boolean {
  return template.volumes.some(({ kind }) => kind === "emptyDir" || kind === "hostPath");
}

/** Whether a label or an annotation says what a rule looks for; null: it may say anything. */
export function says(value: string | undefined, wanted: { readonly value: string | null }): boolean {
  return value !== undefined && (wanted.value === null || value === wanted.value);
}

function said(
  value: string | undefined,
  rule: { readonly key: string; readonly value: string | null },
  pod: string,
  where: string,
): Refusal | null {
  return value === undefined || !says(value, rule) ? null : because(pod, `${where} ${rule.key}: ${value}`);
}

function firstOf(pods: readonly PodView[], test: (pod: PodView) => Refusal | null): Refusal | null {
  for (const pod of pods) {
    const refusal = test(pod);
    if (refusal !== null) return refusal;
  }
  return null;
}

function because(pod: string, message: string): Refusal {
  return { pod, code: 0, message, cause: "" };
}
