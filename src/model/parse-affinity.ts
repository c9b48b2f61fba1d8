import { none } from "../base/none.ts";
import type { Fields } from "../wire/fields.ts";
import type { Labels, Requirement } from "./labels.ts";
import { parseLabelSelector, parseNodeSelector, parseNodeSelectorTerm, withRequirements } from "./parse-selector.ts";
import type { NodeSelectorTerm, PodAffinityTerm, TopologySpreadConstraint } from "./pod-template.ts";
import type { WeightedPodTerm } from "./written-pod.ts";

/** The pod the terms belong to: they mean its namespace and its labels. */
interface OfPod {
  readonly namespace: string;
  readonly labels: Labels;
}

export interface Affinities {
  readonly requiredNodeAffinity: readonly NodeSelectorTerm[] | null;
  readonly preferredNodeAffinity: readonly { readonly weight: number; readonly term: NodeSelectorTerm }[];
  readonly requiredPodAffinity: readonly PodAffinityTerm[];
  readonly requiredPodAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredPodAffinity: readonly WeightedPodTerm[];
  readonly preferredPodAntiAffinity: readonly WeightedPodTerm[];
}

export function parseAffinity(affinity: Fields | null, pod: OfPod): Affinities {
  const node = affinity?.optionalObject("nodeAffinity");
  const together = affinity?.optionalObject("podAffinity");
  const apart = affinity?.optionalObject("podAntiAffinity");
  const required = node?.optionalObject(requiredField) ?? null;
  return {
    requiredNodeAffinity: required === null ? null : parseNodeSelector(required),
    preferredNodeAffinity:
      node?.each(preferredField, (each) => ({
        weight: each.whole("weight") ?? 0,
        term: parseNodeSelectorTerm(each.object("preference")),
      })) ?? none,
    requiredPodAffinity: together?.each(requiredField, (term) => parsePodTerm(term, pod)) ?? none,
    requiredPodAntiAffinity: apart?.each(requiredField, (term) => parsePodTerm(term, pod)) ?? none,
    preferredPodAffinity: together?.each(preferredField, (term) => parseWeighted(term, pod)) ?? none,
    preferredPodAntiAffinity: apart?.each(preferredField, (term) => parseWeighted(term, pod)) ?? none,
  };
}

const requiredField = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredField = "preferredDuringSchedulingIgnoredDuringExecution";

function parseWeighted(weighted: Fields, pod: OfPod): WeightedPodTerm {
  return { weight: weighted.whole("weight") ?? 0, term: parsePodTerm(weighted.object("podAffinityTerm"), pod) };
}

function parsePodTerm(term: Fields, pod: OfPod): PodAffinityTerm {
  const namespaces = term.texts("namespaces");
  const namespaceSelector = parseLabelSelector(term, "namespaceSelector");
  const written: PodAffinityTerm = {
    selector: parseLabelSelector(term, "labelSelector"),
    namespaces: namespaces.length === 0 && namespaceSelector === null ? [pod.namespace] : namespaces,
    namespaceSelector,
    topologyKey: term.text("topologyKey"),
    matchLabelKeys: term.texts("matchLabelKeys"),
    mismatchLabelKeys: term.texts("mismatchLabelKeys"),
  };
  return mergeLabelKeys(written, pod.labels);
}

/**
 * Turns matchLabelKeys and mismatchLabelKeys into requirements on the values the pod itself has. Merging twice changes
 * nothing, so terms of pods read back from a server, merged there already, stay as they are.
 * Mirrors: registry/core/pod strategy, applyMatchLabelKeysAndMismatchLabelKeys, 1.36.
 */
export function mergeLabelKeys(term: PodAffinityTerm, labels: Labels): PodAffinityTerm {
  if (term.selector === null) return term;
  const added = [
    ...requirementsOf(term.matchLabelKeys, "In", labels),
    ...requirementsOf(term.mismatchLabelKeys, "NotIn", labels),
  ];
  if (added.length === 0) return term;
  return { ...term, selector: withRequirements(term.selector, added) };
}

function requirementsOf(keys: readonly string[], operator: "In" | "NotIn", labels: Labels): Requirement[] {
  const requirements: Requirement[] = [];
  for (const key of keys) {
    const value = labels.get(key);
    if (value !== undefined) requirements.push({ key, operator, values: [value] });
  }
  return requirements;
}

export function parseTopologySpread(constraint: Fields): TopologySpreadConstraint {
  return {
    maxSkew: constraint.whole("maxSkew") ?? 1,
    topologyKey: constraint.text("topologyKey"),
    whenUnsatisfiable: constraint.choice("whenUnsatisfiable", ["DoNotSchedule", "ScheduleAnyway"], "DoNotSchedule"),
    selector: parseLabelSelector(constraint, "labelSelector"),
    minDomains: constraint.whole("minDomains"),
    nodeAffinityPolicy: constraint.choice("nodeAffinityPolicy", ["Honor", "Ignore"], "Honor"),
    nodeTaintsPolicy: constraint.choice("nodeTaintsPolicy", ["Honor", "Ignore"], "Ignore"),
    matchLabelKeys: constraint.texts("matchLabelKeys"),
  };
}
