import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, NodeView, PodView } from "../../model/view.ts";
import { countOn, type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { nextOf } from "../owners.ts";
import { SpreadDomains } from "../proof/spread-domains.ts";
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
  readonly #spreads: SpreadDomains;

  constructor(view: ClusterView, nodes: FittingNodes) {
    this.#view = view;
    this.#nodes = nodes;
    this.#spreads = new SpreadDomains(view);
  }

  /** Nodes in the domains that take it; null: none is certain to. The template is that of a pod's next, which leaves with the others. */
  welcoming(template: PodTemplate, leaving: Leaving): ((node: NodeView) => boolean) | null {
    const rules = spreadRules(template, "DoNotSchedule");
    if (!rules.every((rule) => this.#takesBack(template, rule, leaving))) return null;
    const { labels } = leaving.home.node;
    return ({ node }) => rules.every(({ topologyKey }) => node.labels.get(topologyKey) === labels.get(topologyKey));
  }

  #takesBack(template: PodTemplate, rule: SpreadRule, { home, movers }: Leaving): boolean {
    const { namespace } = template;
    if (rule.honorsTaints || rule.selectsAll || !rule.matches(template)) return false;
    const { domains, domainOf } = this.#spreads.of(template, rule);
    const own = domainOf.get(home.name);
    if (own === undefined) return false;
    const isOf = (other: PodTemplate): boolean => other.namespace === namespace && rule.matches(other);
    // What is counted of them was counted before.
    if (movers.some((pod) => isOf(nextOf(this.#view, pod)) && !isOf(pod.template))) return false;
    let weakest = template.priority;
    const counts = new Map<string, number>();
    for (const number of this.#nodes.nodesWith(namespace, rule.selector, isOf)) {
      const node = this.#view.nodes[number];
      const domain = node === undefined ? undefined : domainOf.get(node.name);
      if (node === undefined || domain === undefined) continue;
      counts.set(domain, (counts.get(domain) ?? 0) + countOn(node, rule, namespace));
      for (const pod of node.pods) if (isOf(pod.template)) weakest = Math.min(weakest, pod.template.priority);
    }
    // Nobody may drive out one that is counted elsewhere.
    if (movers.some((pod) => nextOf(this.#view, pod).priority > weakest)) return false;
    const there = counts.get(own) ?? 0;
    if (domains.size < rule.minDomains) return there <= rule.maxSkew;
    let fewest = Number.POSITIVE_INFINITY;
    for (const domain of domains) if (domain !== own) fewest = Math.min(fewest, counts.get(domain) ?? 0);
    return there - fewest <= rule.maxSkew;
  }
}
