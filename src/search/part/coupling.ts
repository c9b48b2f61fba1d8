import { listed } from "../../base/listed.ts";
import { budgetsOf, podsOf } from "../../eviction/budgets-of.ts";
import type { ObjectKey } from "../../model/key.ts";
import { Labelled } from "../../model/labelled.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { requiredSelection, requiredSelectors } from "../../scheduler/required-selection.ts";
import { Joined } from "../joined.ts";
import { rootOf } from "../owners.ts";

/**
 * Which pods can tell of each other in any way but the room they take: pods of one owner, under one budget, selected by each
 * other's affinity or spread, on one host port, with one volume. What is not coupled goes its own way.
 */
export interface Coupling {
  /** The same for all pods that are coupled, however far. */
  groupOf(pod: PodView): ObjectKey;
  /** All pods of a group. */
  podsOf(group: ObjectKey): readonly PodView[];
}

/** `newcomers`: pods that may come. */
export function couplingOf(view: ClusterView, newcomers: readonly PodView[]): Coupling {
  const joined = new Joined<ObjectKey>();
  const pods = [...view.pods, ...newcomers];
  const underBudget = Map.groupBy(
    newcomers.flatMap((pod) => budgetsOf(view, pod).map((budget) => ({ pod, budget }))),
    ({ budget }) => budget,
  );
  for (const budget of view.budgets) {
    const coming = underBudget.get(budget)?.map(({ pod }) => pod) ?? [];
    joined.join([...podsOf(view, budget), ...coming].map((pod) => rootOf(view, pod)));
  }
  const rootsOf = new Map<PodTemplate, Set<ObjectKey>>();
  const shared = new Map<string, ObjectKey[]>();
  for (const pod of pods) {
    const root = rootOf(view, pod);
    const roots = rootsOf.get(pod.template) ?? new Set();
    rootsOf.set(pod.template, roots.add(root));
    for (const what of sharesOf(pod)) listed(shared, what, root);
  }
  for (const roots of shared.values()) joined.join(roots);
  const labelled = new Labelled(({ labels }: PodTemplate) => [labels], rootsOf.keys());
  for (const [template, roots] of rootsOf) {
    joined.join([...roots]);
    const selects = requiredSelection(view.cluster, template);
    if (selects === null) continue;
    for (const selector of requiredSelectors(template)) {
      for (const other of labelled.near(selector)) {
        if (selects(other)) joined.join([...roots, ...(rootsOf.get(other) ?? [])]);
      }
    }
  }
  const groupOf = (pod: PodView): ObjectKey => joined.of(rootOf(view, pod));
  const groups = Map.groupBy(pods, groupOf);
  return { groupOf, podsOf: (group) => groups.get(group) ?? [] };
}

function sharesOf({ template, namespace }: PodView): readonly string[] {
  return [
    ...template.hostPorts.map(({ protocol, port }) => `port/${protocol}/${port}`),
    ...template.volumes.flatMap((volume) =>
      volume.kind === "claim" ? [`claim/${namespace}/${volume.claimName}`] : [],
    ),
  ];
}
