import type { Labels } from "../model/labels.ts";
import { argumentTextOf, type Facts, type Part } from "./facts.ts";

/** What a workload must look like. All given parts must hold; a part rule without any matches nothing. */
export interface Match {
  /** On the object or its pods. `*`: any value; a leading `*` matches the end. */
  readonly labels?: { readonly [key: string]: string };
  /** On the object or its pods. */
  readonly annotations?: { readonly [key: string]: string };
  /** Kind of the custom resource above it. */
  readonly ownerKind?: string;
  readonly kinds?: readonly string[];
  readonly name?: RegExp;
  readonly namespace?: string;
  /** Some container's image contains one of them. */
  readonly images?: readonly string[];
  /** Commands and arguments of its containers, with spaces between, as they are written. */
  readonly runs?: RegExp;
}

export function matchesPart(match: Match, part: Part): boolean {
  const { workload, template } = part;
  if (isEmpty(match)) return false;
  if (match.kinds !== undefined && !match.kinds.includes(workload.ref.kind)) return false;
  if (match.namespace !== undefined && match.namespace !== workload.ref.namespace) return false;
  if (match.name !== undefined && !match.name.test(workload.ref.name)) return false;
  if (match.ownerKind !== undefined && !(workload.owner ?? "").startsWith(`${match.ownerKind}.`)) return false;
  if (match.labels !== undefined && !hasAll(match.labels, part.labels)) return false;
  const ofPods = template?.annotations;
  if (match.annotations !== undefined && !hasAll(match.annotations, workload.annotations, ofPods)) return false;
  if (match.images !== undefined && !hasImage(match.images, template?.images ?? [])) return false;
  return match.runs === undefined || match.runs.test(argumentTextOf(part));
}

/** The parts that look like one of these. */
export function partsLike({ parts }: Facts, ...matches: readonly Match[]): readonly Part[] {
  return parts.filter((part) => matches.some((match) => matchesPart(match, part)));
}

function hasImage(texts: readonly string[], images: readonly string[]): boolean {
  return texts.some((text) => images.some((image) => image.includes(text)));
}

function isEmpty(match: Match): boolean {
  for (const _ in match) return false;
  return true;
}

/** In one place or the other. Asked of every part by every rule: no list is made for it. */
function hasAll(wanted: { readonly [key: string]: string }, place: Labels, other?: Labels): boolean {
  for (const key in wanted) {
    const pattern = wanted[key] ?? "";
    if (!matchesText(pattern, place.get(key)) && !matchesText(pattern, other?.get(key))) return false;
  }
  return true;
}

function matchesText(pattern: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  if (pattern === "*") return true;
  return pattern.startsWith("*") ? value.endsWith(pattern.slice(1)) : value === pattern;
}
