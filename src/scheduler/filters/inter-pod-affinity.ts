import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { existingTerm, incomingTerm, matchesAllTerms, type Term } from "../affinity-term.ts";
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
import { sortedOut } from "../node-pods.ts";

const messages = {
  affinity: "node(s) didn't match pod affinity rules",
  antiAffinity: "node(s) didn't match pod anti-affinity rules",
  existing: "node(s) didn't satisfy existing pods anti-affinity rules",
} as const;
const noAffinity = rejectForGood(messages.affinity);
const repels = rejectForNow(messages.antiAffinity);
const repelledBy = rejectForNow(messages.existing);

/**
 * Required pod affinity and anti-affinity of the pod, and the anti-affinity of the pods that are there, terminating ones too.
 * The first of a group may go anywhere: when nothing in the cluster matches the pod's affinity but it matches itself.
 * Mirrors: plugins/interpodaffinity/filtering.go, Kubernetes 1.34 to 1.37 (1.37's host name fast path is off by default and
 * decides the same).
 */
export const interPodAffinity = {
  name: "InterPodAffinity",
  messages,
  prepare({ pod, nodes, view: { cluster } }) {
    const { template } = pod;
    const affinity = template.requiredPodAffinity.map((term) => incomingTerm(cluster, term));
    const antiAffinity = template.requiredPodAntiAffinity.map((term) => incomingTerm(cluster, term));
    const state = { existing: new DomainCounts(), affinity: new DomainCounts(), antiAffinity: new DomainCounts() };
    const check = new AffinityCheck({ template, cluster, affinity, antiAffinity }, state);
    const looksAtAll = affinity.length > 0 || antiAffinity.length > 0;
    for (const node of nodes) {
      const { byTemplate, repelling } = sortedOut(node);
      for (const there of repelling) check.countExisting(there, node, byTemplate.get(there)?.all ?? 0);
      if (looksAtAll) for (const [there, { all }] of byTemplate) check.countIncoming(there, node, all);
    }
    return state.existing.isEmpty() && !looksAtAll ? skip : checkNodes(check);
  },
} satisfies Filter & { messages: unknown };

interface Incoming {
  readonly template: PodTemplate;
  readonly cluster: Cluster;
  readonly affinity: readonly Term[];
  readonly antiAffinity: readonly Term[];
}

interface Counted {
  /** Pods that are there and repel the pod. */
  readonly existing: DomainCounts;
  /** Pods that match all of the pod's affinity terms; one for each term. */
  readonly affinity: DomainCounts;
  /** Pods that match one of the pod's anti-affinity terms. */
  readonly antiAffinity: DomainCounts;
}

class AffinityCheck implements NodeCheck {
  readonly #incoming: Incoming;
  readonly #counted: Counted;

  constructor(incoming: Incoming, counted: Counted) {
    this.#incoming = incoming;
    this.#counted = counted;
  }

  countExisting(there: PodTemplate, node: NodeView, amount: number): void {
    const { cluster, template } = this.#incoming;
    for (const term of there.requiredPodAntiAffinity) {
      if (existingTerm(cluster, term).matches(template)) this.#counted.existing.add(term.topologyKey, node, amount);
    }
  }

  countIncoming(there: PodTemplate, node: NodeView, amount: number): void {
    const { affinity, antiAffinity } = this.#incoming;
    if (matchesAllTerms(affinity, there)) {
      for (const term of affinity) this.#counted.affinity.add(term.topologyKey, node, amount);
    }
    for (const term of antiAffinity) {
      if (term.matches(there)) this.#counted.antiAffinity.add(term.topologyKey, node, amount);
    }
  }

  filter(node: NodeView): Verdict {
    if (!this.#satisfiesAffinity(node)) return noAffinity;
    const { antiAffinity, existing } = this.#counted;
    if (antiAffinity.anyOn(node)) return repels;
    return existing.anyOn(node) ? repelledBy : pass;
  }

  #satisfiesAffinity({ node }: NodeView): boolean {
    const { affinity, template } = this.#incoming;
    let found = true;
    for (const { topologyKey } of affinity) {
      const domain = node.labels.get(topologyKey);
      if (domain === undefined) return false;
      if (this.#counted.affinity.in(topologyKey, domain) <= 0) found = false;
    }
    return found || (this.#counted.affinity.isEmpty() && matchesAllTerms(affinity, template));
  }

  fork(): NodeCheck {
    const { existing, affinity, antiAffinity } = this.#counted;
    return new AffinityCheck(this.#incoming, {
      existing: existing.copy(),
      affinity: affinity.copy(),
      antiAffinity: antiAffinity.copy(),
    });
  }

  podAdded({ template }: PodView, node: NodeView): void {
    this.countExisting(template, node, 1);
    this.countIncoming(template, node, 1);
  }

  podRemoved({ template }: PodView, node: NodeView): void {
    this.countExisting(template, node, -1);
    this.countIncoming(template, node, -1);
  }

  reserve(): readonly [] {
    return [];
  }
}

/** Topology key → domain → count. A count that returns to 0 is forgotten. */
class DomainCounts {
  readonly #counts: Map<string, Map<string, number>>;

  constructor(counts: Map<string, Map<string, number>> = new Map()) {
    this.#counts = counts;
  }

  add(key: string, { node }: NodeView, amount: number): void {
    const domain = node.labels.get(key);
    if (domain === undefined) return;
    const domains = this.#counts.get(key) ?? new Map<string, number>();
    const count = (domains.get(domain) ?? 0) + amount;
    if (count === 0) domains.delete(domain);
    else domains.set(domain, count);
    if (domains.size === 0) this.#counts.delete(key);
    else this.#counts.set(key, domains);
  }

  in(key: string, domain: string): number {
    return this.#counts.get(key)?.get(domain) ?? 0;
  }

  anyOn({ node }: NodeView): boolean {
    for (const [key, domains] of this.#counts) {
      const domain = node.labels.get(key);
      if (domain !== undefined && (domains.get(domain) ?? 0) > 0) return true;
    }
    return false;
  }

  isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  copy(): DomainCounts {
    return new DomainCounts(new Map([...this.#counts].map(([key, domains]) => [key, new Map(domains)])));
  }
}
