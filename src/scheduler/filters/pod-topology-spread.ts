import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import {
  checkNodes,
  type Filter,
  type NodeCheck,
  pass,
  rejectForGood,
  rejectForNow,
  skip,
  type Verdict,
} from "../framework.ts";
import { countOn, hasAllKeys, includes, type SpreadRule, spreadRules } from "../spread-rule.ts";

const messages = {
  skewed: "node(s) didn't match pod topology spread constraints",
  noLabel: "node(s) didn't match pod topology spread constraints (missing required label)",
} as const;
const skewed = rejectForNow(messages.skewed);
const noLabel = rejectForGood(messages.noLabel);

/**
 * DoNotSchedule constraints: with the pod added, a domain may have at most maxSkew matching pods more than the emptiest one.
 * Which nodes make domains is the constraint's policies' business, not the other filters': with the default nodeTaintsPolicy
 * tainted nodes are empty domains. The cluster's default constraints are ScheduleAnyway and never reject.
 * Mirrors: plugins/podtopologyspread/filtering.go, Kubernetes 1.34 to 1.37.
 */
export const podTopologySpread = {
  name: "PodTopologySpread",
  messages,
  prepare({ pod, nodes }) {
    const rules = spreadRules(pod.template, "DoNotSchedule");
    if (rules.length === 0) return skip;
    const counts = rules.map(() => new Map<string, number>());
    for (const node of nodes) {
      if (!hasAllKeys(rules, node)) continue;
      rules.forEach((rule, i) => {
        if (includes(rule, pod.template, node)) add(counts[i], rule, node, countOn(node, rule, pod.namespace));
      });
    }
    return checkNodes(new SpreadCheck(pod, rules, counts));
  },
} satisfies Filter & { messages: unknown };

/** Domain → matching pods, for one rule. */
type Counts = Map<string, number>;

function add(counts: Counts | undefined, rule: SpreadRule, node: NodeView, amount: number): void {
  const domain = node.node.labels.get(rule.topologyKey) ?? "";
  counts?.set(domain, (counts.get(domain) ?? 0) + amount);
}

class SpreadCheck implements NodeCheck {
  readonly #pod: PodView;
  readonly #rules: readonly SpreadRule[];
  readonly #counts: readonly Counts[];
  /** Fewest matching pods in a domain, by rule. Null: to be computed. */
  #fewest: readonly number[] | null = null;

  constructor(pod: PodView, rules: readonly SpreadRule[], counts: readonly Counts[]) {
    this.#pod = pod;
    this.#rules = rules;
    this.#counts = counts;
  }

  filter({ node }: NodeView): Verdict {
    this.#fewest ??= this.#rules.map((rule, i) => fewest(rule, this.#counts[i]));
    for (const [i, rule] of this.#rules.entries()) {
      const domain = node.labels.get(rule.topologyKey);
      if (domain === undefined) return noLabel;
      const own = rule.matches(this.#pod.template) ? 1 : 0;
      const there = this.#counts[i]?.get(domain) ?? 0;
      if (there + own - (this.#fewest[i] ?? 0) > rule.maxSkew) return skewed;
    }
    return pass;
  }

  fork(): NodeCheck {
    return new SpreadCheck(
      this.#pod,
      this.#rules,
      this.#counts.map((counts) => new Map(counts)),
    );
  }

  podAdded(pod: PodView, node: NodeView): void {
    this.#update(pod.template, node, 1);
  }

  podRemoved(pod: PodView, node: NodeView): void {
    this.#update(pod.template, node, -1);
  }

  /** As upstream's: a terminating pod, never counted, is taken off all the same. */
  #update(template: PodTemplate, node: NodeView, amount: 1 | -1): void {
    if (template.namespace !== this.#pod.namespace || !hasAllKeys(this.#rules, node)) return;
    this.#rules.forEach((rule, i) => {
      if (!rule.matches(template) || !includes(rule, this.#pod.template, node)) return;
      add(this.#counts[i], rule, node, amount);
      this.#fewest = null;
    });
  }

  reserve(): readonly [] {
    return [];
  }
}

/** Too few domains count as an empty one more. */
function fewest(rule: SpreadRule, counts: Counts | undefined): number {
  if (counts === undefined || counts.size < rule.minDomains) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const count of counts.values()) least = Math.min(least, count);
  return least;
}
