import type { Cluster } from "../model/cluster.ts";
import type { LabelSelector, Labels } from "../model/labels.ts";
import { matches } from "../model/labels.ts";
import type { PodAffinityTerm, PodTemplate } from "../model/pod-template.ts";

/** A pod affinity term, ready to match pods. What it says about a template never changes within a cluster. */
export interface Term {
  readonly topologyKey: string;
  matches(template: PodTemplate): boolean;
}

interface TermsOfCluster {
  readonly incoming: WeakMap<PodAffinityTerm, Term>;
  readonly existing: WeakMap<PodAffinityTerm, Term>;
}

const known = new WeakMap<Cluster, TermsOfCluster>();
const noLabels: Labels = new Map();

function termsOf(cluster: Cluster): TermsOfCluster {
  let terms = known.get(cluster);
  if (terms === undefined) {
    terms = { incoming: new WeakMap(), existing: new WeakMap() };
    known.set(cluster, terms);
  }
  return terms;
}

/**
 * A term of the pod that looks for a place, matching pods that are there. Upstream turns its namespace selector into names
 * first. Up to 1.36 it then keeps the selector by mistake and also holds it against empty labels, so that a selector like
 * DoesNotExist takes in every namespace.
 * Mirrors: plugins/interpodaffinity mergeAffinityTermNamespacesIfNotEmpty, by value in 1.34 to 1.36, by reference in 1.37.
 */
export function incomingTerm(cluster: Cluster, term: PodAffinityTerm): Term {
  return remembered(termsOf(cluster).incoming, term, (namespace) => {
    const selector = term.namespaceSelector;
    if (selector === null) return false;
    if (matchesEverything(selector)) return true;
    const found = cluster.namespaces.get(namespace);
    if (found !== undefined && matches(selector, found.labels)) return true;
    return cluster.version.minor <= 36 && matches(selector, noLabels);
  });
}

/** A term of a pod that is there, matching the pod that looks for a place. */
export function existingTerm(cluster: Cluster, term: PodAffinityTerm): Term {
  return remembered(termsOf(cluster).existing, term, (namespace) => {
    const selector = term.namespaceSelector;
    return selector !== null && matches(selector, cluster.namespaces.get(namespace)?.labels ?? noLabels);
  });
}

export function matchesAllTerms(terms: readonly Term[], template: PodTemplate): boolean {
  return terms.length > 0 && terms.every((term) => term.matches(template));
}

function matchesEverything(selector: LabelSelector): boolean {
  return !selector.invalid && selector.requirements.length === 0;
}

function remembered(
  terms: WeakMap<PodAffinityTerm, Term>,
  term: PodAffinityTerm,
  selectsNamespace: (namespace: string) => boolean,
): Term {
  const before = terms.get(term);
  if (before !== undefined) return before;
  const { selector, namespaces, topologyKey } = term;
  const answers = new Map<PodTemplate, boolean>();
  const made: Term = {
    topologyKey,
    matches(template) {
      let matched = answers.get(template);
      if (matched === undefined) {
        matched =
          selector !== null &&
          (namespaces.includes(template.namespace) || selectsNamespace(template.namespace)) &&
          matches(selector, template.labels);
        answers.set(template, matched);
      }
      return matched;
    },
  };
  terms.set(term, made);
  return made;
}
