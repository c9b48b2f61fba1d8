import { hasLabels, matchesRequirement, type Requirement } from "./labels.ts";
import type { Node } from "./node.ts";
import type { NodeSelectorTerm, PodTemplate } from "./pod-template.ts";

/**
 * The pod's nodeSelector and required node affinity, both.
 * Mirrors: component-helpers scheduling/corev1/nodeaffinity RequiredNodeAffinity.Match, 1.36.
 */
export function matchesRequiredNodeAffinity(template: PodTemplate, node: Node): boolean {
  if (!hasLabels(node.labels, template.nodeSelector)) return false;
  return template.requiredNodeAffinity === null || matchesAnyTerm(template.requiredNodeAffinity, node);
}

/** The same for templates that ask for the same nodes: by affinity and taints, whatever room they need. */
export function nodesAskedFor({ nodeSelector, requiredNodeAffinity, tolerations }: PodTemplate): string {
  return JSON.stringify([[...nodeSelector], requiredNodeAffinity, tolerations]);
}

/** Terms are ORed; an empty list and an empty term match nothing. */
export function matchesAnyTerm(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  if (term.matchExpressions.length === 0 && term.matchFields.length === 0) return false;
  return (
    term.matchExpressions.every((requirement) => matchesRequirement(requirement, node.labels)) &&
    term.matchFields.every((requirement) => matchesField(requirement, node))
  );
}

/** Fields know In and NotIn with exactly one value; anything else is a parse error, and its term matches nothing. */
function matchesField({ key, operator, values }: Requirement, node: Node): boolean {
  if (values.length !== 1) return false;
  const field = key === "metadata.name" ? node.name : "";
  if (operator === "In") return field === values[0];
  return operator === "NotIn" && field !== values[0];
}
