import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { type PathStep, pathSteps, sameJson, valueAt } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";

/**
 * What a manager has applied to an object before, with the values of now. Whoever applies again must say all of it again: what a
 * manager no longer states, the server takes away.
 * Mirrors: FieldsV1 of managed fields (`f:` a field, `k:` a list's element by its keys, `v:` an element by its value).
 */
export function appliedBy(manager: string, object: JsonObject): JsonObject {
  const own = ownFields(manager, object);
  const whole = Object.keys(own).length === 0 ? {} : picked(object, own);
  return isJsonObject(whole) ? whole : {};
}

/**
 * What to apply so that fields inside lists are set: elements with their keys, and all that was applied before. Null: of some list
 * nobody's record tells keys, so that the server takes it as one value.
 */
export function appliedInLists(
  manager: string,
  { live, after }: { readonly live: JsonObject; readonly after: JsonObject },
  paths: readonly string[],
): JsonObject | null {
  let fields: Json = ownFields(manager, live);
  for (const path of paths) {
    const own = fieldsAlong(pathSteps(path), live);
    if (own === null) return null;
    fields = merged(fields, own);
  }
  const whole = picked(after, fields);
  return isJsonObject(whole) ? whole : null;
}

/** Managers that set a field, or the value it is a part of; others than this one. */
export function othersOf(manager: string, object: JsonObject, path: string): readonly string[] {
  const steps = pathSteps(path);
  return entriesOf(object).flatMap(({ name, fields }) =>
    name === manager || name === "" || !isSetIn(fields, steps, object) ? [] : [name],
  );
}

interface Entry {
  readonly name: string;
  readonly applies: boolean;
  readonly fields: JsonObject;
}

/** Records of who set what, without those of a subresource. */
function entriesOf(object: JsonObject): readonly Entry[] {
  const metadata = object["metadata"];
  const entries = isJsonObject(metadata) ? metadata["managedFields"] : undefined;
  if (!isJsonList(entries)) return [];
  return entries.filter(isJsonObject).flatMap(({ manager, operation, subresource, fieldsV1 }) => {
    if ((typeof subresource === "string" && subresource !== "") || !isJsonObject(fieldsV1)) return [];
    return [{ name: typeof manager === "string" ? manager : "", applies: operation === "Apply", fields: fieldsV1 }];
  });
}

function ownFields(manager: string, object: JsonObject): JsonObject {
  let whole: Json = {};
  for (const { name, applies, fields } of entriesOf(object))
    if (name === manager && applies) whole = merged(whole, fields);
  return isJsonObject(whole) ? whole : {};
}

function isSetIn(fields: JsonObject, steps: readonly PathStep[], object: JsonObject): boolean {
  let at: JsonObject | null = fields;
  for (const index of steps.keys()) {
    // Set as one value, with whatever stands in it.
    if (index > 0 && Object.keys(at).every((name) => name === ".")) return true;
    at = below(at, steps.slice(0, index + 1), object);
    if (at === null) return false;
  }
  return true;
}

/** What a set of fields says one step further; null: nothing. */
function below(fields: JsonObject, steps: readonly PathStep[], object: JsonObject): JsonObject | null {
  const step = steps.at(-1);
  if (step === undefined) return fields;
  const element = step.by === "field" ? undefined : valueAt(object, steps);
  const name =
    step.by === "field"
      ? `f:${step.name}`
      : Object.keys(fields).find((each) => element !== undefined && isNamed(each, element));
  const next = name === undefined ? undefined : fields[name];
  return isJsonObject(next) ? next : null;
}

/** The way to a field as a set of fields; null: a list on it has no keys that anybody's record tells. */
function fieldsAlong(steps: readonly PathStep[], object: JsonObject): JsonObject | null {
  let fields: JsonObject = {};
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index];
    if (step === undefined) continue;
    if (step.by === "field") {
      fields = { [`f:${step.name}`]: fields };
      continue;
    }
    const element = valueAt(object, steps.slice(0, index + 1));
    const keys = keysOf(steps.slice(0, index), object);
    if (keys === null || !isJsonObject(element)) return null;
    const own = Object.fromEntries(keys.map((key) => [key, element[key] ?? null]));
    const said = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
    fields = { [`k:${JSON.stringify(own)}`]: { ...said, ...fields } };
  }
  return fields;
}

/** The keys of a list's elements, as any record names them. */
function keysOf(steps: readonly PathStep[], object: JsonObject): readonly string[] | null {
  for (const { fields } of entriesOf(object)) {
    let at: JsonObject | null = fields;
    for (const index of steps.keys()) at = at === null ? null : below(at, steps.slice(0, index + 1), object);
    const keyed = Object.keys(at ?? {}).find((name) => name.startsWith("k:"));
    const said: Json = keyed === undefined ? null : JSON.parse(keyed.slice(2));
    if (isJsonObject(said)) return Object.keys(said);
  }
  return null;
}

/** The part of a value that a set of fields names. */
function picked(value: Json | undefined, fields: Json | undefined): Json {
  if (value === undefined || !isJsonObject(fields)) return value ?? null;
  const names = Object.keys(fields).filter((name) => name !== ".");
  if (names.length === 0) return value;
  if (isJsonList(value)) {
    return value.flatMap((item) => {
      const name = names.find((each) => isNamed(each, item));
      return name === undefined ? [] : [picked(item, fields[name])];
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = name.slice(2);
      const inner = value[field];
      return name.startsWith("f:") && inner !== undefined ? [[field, picked(inner, fields[name])]] : [];
    }),
  );
}

/** `k:{"name":"http"}` or `v:"x"` names this element. */
function isNamed(name: string, item: Json): boolean {
  const said: Json = name.startsWith("k:") || name.startsWith("v:") ? JSON.parse(name.slice(2)) : null;
  if (name.startsWith("v:")) return sameJson(said, item);
  if (!isJsonObject(said) || !isJsonObject(item)) return false;
  return Object.entries(said).every(([key, wanted]) => sameJson(item[key], wanted));
}

/** Objects into each other; anything else is replaced. */
export function merged(base: Json | undefined, over: Json): Json {
  if (!isJsonObject(base) || !isJsonObject(over)) return over;
  const whole = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(over)) {
    if (value !== undefined) whole.set(name, merged(whole.get(name), value));
  }
  return Object.fromEntries(whole);
}
