import { type ObjectKey, podOfKey } from "../../model/key.ts";
import { matches } from "../../model/labels.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { requiredSelection } from "../../scheduler/required-selection.ts";

/**
 * Which pods can tell of each other in any way but the room they take: pods of one owner, under one budget, selected by each
 * other's affinity or spread, on one host port, with one volume. What is not coupled goes its own way.
 */
export interface Coupling {
  /** The same for all pods that are coupled, however far. */
  groupOf(pod: PodView): ObjectKey;
}

export function couplingOf(view: ClusterView): Coupling {
  const up = new Map<ObjectKey, ObjectKey>();
  const find = (key: ObjectKey): ObjectKey => {
    let at = key;
    for (let next = up.get(at); next !== undefined; next = up.get(at)) at = next;
    if (at !== key) up.set(key, at);
    return at;
  };
  const unite = (keys: readonly ObjectKey[]): void => {
    const [first, ...rest] = keys.map(find);
    for (const key of rest) if (first !== undefined && find(key) !== find(first)) up.set(find(key), find(first));
  };
  const pods = [...view.pods];
  for (const { budget } of view.budgets) {
    const { selector } = budget;
    if (selector === null) continue;
    const covered = view.podsIn(budget.ref.namespace).filter((pod) => matches(selector, pod.template.labels));
    unite(covered.map((pod) => rootOf(view, pod)));
  }
  const rootsOf = new Map<PodTemplate, Set<ObjectKey>>();
  const shared = new Map<string, ObjectKey[]>();
  for (const pod of pods) {
    const root = rootOf(view, pod);
    const roots = rootsOf.get(pod.template) ?? new Set();
    rootsOf.set(pod.template, roots.add(root));
    for (const what of sharesOf(pod)) shared.set(what, [...(shared.get(what) ?? []), root]);
  }
  for (const roots of shared.values()) unite(roots);
  for (const [template, roots] of rootsOf) {
    unite([...roots]);
    const selects = requiredSelection(view.cluster, template);
    if (selects === null) continue;
    for (const [other, others] of rootsOf) if (selects(other)) unite([...roots, ...others]);
  }
  return { groupOf: (pod) => find(rootOf(view, pod)) };
}

/** The object at the top of a pod's owners; its own key when it has none. */
export function rootOf(view: ClusterView, pod: PodView): ObjectKey {
  return topOf(view, pod.owner ?? `Pod./${pod.key}`);
}

/** The object at the top of an object's owners. */
export function topOf(view: ClusterView, key: ObjectKey): ObjectKey {
  let at = key;
  for (let steps = 0; steps < ownersMax; steps += 1) {
    const podKey = podOfKey(at);
    const owner = podKey === null ? view.workload(at)?.owner : view.pod(podKey)?.owner;
    if (owner === null || owner === undefined) return at;
    at = owner;
  }
  return at;
}

/** Owners above owners; more is a circle. */
const ownersMax = 16;

function sharesOf({ template, namespace }: PodView): readonly string[] {
  return [
    ...template.hostPorts.map(({ protocol, port }) => `port/${protocol}/${port}`),
    ...template.volumes.flatMap((volume) =>
      volume.kind === "claim" ? [`claim/${namespace}/${volume.claimName}`] : [],
    ),
  ];
}
