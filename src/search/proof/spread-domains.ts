import { underKey } from "../../base/under-key.ts";
import { nodesAskedFor } from "../../model/node-selector.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView } from "../../model/view.ts";
import { hasAllKeys, includes, type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";

/** What a spread counts by. */
export interface SpreadOver {
  readonly domains: ReadonlySet<string>;
  /** Nodes that count, and the domain of each. */
  readonly domainOf: ReadonlyMap<string, string>;
  /** How many have a node that is Ready: a machine that is lost may be taken out of the cluster, and come back. */
  readonly lasting: number;
}

/** Nodes that count for spreads: looked for once for all templates that ask for the same. */
export class SpreadDomains {
  readonly #view: ClusterView;
  readonly #known = new Map<string, SpreadOver>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  /** Of one of the rules that the template must keep. */
  of(template: PodTemplate, rule: SpreadRule): SpreadOver {
    const rules = spreadRules(template, "DoNotSchedule");
    const { topologyKey, honorsAffinity, honorsTaints } = rule;
    const keys = rules.map((other) => other.topologyKey);
    const among = honorsAffinity || honorsTaints ? nodesAskedFor(template) : "";
    const asked = JSON.stringify([topologyKey, honorsAffinity, honorsTaints, keys, among]);
    return underKey(this.#known, asked, () => {
      const nodes = this.#view.nodes.filter((node) => hasAllKeys(rules, node) && includes(rule, template, node));
      const domainOf = new Map(nodes.map(({ name, node }) => [name, node.labels.get(topologyKey) ?? ""]));
      const ready = new Set(nodes.flatMap((node) => (node.ready ? (domainOf.get(node.name) ?? []) : [])));
      return { domains: new Set(domainOf.values()), domainOf, lasting: ready.size };
    });
  }
}
