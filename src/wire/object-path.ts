import { isJsonList, isJsonObject } from "./fields.ts";
import type { Json, JsonObject } from "./snapshot.ts";

/** One step into an object: a field, a place in a list, or the element of a list whose field has a value. */
export type PathStep =
  | { readonly by: "field"; readonly name: string }
  | { readonly by: "index"; readonly index: number }
  | { readonly by: "key"; readonly field: string; readonly value: string };

/** `spec.engines[name=main].copies` as steps; names with dots in them stand in quotes: `metadata.labels["a.b/c"]`. */
export function pathSteps(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (const [, name, quoted, index, field, value] of path.matchAll(
    /([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[([^=\]]+)=([^\]]*)\]/g,
  )) {
    if (name !== undefined) steps.push({ by: "field", name });
    else if (quoted !== undefined) steps.push({ by: "field", name: quoted });
    else if (index !== undefined) steps.push({ by: "index", index: Number(index) });
    else if (field !== undefined) steps.push({ by: "key", field, value: value ?? "" });
  }
  return steps;
}

/** What stands there; undefined: nothing. */
export function valueAt(object: Json | undefined, steps: readonly PathStep[]): Json | undefined {
  let value = object;
  for (const step of steps) {
    if (step.by === "field")
      value = isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
    else if (isJsonList(value)) value = value[placeIn(value, step)];
    else return undefined;
  }
  return value;
}

/** A copy with the value there, or without the field where it is undefined. Null: a list has no such element. */
export function withValue(object: Json | undefined, steps: readonly PathStep[], value: Json | undefined): Json | null {
  const [step, ...rest] = steps;
  if (step === undefined) return value ?? null;
  if (step.by === "field") return withField(object, step.name, rest, value);
  const list = isJsonList(object) ? object : null;
  const at = list === null ? -1 : placeIn(list, step);
  if (list === null || at < 0 || at >= list.length) return null;
  const inner = withValue(list[at], rest, value);
  return inner === null ? null : list.with(at, inner);
}

function withField(
  object: Json | undefined,
  name: string,
  rest: readonly PathStep[],
  value: Json | undefined,
): Json | null {
  const entries = new Map(Object.entries(isJsonObject(object) ? object : {}));
  if (rest.length === 0) {
    if (value === undefined) entries.delete(name);
    else entries.set(name, value);
    return Object.fromEntries(entries);
  }
  if (value === undefined && !entries.has(name)) return Object.fromEntries(entries);
  const inner = withValue(entries.get(name), rest, value);
  if (inner === null) return null;
  entries.set(name, inner);
  return Object.fromEntries(entries);
}

/** Where the element stands; -1: nowhere. */
export function placeIn(list: readonly Json[], step: Exclude<PathStep, { readonly by: "field" }>): number {
  if (step.by === "index") return step.index < list.length ? step.index : -1;
  return list.findIndex((item) => isJsonObject(item) && item[step.field] === step.value);
}

/** The same object by JSON text, whatever the order of fields. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isJsonList(a) && isJsonList(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameJson(a[name], b[name]));
}

/** Every path at which two objects differ, the deepest fields; lists count as one value. */
export function changedPaths(before: Json | undefined, after: Json | undefined, at = ""): readonly string[] {
  if (sameJson(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [at];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changedPaths(before[name], after[name], at === "" ? name : `${at}.${name}`));
}

/** A merge patch that sets only this. Null: the path goes through a list, which a merge patch would replace. */
export function patchOf(steps: readonly PathStep[], value: Json): JsonObject | null {
  const [step, ...rest] = steps;
  if (step?.by !== "field") return null;
  const inner = rest.length === 0 ? value : patchOf(rest, value);
  return inner === null && rest.length > 0 ? null : { [step.name]: inner };
}
