import { underKey } from "../../base/under-key.ts";
import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { PodView } from "../../model/view.ts";
import { existingTerm, incomingTerm } from "../../scheduler/affinity-term.ts";
import { type SpreadRule, spreadRules } from "../../scheduler/spread-rule.ts";
import { isPlainPod } from "../plain-pod.ts";
import { KindIndex } from "./kind-index.ts";
import type { Kind } from "./kinds.ts";

/** Filters that look at more than affinity, taints, room and who is on the node are not argued about. */
export function isPlain(template: PodTemplate): boolean {
  return (
    isPlainButSpread(template) &&
    spreadRules(template, "DoNotSchedule").every(({ topologyKey }) => topologyKey === hostname)
  );
}

/** The same, whatever it is spread over. */
export function isPlainButSpread(template: PodTemplate): boolean {
  return isPlainPod(template) && template.hostPorts.length === 0 && template.requiredPodAffinity.length === 0;
}

/** Who keeps whom off nodes: the same whatever is worked on. */
export class KeptApart {
  /** All pods, and those that are to come. */
  readonly kinds: KindIndex;
  readonly #cluster: Cluster;
  readonly #repelling = new Map<PodTemplate, ReadonlySet<Kind> | null>();
  readonly #from = new Map<PodTemplate, ReadonlySet<PodView> | null>();

  constructor(cluster: Cluster, kinds: readonly Kind[]) {
    this.#cluster = cluster;
    this.kinds = new KindIndex(kinds);
  }

  /**
   * Pods that may keep one of this template off the node they are on, by its rules or by their own, now or when they are made again.
   * A spread over nodes is such a rule: it lets a pod go to each node that has none that it counts. Null: they keep it off more than
   * that node.
   */
  from(template: PodTemplate): ReadonlySet<PodView> | null {
    return underKey(this.#from, template, () => {
      const repelling = this.repelling(template);
      const spreads = spreadRules(template, "DoNotSchedule");
      if (repelling === null || (spreads.length > 0 && !isOneNodeEach(this.#cluster))) return null;
      const spread = spreads.flatMap((rule) => countedBy(template, rule, this.kinds));
      return new Set([...repelling, ...spread].flatMap(({ pods }) => pods));
    });
  }

  /** The kinds whose pods do so by anti-affinity alone. */
  repelling(template: PodTemplate): ReadonlySet<Kind> | null {
    return underKey(this.#repelling, template, () => repellingNow(this.#cluster, template, this.kinds));
  }
}

/** Pods that a spread of the template counts, now or when they are made again. */
export function countedBy({ namespace }: PodTemplate, rule: SpreadRule, kinds: KindIndex): readonly Kind[] {
  return kinds
    .near(rule.selector)
    .filter(({ now, next }) => next.namespace === namespace && (rule.matches(now) || rule.matches(next)));
}

function repellingNow(cluster: Cluster, template: PodTemplate, kinds: KindIndex): ReadonlySet<Kind> | null {
  const own = template.requiredPodAntiAffinity.flatMap((term) => {
    const { topologyKey, matches } = incomingTerm(cluster, term);
    const near = term.selector === null ? [] : kinds.near(term.selector);
    return near.flatMap((kind) => (matches(kind.now) || matches(kind.next) ? { kind, topologyKey } : []));
  });
  const theirs = kinds.repelling(template).filter(({ term }) => existingTerm(cluster, term).matches(template));
  const found = [...own, ...theirs.map(({ kind, term: { topologyKey } }) => ({ kind, topologyKey }))];
  if (found.length === 0) return none;
  if (found.some(({ topologyKey }) => topologyKey !== hostname) || !isOneNodeEach(cluster)) return null;
  return new Set(found.map(({ kind }) => kind));
}

const none: ReadonlySet<Kind> = new Set();

export const hostname = "kubernetes.io/hostname";

/** What is kept apart by host name is kept apart by node. */
export function isOneNodeEach({ nodes }: Cluster): boolean {
  return underKey(
    known,
    nodes,
    () => new Set(nodes.flatMap(({ labels }) => labels.get(hostname) ?? [])).size === nodes.length,
  );
}

/** Asked for every template. */
const known = new WeakMap<Cluster["nodes"], boolean>();
