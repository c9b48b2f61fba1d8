import type { Thing } from "./serving.ts";

/** An object that may be changed in place: each test has its own copy. */
export interface Tree {
  [field: string]: unknown;
}

export function tree(thing: Thing): Tree {
  return structuredClone({ ...thing });
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export function list(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? value.filter(isTree) : [];
}

/** The object in this field; an empty one, put there, where there is none. */
export function at(thing: Tree, field: string): Tree {
  const value = thing[field];
  if (isTree(value)) return value;
  const made: Tree = {};
  thing[field] = made;
  return made;
}

export function metadataOf(thing: Tree): Tree {
  return at(thing, "metadata");
}

export function specOf(thing: Tree): Tree {
  return at(thing, "spec");
}

export function nameOf(thing: Tree): string {
  return String(metadataOf(thing)["name"]);
}

export function namespaceOf(thing: Tree): string {
  return String(metadataOf(thing)["namespace"] ?? "default");
}

export function labelsOf(thing: Tree): Tree {
  return at(metadataOf(thing), "labels");
}

/** The controlling owner as `Kind/name`; "" none. */
export function ownerOf(thing: Tree): string {
  const owner = list(metadataOf(thing)["ownerReferences"]).find(({ controller }) => controller === true);
  return owner === undefined ? "" : `${String(owner["kind"])}/${String(owner["name"])}`;
}

export function isKind(thing: Tree, ...kinds: readonly string[]): boolean {
  return kinds.includes(String(thing["kind"]));
}

/** A selector of labels as objects carry it (matchLabels, matchExpressions) takes these labels. */
export function selects(selector: unknown, labels: Tree): boolean {
  if (!isTree(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  return (
    Object.entries(isTree(matchLabels) ? matchLabels : {}).every(([key, value]) => labels[key] === value) &&
    list(matchExpressions).every(({ key, operator, values }) => {
      const value = labels[String(key)];
      const among = Array.isArray(values) && values.includes(value);
      return operator === "In" ? among : operator === "Exists" ? value !== undefined : !among;
    })
  );
}

/** Whether a pod asks for accelerators. */
export function asksForGpus(podSpec: Tree): boolean {
  return gpusOf(podSpec) > 0;
}

export function gpusOf(podSpec: Tree): number {
  return list(podSpec["containers"]).reduce((sum, container) => {
    const resources = at(container, "resources");
    const amounts = { ...at(resources, "requests"), ...at(resources, "limits") };
    return sum + Number(amounts["nvidia.com/gpu"] ?? 0);
  }, 0);
}
