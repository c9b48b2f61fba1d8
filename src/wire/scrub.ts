/** Deeper than any Kubernetes object; deeper input is somebody's attack or mistake. */
export const deepestNesting = 200;

type Open = Record<string, unknown>;

/**
 * Takes out of a freshly read object, in place, what is never looked at and should not be kept: managed fields, the
 * last-applied annotation, values of environment variables, and the contents of a Secret wrapped in another object.
 * False when the object is nested too deeply to be used.
 */
export function scrub(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > deepestNesting) return false;
  if (Array.isArray(value)) return value.every((element) => scrub(element, depth + 1));
  const object = value as Open;
  scrubOwnFields(object);
  for (const name of Object.keys(object)) {
    if (!scrub(object[name], depth + 1)) return false;
  }
  return true;
}

function scrubOwnFields(object: Open): void {
  if (Object.hasOwn(object, "managedFields")) delete object["managedFields"];
  if (Object.hasOwn(object, "annotations")) dropLastApplied(object["annotations"]);
  if (Object.hasOwn(object, "env")) dropValues(object["env"]);
  if (isSecretKind(object["kind"])) {
    delete object["data"];
    delete object["stringData"];
  }
}

/** Secrets by any spelling of the kind. */
export function isSecretKind(kind: unknown): boolean {
  return typeof kind === "string" && kind.length === 6 && kind.toLowerCase() === "secret";
}

function dropLastApplied(annotations: unknown): void {
  if (typeof annotations !== "object" || annotations === null) return;
  const map = annotations as Open;
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  if (Object.hasOwn(map, name)) delete map[name];
}

function dropValues(variables: unknown): void {
  if (!Array.isArray(variables)) return;
  for (const variable of variables) {
    if (typeof variable === "object" && variable !== null) delete (variable as Open)["value"];
  }
}
