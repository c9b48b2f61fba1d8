/** Labels or annotations of an object. */
export type Labels = ReadonlyMap<string, string>;

/** On ReplicaSets of a Deployment and their pods: the hash of the template they are of. */
export const templateHashLabel = "pod-template-hash";

/** On the pods and StatefulSets of a LeaderWorkerSet: its name. */
export const groupNameLabel = "leaderworkerset.sigs.k8s.io/name";

/** One requirement of a selector. `Gt`/`Lt` occur in node selectors only. */
export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values: readonly string[];
}

/**
 * A label selector with matchLabels folded into `In` requirements, sorted by key. An empty list matches everything.
 * `invalid`: it could not be parsed (an unknown operator, In without values): it matches nothing.
 * A selector that is null on the wire is `null` in the model: what that means differs by place.
 */
export interface LabelSelector {
  readonly requirements: readonly Requirement[];
  readonly invalid: boolean;
}

/** Mirrors apimachinery pkg/labels Requirement.Matches, 1.36: NotIn and DoesNotExist match a missing key. */
export function matches(selector: LabelSelector, labels: Labels): boolean {
  if (selector.invalid) return false;
  for (const requirement of selector.requirements) {
    if (!matchesRequirement(requirement, labels)) return false;
  }
  return true;
}

/** All of these labels, as selectors that are plain labels ask for them: an empty one takes everything. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  for (const [key, value] of wanted) if (labels.get(key) !== value) return false;
  return true;
}

/** Gt and Lt compare base-10 integers; a value or label that is not one does not match. */
export function matchesRequirement(requirement: Requirement, labels: Labels): boolean {
  const value = labels.get(requirement.key);
  switch (requirement.operator) {
    case "In":
      return value !== undefined && requirement.values.includes(value);
    case "NotIn":
      return value === undefined || !requirement.values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const limit = requirement.values[0];
      if (value === undefined || limit === undefined || requirement.values.length !== 1) return false;
      const left = parseInteger(value);
      const right = parseInteger(limit);
      if (left === null || right === null) return false;
      return requirement.operator === "Gt" ? left > right : left < right;
    }
  }
}

function parseInteger(text: string): bigint | null {
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : null;
}
