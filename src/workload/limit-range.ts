import { byCodeUnit } from "../base/ordering.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { LimitRange, SizeBounds } from "../model/policy.ts";
import type { Resources } from "../model/resources.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { quantityText } from "./quantity-text.ts";

/**
 * What the LimitRanges of the namespace say to a pod of this template: null when its sizes are within bounds, else the text of
 * the refusal. Defaults are in the template already. Several reasons of one LimitRange are listed together, here sorted.
 * Not mirrored: the greatest ratio of limit to request; bounds of whole pods that have a runtime's overhead.
 * Mirrors: plugin/pkg/admission/limitranger/admission.go PodValidateLimitFunc, 1.36.3.
 */
export function admitByLimitRange(view: ClusterView, namespace: string, template: PodTemplate): string | null {
  return refusingLimitRange(view, namespace, template)?.message ?? null;
}

export interface LimitRangeRefusal {
  readonly range: LimitRange;
  readonly message: string;
}

/** The first LimitRange that refuses, and why. */
export function refusingLimitRange(
  view: ClusterView,
  namespace: string,
  template: PodTemplate,
): LimitRangeRefusal | null {
  if (view.cluster.limitRanges.length === 0) return null;
  const known = answers.get(template);
  if (known !== undefined) return known.refusal;
  const refusal = refusalOf(view, namespace, template);
  answers.set(template, { refusal });
  return refusal;
}

/** Templates are of one cluster and one namespace, and LimitRanges do not change. */
const answers = new WeakMap<PodTemplate, { readonly refusal: LimitRangeRefusal | null }>();

function refusalOf(view: ClusterView, namespace: string, template: PodTemplate): LimitRangeRefusal | null {
  for (const range of view.cluster.limitRanges) {
    if (range.ref.namespace !== namespace) continue;
    const errors = range.bounds.flatMap((bounds) => breaches(bounds, template)).sort(byCodeUnit);
    const [first] = errors;
    if (first === undefined) continue;
    return { range, message: errors.length === 1 ? first : `[${[...new Set(errors)].join(", ")}]` };
  }
  return null;
}

/** A pod that is there and would not be let in again, or whose object would stay for good: no argument holds over those. */
export function isMadeAgain(
  view: ClusterView,
  { namespace, template, keptByFinalizer }: Pick<PodView, "namespace" | "template" | "keptByFinalizer">,
): boolean {
  return keptByFinalizer === "" && admitByLimitRange(view, namespace, template) === null;
}

interface Sized {
  readonly requests: Resources;
  readonly limits: Resources;
}

function breaches(bounds: SizeBounds, template: PodTemplate): readonly string[] {
  if (bounds.of === "Container") {
    return [...template.containers, ...template.initContainers].flatMap((container) => breachesOf(bounds, container));
  }
  return template.runtimeClassName === "" ? breachesOf(bounds, template) : [];
}

function breachesOf({ of, min, max }: SizeBounds, { requests, limits }: Sized): readonly string[] {
  const errors: string[] = [];
  const say = (most: "minimum" | "maximum", name: string, bound: number, rest: string): void => {
    errors.push(`${most} ${name} usage per ${of} is ${quantityText(name, bound)}${rest}`);
  };
  for (const [name, bound] of min) {
    const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
    if (request === 0) say("minimum", name, bound, ".  No request is specified");
    else if (request < bound) say("minimum", name, bound, `, but request is ${quantityText(name, request)}`);
    else if (limit !== 0 && limit < bound) say("minimum", name, bound, `, but limit is ${quantityText(name, limit)}`);
  }
  for (const [name, bound] of max) {
    const [request, limit] = [amountOf(requests, name), amountOf(limits, name)];
    if (limit === 0) say("maximum", name, bound, ".  No limit is specified");
    else if (limit > bound) say("maximum", name, bound, `, but limit is ${quantityText(name, limit)}`);
    else if (request > bound) say("maximum", name, bound, `, but request is ${quantityText(name, request)}`);
  }
  return errors;
}

/** 0: not stated. */
function amountOf(resources: Resources, name: string): number {
  switch (name) {
    case "cpu":
      return resources.milliCpu;
    case "memory":
      return resources.memoryBytes;
    case "ephemeral-storage":
      return resources.ephemeralStorageBytes;
    default:
      return resources.scalar.get(name) ?? 0;
  }
}
