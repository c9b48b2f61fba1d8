/** A pod's label in output and keys: `namespace/name`. */
export type PodKey = string;

/** An object's key: `Kind.group/namespace/name`; group "" for core; namespace "" for cluster-scoped. */
export type ObjectKey = string;

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The API group of an apiVersion: `apps` of `apps/v1`, "" of `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The key leaves the version out: `apps/v1beta2` and `apps/v1` name the same object. */
export function objectKey(ref: ObjectRef): ObjectKey {
  return `${kindKey(ref.kind, ref.apiVersion)}/${ref.namespace}/${ref.name}`;
}

export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** What the keys of all objects of a kind begin with: `Kind.group`. */
export function kindKey(kind: string, apiVersion: string): string {
  return `${kind}.${groupOf(apiVersion)}`;
}

/** The pod of an object's key; null: it is no pod's. */
export function podOfKey(key: ObjectKey): PodKey | null {
  return key.startsWith("Pod./") ? key.slice("Pod./".length) : null;
}

/** What the keys of pods, as objects, begin with. */
export const podKind: string = kindKey("Pod", "v1");
