import type { Cluster } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView } from "../../model/view.ts";
import { existingTerm, incomingTerm, type Term } from "../affinity-term.ts";
import type { Score } from "../framework.ts";
import { sortedOut } from "../node-pods.ts";
import { maxScore } from "./normalize.ts";

/** Weight of a required affinity term of a pod that is there (hardPodAffinityWeight). */
const requiredTermWeight = 1;

/**
 * Preferred pod affinity and anti-affinity, both ways: what the pod wants of those that are there, and what they want of it,
 * their required affinity included.
 * Mirrors: plugins/interpodaffinity/scoring.go, Kubernetes 1.34 to 1.37.
 */
export const interPodAffinityScore: Score = {
  name: "InterPodAffinity",
  prepare({ pod, nodes, view: { cluster } }) {
    const { template } = pod;
    const wanted = [
      ...template.preferredPodAffinity.map(({ weight, term }) => ({ weight, term: incomingTerm(cluster, term) })),
      ...template.preferredPodAntiAffinity.map(({ weight, term }) => ({
        weight: -weight,
        term: incomingTerm(cluster, term),
      })),
    ];
    const sums = new Map<string, Map<string, number>>();
    for (const node of nodes) {
      const { byTemplate, withAffinity } = sortedOut(node);
      for (const there of wanted.length > 0 ? byTemplate.keys() : withAffinity) {
        const pods = byTemplate.get(there)?.all ?? 0;
        for (const { weight, term } of wanted) if (term.matches(there)) add(sums, term, node, weight * pods);
        for (const { weight, term } of wantedBy(cluster, there)) {
          if (term.matches(template)) add(sums, term, node, weight * pods);
        }
      }
    }
    if (sums.size === 0) return null;
    return {
      raw({ node }) {
        let sum = 0;
        for (const [key, domains] of sums) {
          const domain = node.labels.get(key);
          if (domain !== undefined) sum += domains.get(domain) ?? 0;
        }
        return sum;
      },
      normalize: spanned,
    };
  },
};

function add(sums: Map<string, Map<string, number>>, { topologyKey }: Term, node: NodeView, weight: number): void {
  const domain = node.node.labels.get(topologyKey);
  if (domain === undefined) return;
  const domains = sums.get(topologyKey) ?? new Map<string, number>();
  domains.set(domain, (domains.get(domain) ?? 0) + weight);
  sums.set(topologyKey, domains);
}

interface Weighted {
  readonly weight: number;
  readonly term: Term;
}

const wantedByTemplate = new WeakMap<Cluster, WeakMap<PodTemplate, readonly Weighted[]>>();

/** What a pod that is there wants of pods that come. */
function wantedBy(cluster: Cluster, there: PodTemplate): readonly Weighted[] {
  const known = wantedByTemplate.get(cluster) ?? new WeakMap<PodTemplate, readonly Weighted[]>();
  wantedByTemplate.set(cluster, known);
  const before = known.get(there);
  if (before !== undefined) return before;
  const terms = [
    ...there.requiredPodAffinity.map((term) => ({ weight: requiredTermWeight, term })),
    ...there.preferredPodAffinity,
    ...there.preferredPodAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term })),
  ].map(({ weight, term }) => ({ weight, term: existingTerm(cluster, term) }));
  known.set(there, terms);
  return terms;
}

/** From the lowest, 0, to the highest, 100. Doubles, in upstream's order. */
function spanned(raw: readonly number[]): readonly number[] {
  const lowest = raw.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const highest = raw.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const span = highest - lowest;
  return raw.map((score) => (span > 0 ? Math.trunc(maxScore * ((score - lowest) / span)) : 0));
}
