import type { LabelSelector, Requirement } from "../model/labels.ts";
import { matches } from "../model/labels.ts";
import { matchesRequiredNodeAffinity } from "../model/node-selector.ts";
import type { PodTemplate, TopologySpreadConstraint } from "../model/pod-template.ts";
import { repelled } from "../model/taints.ts";
import type { NodeView } from "../model/view.ts";
import { sortedOut } from "./node-pods.ts";

/** One topology spread constraint, ready to count with. */
export interface SpreadRule {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  readonly selector: LabelSelector;
  /** An empty selector counts no pod on nodes, though it matches every pod. */
  readonly selectsAll: boolean;
  matches(template: PodTemplate): boolean;
}

const rulesOf = new WeakMap<
  PodTemplate,
  Record<TopologySpreadConstraint["whenUnsatisfiable"], readonly SpreadRule[]>
>();

/** The pod's own constraints of one kind. */
export function spreadRules(
  template: PodTemplate,
  kind: TopologySpreadConstraint["whenUnsatisfiable"],
): readonly SpreadRule[] {
  let rules = rulesOf.get(template);
  if (rules === undefined) {
    const of = (wanted: string): readonly SpreadRule[] =>
      template.topologySpread.filter((c) => c.whenUnsatisfiable === wanted).map((c) => ownRule(c, template));
    rules = { DoNotSchedule: of("DoNotSchedule"), ScheduleAnyway: of("ScheduleAnyway") };
    rulesOf.set(template, rules);
  }
  return rules[kind];
}

function ownRule(constraint: TopologySpreadConstraint, template: PodTemplate): SpreadRule {
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    minDomains: constraint.minDomains ?? 1,
    honorsAffinity: constraint.nodeAffinityPolicy === "Honor",
    honorsTaints: constraint.nodeTaintsPolicy === "Honor",
    ...selection(withLabelKeys(constraint, template)),
  };
}

/**
 * matchLabelKeys add the pod's own values. The API server of 1.34 on merges them into the selector too, which changes nothing
 * more. A null selector stays one that matches nothing.
 */
function withLabelKeys({ selector, matchLabelKeys }: TopologySpreadConstraint, { labels }: PodTemplate): LabelSelector {
  if (selector === null) return { requirements: [], invalid: true };
  const own = matchLabelKeys.flatMap((key): Requirement[] => {
    const value = labels.get(key);
    return value === undefined ? [] : [{ key, operator: "In", values: [value] }];
  });
  return { requirements: [...own, ...selector.requirements], invalid: selector.invalid };
}

export function selection(selector: LabelSelector): Pick<SpreadRule, "selector" | "selectsAll" | "matches"> {
  let known: WeakMap<PodTemplate, boolean> | null = null;
  return {
    selector,
    selectsAll: !selector.invalid && selector.requirements.length === 0,
    matches(template) {
      known ??= new WeakMap();
      let matched = known.get(template);
      if (matched === undefined) {
        matched = matches(selector, template.labels);
        known.set(template, matched);
      }
      return matched;
    },
  };
}

export function hasAllKeys(rules: readonly SpreadRule[], node: NodeView): boolean {
  return rules.every((rule) => node.node.labels.has(rule.topologyKey));
}

/** nodeAffinityPolicy and nodeTaintsPolicy: does the node count at all. */
export function includes(rule: SpreadRule, template: PodTemplate, node: NodeView): boolean {
  if (rule.honorsAffinity && !matchesRequiredNodeAffinity(template, node.node)) return false;
  return !(rule.honorsTaints && repelled(node.taints, template.tolerations));
}

/** Pods of the namespace on the node that the rule counts: terminating ones are already gone. */
export function countOn(node: NodeView, rule: SpreadRule, namespace: string): number {
  if (rule.selectsAll) return 0;
  let count = 0;
  for (const [template, { staying }] of sortedOut(node).byTemplate) {
    if (template.namespace === namespace && rule.matches(template)) count += staying;
  }
  return count;
}
