import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { sameJson } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";

/**
 * What a manager has applied to an object before, with the values of now. Whoever applies again must say all of it again: what a
 * manager no longer states, the server takes away.
 * Mirrors: FieldsV1 of managed fields (`f:` a field, `k:` a list's element by its keys, `v:` an element by its value).
 */
export function appliedBy(manager: string, object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  const entries = isJsonObject(metadata) ? metadata["managedFields"] : undefined;
  if (!isJsonList(entries)) return {};
  let whole: Json = {};
  for (const entry of entries.filter(isJsonObject)) {
    const { operation, subresource, fieldsV1 } = entry;
    if (entry["manager"] !== manager || operation !== "Apply") continue;
    if (typeof subresource === "string" && subresource !== "") continue;
    whole = merged(whole, picked(object, fieldsV1));
  }
  return isJsonObject(whole) ? whole : {};
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
