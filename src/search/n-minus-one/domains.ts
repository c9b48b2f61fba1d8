import { underKey } from "../../base/under-key.ts";
import { nodesAskedFor } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { countOn, hasAllKeys, includes, type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { nextOf } from "../owners.ts";
import type { FittingNodes } from "./fitting.ts";

/** Pods that leave one node, while everything else of the cluster stays where it is. */
interface Leaving {
  readonly home: NodeView;
  readonly movers: readonly PodView[];
}

/**
 * Domains that spreads let a pod be in, whatever the others that left its node do.
 *
 * The argument: a pod that left a domain may come back to it. Nothing but pods of its own node leaves any domain, so that no
 * other has fewer than before; and without the pod, wherever the others are by then, the one it left has fewer than before. If it has no
 * more than any other, one more is allowed; else it comes to have no more than it had, above a least that is no less.
 */
export class Domains {
  readonly #view: ClusterView;
  readonly #nodes: FittingNodes;
  /** By what decides which nodes a rule counts: their domains. */
  readonly #counted = new Map<string, ReadonlySet<string>>();

  constructor(view: ClusterView, nodes: FittingNodes) {
    this.#view = view;
    this.#nodes = nodes;
  }

  /** Nodes in the domains that take it; null: none is certain to. The template is that of a pod's next, which leaves with the others. */
  welcoming(template: PodTemplate, leaving: Leaving): ((node: NodeView) => boolean) | null {
    const rules = spreadRules(template, "DoNotSchedule");
    if (!rules.every((rule) => this.#takesBack(template, { rule, rules }, leaving))) return null;
    const { labels } = leaving.home.node;
    return ({ node }) => rules.every(({ topologyKey }) => node.labels.get(topologyKey) === labels.get(topologyKey));
  }

  #takesBack(template: PodTemplate, { rule, rules }: Ruled, { home, movers }: Leaving): boolean {
    const { namespace } = template;
    if (rule.honorsTaints || rule.selectsAll || !rule.matches(template)) return false;
    const isCounted = (node: NodeView): boolean => hasAllKeys(rules, node) && includes(rule, template, node);
    if (!isCounted(home)) return false;
    const isOf = (other: PodTemplate): boolean => other.namespace === namespace && rule.matches(other);
    // What is counted of them was counted before.
    if (movers.some((pod) => isOf(nextOf(this.#view, pod)) && !isOf(pod.template))) return false;
    let weakest = template.priority;
    const counts = new Map<string, number>();
    for (const number of this.#nodes.nodesWith(namespace, rule.selector, isOf)) {
      const node = this.#view.nodes[number];
      if (node === undefined || !isCounted(node)) continue;
      const domain = domainOf(node, rule);
      counts.set(domain, (counts.get(domain) ?? 0) + countOn(node, rule, namespace));
      for (const pod of node.pods) if (isOf(pod.template)) weakest = Math.min(weakest, pod.template.priority);
    }
    // Nobody may drive out one that is counted elsewhere.
    if (movers.some((pod) => nextOf(this.#view, pod).priority > weakest)) return false;
    const own = domainOf(home, rule);
    const there = counts.get(own) ?? 0;
    const domains = this.#domainsOf(template, { rule, rules });
    if (domains.size < rule.minDomains) return there <= rule.maxSkew;
    let fewest = Number.POSITIVE_INFINITY;
    for (const domain of domains) if (domain !== own) fewest = Math.min(fewest, counts.get(domain) ?? 0);
    return there - fewest <= rule.maxSkew;
  }

  /** All that the rule counts, empty ones too. */
  #domainsOf(template: PodTemplate, { rule, rules }: Ruled): ReadonlySet<string> {
    const keys = rules.map(({ topologyKey }) => topologyKey);
    const among = rule.honorsAffinity ? nodesAskedFor(template) : "";
    return underKey(this.#counted, JSON.stringify([rule.topologyKey, keys, among]), () => {
      const counted = this.#view.nodes.filter((node) => hasAllKeys(rules, node) && includes(rule, template, node));
      return new Set(counted.map((node) => domainOf(node, rule)));
    });
  }
}

/** One of a pod's rules among all: only nodes with the keys of all are counted. */
interface Ruled {
  readonly rule: SpreadRule;
  readonly rules: readonly SpreadRule[];
}

function domainOf({ node }: NodeView, { topologyKey }: SpreadRule): string {
  return node.labels.get(topologyKey) ?? "";
}
