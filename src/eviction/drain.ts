import { byKey } from "../base/ordering.ts";
import type { PodKey } from "../model/key.ts";
import { matches } from "../model/labels.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import type { DrainFlags } from "./drain-flags.ts";
import type { DrainedPod } from "./drain-rule.ts";
import { drainRules } from "./drain-rules.ts";

export interface DrainPlan {
  /** Pods to evict (or delete, with --disable-eviction), all at once. Empty when anything refuses. */
  readonly evict: readonly PodView[];
  readonly skipped: readonly { readonly pod: PodView; readonly rule: string; readonly message: string }[];
  /** kubectl's error lines, one for each reason; not empty: nothing on the node is evicted, and it stays cordoned. */
  readonly refusals: readonly string[];
  /** Those the refusals name. */
  readonly refusedPods: readonly PodKey[];
}

/**
 * What a drain would do with the pods of one node now. Pods stand in the API server's order (namespace, name); kubectl
 * starts all of them at once.
 * Mirrors: kubectl pkg/drain/filters.go filterPods and drain.go GetPodsForDeletion, 0.36.3.
 */
export function planDrain(view: ClusterView, nodeName: string, flags: DrainFlags): DrainPlan {
  const evict: PodView[] = [];
  const skipped: { readonly pod: PodView; readonly rule: string; readonly message: string }[] = [];
  const refused = new Map<string, string[]>();
  for (const pod of podsBoundTo(view, nodeName, flags)) {
    const verdict = decide(view, pod, flags);
    switch (verdict.outcome) {
      case "pass":
        evict.push(pod);
        break;
      case "skip":
        skipped.push({ pod, rule: verdict.rule, message: verdict.message });
        break;
      case "refuse":
        refused.set(verdict.message, [...(refused.get(verdict.message) ?? []), pod.key]);
        break;
    }
  }
  const refusals = [...refused].map(([message, pods]) => `cannot delete ${message}: ${pods.join(", ")}`);
  const refusedPods = [...refused.values()].flat();
  return { evict: refusals.length === 0 ? evict : [], skipped, refusals: inRuleOrder(refusals), refusedPods };
}

/** Whether a drain may be refused for pods like this one, on their way out or not: false is sure. */
export function mayRefuse(view: ClusterView, pod: Omit<DrainedPod, "terminatingSinceMs">, flags: DrainFlags): boolean {
  const { owner, mirror, phase } = pod;
  const going: DrainedPod = {
    ...{ owner, mirror, phase, terminatingSinceMs: null },
    // Most rules need no more than the owner.
    get template() {
      return pod.template;
    },
  };
  return decide(view, going, flags).outcome === "refuse";
}

/** What a drain does with one pod of a node of which it refuses none; what its selector does not take is left alone too. */
export function fateOf(view: ClusterView, pod: DrainedPod, flags: DrainFlags): "evict" | "skip" | "refuse" {
  if (!isSelected(pod, flags)) return "skip";
  const { outcome } = decide(view, pod, flags);
  return outcome === "pass" ? "evict" : outcome;
}

/** Finished pods too: they hold no room on the node, but a drain removes them. */
function podsBoundTo(view: ClusterView, nodeName: string, flags: DrainFlags): readonly PodView[] {
  const pods = view.podsOn(nodeName).filter((pod) => isSelected(pod, flags));
  return pods.sort(byKey((pod) => pod.key));
}

function isSelected({ template }: DrainedPod, { podSelector }: DrainFlags): boolean {
  return podSelector === null || matches(podSelector, template.labels);
}

type Verdict =
  | { readonly outcome: "pass" }
  | { readonly outcome: "skip" | "refuse"; readonly rule: string; readonly message: string };

function decide(view: ClusterView, pod: DrainedPod, flags: DrainFlags): Verdict {
  for (const rule of drainRules) {
    const decision = rule.decide({ view, pod, flags });
    if (decision.outcome !== "pass") return { ...decision, rule: rule.name };
  }
  return { outcome: "pass" };
}

/** kubectl prints them in no fixed order; here the rules' order, then the text. */
function inRuleOrder(refusals: readonly string[]): readonly string[] {
  const rank = (text: string): number => {
    if (text.startsWith("cannot delete DaemonSet-managed") || text.startsWith("cannot delete daemonsets.apps"))
      return 0;
    return text.startsWith("cannot delete Pods with local storage") ? 1 : 2;
  };
  return [...refusals].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
