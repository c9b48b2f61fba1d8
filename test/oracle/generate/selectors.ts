import type { Fields, PodDraft, World } from "./world.ts";

/** A label selector that matches some pods and not others: about the pod's own labels, or about another app's. */
export function podSelector(world: World, pod: PodDraft): Fields {
  const { draw } = world;
  const labels = draw.chance(0.6) ? pod.labels : draw.pick(world.apps).labels;
  const key = draw.weighted([
    [6, "app"],
    [2, "tier"],
    [1, "release"],
  ]);
  const value = labels[key] ?? "absent";
  return draw.weighted<() => Fields>([
    [6, () => ({ matchLabels: { [key]: value } })],
    [2, () => ({ matchExpressions: [{ key, operator: "In", values: draw.shuffle([value, "other"]) }] })],
    [1, () => ({ matchExpressions: [{ key, operator: "Exists" }] })],
    [1, () => ({ matchExpressions: [{ key: "release", operator: "NotIn", values: ["r2"] }] })],
    [0.5, () => ({ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] })],
    [
      0.7,
      () => ({
        matchLabels: { app: labels["app"] ?? "absent" },
        matchExpressions: [{ key: "release", operator: "NotIn", values: ["r2", "r3"] }],
      }),
    ],
    [0.3, () => ({})],
  ])();
}

/**
 * Merges label keys into a selector the way the API server does when the pod is created: `In` for matchLabelKeys, `NotIn` for
 * mismatchLabelKeys, keys the pod does not have are left out.
 */
export function mergeLabelKeys(
  selector: Fields,
  pod: PodDraft,
  keys: { readonly match: readonly string[]; readonly mismatch: readonly string[] },
): Fields {
  const merged = [...((selector["matchExpressions"] as unknown[] | undefined) ?? [])];
  for (const key of keys.match) {
    const value = pod.labels[key];
    if (value !== undefined) merged.push({ key, operator: "In", values: [value] });
  }
  for (const key of keys.mismatch) {
    const value = pod.labels[key];
    if (value !== undefined) merged.push({ key, operator: "NotIn", values: [value] });
  }
  return merged.length === 0 ? selector : { ...selector, matchExpressions: merged };
}
