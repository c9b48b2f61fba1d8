import type { ObjectKey } from "../model/key.ts";
import type { ClusterView } from "../model/view.ts";

/**
 * `rayclusters.ray.io`: how the API names the resource of an object's kind, the group left out for core. Taken from the
 * CustomResourceDefinition when the input has it, else guessed as apimachinery does (UnsafeGuessKindToResource, 1.36).
 */
export function resourceName(view: ClusterView, key: ObjectKey): string {
  const [kindAndGroup = ""] = key.split("/");
  const dot = kindAndGroup.indexOf(".");
  const kind = dot < 0 ? kindAndGroup : kindAndGroup.slice(0, dot);
  const group = dot < 0 ? "" : kindAndGroup.slice(dot + 1);
  const plural = definedPlural(view, kind, group) ?? guessedPlural(kind);
  return group === "" ? plural : `${plural}.${group}`;
}

function definedPlural(view: ClusterView, kind: string, group: string): string | null {
  for (const other of view.cluster.others.values()) {
    if (other.ref.kind !== "CustomResourceDefinition") continue;
    const spec = other.body["spec"];
    if (!isObject(spec) || spec["group"] !== group || !isObject(spec["names"])) continue;
    const { kind: definedKind, plural } = spec["names"];
    if (definedKind === kind && typeof plural === "string") return plural;
  }
  return null;
}

function guessedPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (singular.endsWith("s")) return `${singular}es`;
  if (singular.endsWith("y")) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null;
}
