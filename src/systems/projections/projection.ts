import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt, withValue } from "../../wire/object-path.ts";
import type { Json, JsonObject, WireObject } from "../../wire/snapshot.ts";

/** What a field of an owner is about, by what it becomes in the workload the owner's controller makes. */
export type ProjectedAspect =
  | "replicas"
  | "budget"
  | "spread"
  | "affinity"
  | "strategy"
  | "tolerations"
  | "grace"
  | "priority"
  /** How long a proxy lets open streams run once it is told to stop. */
  | "drainTimeout";

/** One field of the owner and where its value arrives. `to` "": in an object of its own, see `objects`. */
export interface FieldWay {
  readonly aspect: ProjectedAspect;
  readonly from: string;
  readonly to: string;
  /** The owner's form of a value the workload has in this form; null: as it is. */
  readonly shape: Shape | null;
}

export interface Shape {
  toOwner(value: Json): Json;
  toWorkload(value: Json): Json;
}

/** How one kind of owner becomes workloads: every field that sets a knob, and the objects made beside the workload. */
export interface Projection {
  readonly kind: string;
  readonly group: string;
  /** The fields for this workload, in the owner's API version; empty: it is not one of the owner's. */
  ways(made: WireObject, apiVersion: string): readonly FieldWay[];
  /** What the owner has to say besides, or the API server refuses it; set where it is not stated. */
  readonly needs: readonly { readonly path: string; readonly value: Json }[];
  /** Budgets and the like that the owner's fields ask for, as its controller makes them. */
  objects(owner: WireObject, made: WireObject): readonly WireObject[];
}

/** What the elements of a list are called, by this field of theirs. */
export function namesIn(object: WireObject, path: string, field: string): readonly string[] {
  const list = valueAt(object, pathSteps(path));
  if (!isJsonList(list)) return [];
  return list.flatMap((element) => {
    const name = isJsonObject(element) ? element[field] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

/** The workload after an edit of its owner: fields the owner states arrive, fields it no longer states go, others stay. */
export function projected(
  projection: Projection,
  { before, after }: { readonly before: WireObject; readonly after: WireObject },
  made: WireObject,
): WireObject {
  let workload: Json = made;
  for (const { from, to, shape } of projection.ways(made, after.apiVersion)) {
    if (to === "") continue;
    const now = valueAt(after, pathSteps(from));
    if (now === undefined && valueAt(before, pathSteps(from)) === undefined) continue;
    const value = now === undefined ? unstated(to) : shape === null ? now : shape.toWorkload(now);
    workload = withValue(workload, pathSteps(to), value) ?? workload;
  }
  return like(workload, made);
}

/** What the API server puts where nothing is stated any more. */
function unstated(path: string): Json | undefined {
  return path === "spec.replicas" ? 1 : undefined;
}

function like(value: Json, made: WireObject): WireObject {
  const object: JsonObject = isJsonObject(value) ? value : {};
  return { ...object, apiVersion: made.apiVersion, kind: made.kind, metadata: made.metadata };
}

/** The pod fields below a pod spec of the owner's. */
export function podWays(from: string, to: string): readonly FieldWay[] {
  const way = (aspect: ProjectedAspect, field: string): FieldWay => ({
    aspect,
    from: `${from}.${field}`,
    to: `${to}.${field}`,
    shape: null,
  });
  return [
    way("spread", "topologySpreadConstraints"),
    way("affinity", "affinity"),
    way("tolerations", "tolerations"),
    way("grace", "terminationGracePeriodSeconds"),
    way("priority", "priorityClassName"),
  ];
}

export function way(aspect: ProjectedAspect, from: string, to: string, shape: Shape | null = null): FieldWay {
  return { aspect, from, to, shape };
}

export function labelOf(object: WireObject, label: string): string {
  const value = valueAt(object, [
    { by: "field", name: "metadata" },
    { by: "field", name: "labels" },
    { by: "field", name: label },
  ]);
  return typeof value === "string" ? value : "";
}

/** Labels of the pods a workload makes. */
export function podLabelOf(object: WireObject, label: string): string {
  const steps = pathSteps("spec.template.metadata.labels");
  const value = valueAt(object, [...steps, { by: "field", name: label }]);
  return typeof value === "string" ? value : labelOf(object, label);
}

export function noObjects(): readonly WireObject[] {
  return [];
}

/** A budget a controller makes for its workload: named like it, over the workload's own selector. */
export function budgetFor(made: WireObject, spec: Json | undefined): readonly WireObject[] {
  if (!isJsonObject(spec)) return [];
  const selector = valueAt(made, pathSteps("spec.selector"));
  if (selector === undefined) return [];
  const { name, namespace, labels } = made.metadata;
  return [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
      spec: { ...spec, selector },
    },
  ];
}
