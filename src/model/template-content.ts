import { byCodeUnit } from "../base/ordering.ts";
import { sameBut } from "./content-ids.ts";
import type { Labels } from "./labels.ts";
import { mergeLabelKeys } from "./parse-affinity.ts";
import type { PodAffinityTerm, PodTemplate } from "./pod-template.ts";

/**
 * The content of a template as one string, without its number: two templates are the same exactly when these are.
 * Computed once for each object. `withoutLabel` leaves one label out (pod-template-hash, controller-revision-hash).
 */
export function templateContent(template: PodTemplate, withoutLabels: readonly string[] = []): string {
  const variant = withoutLabels.join(",");
  let variants = contents.get(template);
  if (variants === undefined) {
    variants = new Map();
    contents.set(template, variants);
  }
  let content = variants.get(variant);
  if (content === undefined) {
    const labels = withoutKeys(template.labels, withoutLabels);
    content = canonical({ ...unmerged(template, withoutLabels), id: 0, labels });
    variants.set(variant, content);
  }
  return content;
}

/** Whether two templates have one content, without making it: what they share is not looked at. */
export function isSameContent(a: PodTemplate, b: PodTemplate, withoutLabels: readonly string[] = []): boolean {
  if (a === b) return true;
  if (withoutLabels.length > 0 && (mergesLabels(a) || mergesLabels(b)))
    return templateContent(a, withoutLabels) === templateContent(b, withoutLabels);
  // Labels first: they differ most often.
  return sameLabels(a.labels, b.labels, withoutLabels) && sameBut(a, b, ["id", "labels"]);
}

function sameLabels(a: Labels, b: Labels, without: readonly string[]): boolean {
  let more = 0;
  for (const [key, value] of a) {
    if (without.includes(key)) continue;
    if (b.get(key) !== value) return false;
    more += 1;
  }
  for (const key of b.keys()) if (!without.includes(key)) more -= 1;
  return more === 0;
}

type AffinityTerms = Pick<
  PodTemplate,
  "requiredPodAffinity" | "requiredPodAntiAffinity" | "preferredPodAffinity" | "preferredPodAntiAffinity"
>;

function withoutKeys(labels: Labels, keys: readonly string[]): Labels {
  return keys.length === 0 ? labels : new Map([...labels].filter(([key]) => !keys.includes(key)));
}

/** Whether it wants to be near other pods or far from them, or must. */
export function hasPodAffinity(template: AffinityTerms): boolean {
  return (
    template.requiredPodAffinity.length > 0 ||
    template.requiredPodAntiAffinity.length > 0 ||
    template.preferredPodAffinity.length > 0 ||
    template.preferredPodAntiAffinity.length > 0
  );
}

/** Whether terms take in values of labels of the pod they belong to. */
export function mergesLabels(template: AffinityTerms): boolean {
  return (
    template.requiredPodAffinity.some(isMerging) ||
    template.requiredPodAntiAffinity.some(isMerging) ||
    template.preferredPodAffinity.some(({ term }) => isMerging(term)) ||
    template.preferredPodAntiAffinity.some(({ term }) => isMerging(term))
  );
}

function isMerging({ matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): boolean {
  return matchLabelKeys.length + mismatchLabelKeys.length > 0;
}

/** Affinity terms as they were before values of these labels were merged into them. */
function unmerged(template: PodTemplate, keys: readonly string[]): PodTemplate {
  if (keys.length === 0) return template;
  const term = (one: PodAffinityTerm): PodAffinityTerm => {
    const merged = keys.filter((key) => one.matchLabelKeys.includes(key) || one.mismatchLabelKeys.includes(key));
    if (merged.length === 0 || one.selector === null) return one;
    const requirements = one.selector.requirements.filter(({ key }) => !merged.includes(key));
    return { ...one, selector: { ...one.selector, requirements } };
  };
  const weighted = <T extends { readonly term: PodAffinityTerm }>(one: T): T => ({ ...one, term: term(one.term) });
  return {
    ...template,
    requiredPodAffinity: template.requiredPodAffinity.map(term),
    requiredPodAntiAffinity: template.requiredPodAntiAffinity.map(term),
    preferredPodAffinity: template.preferredPodAffinity.map(weighted),
    preferredPodAntiAffinity: template.preferredPodAntiAffinity.map(weighted),
  };
}

/** Templates are immutable, so what was computed for one stays true; the cache dies with the template. */
const contents = new WeakMap<PodTemplate, Map<string, string>>();

/** The number of a template some controller made: the ledger gives it the number of its content. */
export const notInterned = -1;

/**
 * A copy with other labels (set over the old ones) and fields. Its number is `notInterned`. Affinity terms with
 * matchLabelKeys take the new labels' values in, as the API server does when the pod is made.
 */
export function derivedTemplate(
  template: PodTemplate,
  labels: Iterable<readonly [string, string]>,
  fields: Partial<Omit<PodTemplate, "id" | "labels">> = {},
): PodTemplate {
  const merged: Labels = new Map([...template.labels, ...labels]);
  const terms = <T>(list: readonly T[], merge: (item: T) => T): readonly T[] => list.map(merge);
  const term = (one: PodAffinityTerm): PodAffinityTerm => mergeLabelKeys(one, merged);
  const weighted = <T extends { readonly term: PodAffinityTerm }>(one: T): T => ({ ...one, term: term(one.term) });
  return {
    ...template,
    requiredPodAffinity: terms(template.requiredPodAffinity, term),
    requiredPodAntiAffinity: terms(template.requiredPodAntiAffinity, term),
    preferredPodAffinity: terms(template.preferredPodAffinity, weighted),
    preferredPodAntiAffinity: terms(template.preferredPodAntiAffinity, weighted),
    ...fields,
    labels: merged,
    id: notInterned,
  };
}

function canonical(value: unknown): string {
  if (value instanceof Map) {
    const entries = [...value.entries()].sort((a, b) => byCodeUnit(String(a[0]), String(b[0])));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort((a, b) => byCodeUnit(a[0], b[0]));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
