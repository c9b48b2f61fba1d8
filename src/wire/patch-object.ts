import type { Json, JsonObject } from "./snapshot.ts";

export type PatchResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** JSON merge patch: null removes, objects merge, everything else replaces. Mirrors: RFC 7386. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, Json>(entriesOf(isObject(target) ? target : {}));
  for (const [field, value] of entriesOf(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

/** Lists of built-in kinds that a strategic merge patch merges by a key; all others are replaced. */
const mergeKeys: ReadonlyMap<string, string> = new Map([
  ["containers", "name"],
  ["initContainers", "name"],
  ["ephemeralContainers", "name"],
  ["volumes", "name"],
  ["env", "name"],
  ["volumeMounts", "mountPath"],
  ["ports", "containerPort"],
  ["imagePullSecrets", "name"],
  ["hostAliases", "ip"],
  ["topologySpreadConstraints", "topologyKey"],
  ["resourceClaims", "name"],
  ["schedulingGates", "name"],
  ["conditions", "type"],
  ["ownerReferences", "uid"],
]);

/**
 * Strategic merge patch as kubectl applies it to built-in kinds: known lists merge by their key, `$patch: replace|delete` and
 * null are honoured. Mirrors: apimachinery pkg/util/strategicpatch, v0.36, for the fields this model reads.
 */
export function strategicPatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  if (patch["$patch"] === "replace") return without(patch, "$patch");
  const merged = new Map<string, Json>(entriesOf(isObject(target) ? target : {}));
  for (const [field, value] of entriesOf(patch)) {
    const key = mergeKeys.get(field);
    if (value === null) merged.delete(field);
    else if (key !== undefined && isList(value)) merged.set(field, mergeList(merged.get(field), value, key));
    else merged.set(field, strategicPatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

function mergeList(target: Json | undefined, patch: readonly Json[], key: string): Json {
  if (patch.some((item) => isObject(item) && item["$patch"] === "replace")) {
    return patch.filter((item) => !isObject(item) || item["$patch"] !== "replace");
  }
  const merged: Json[] = isList(target) ? [...target] : [];
  for (const item of patch) {
    const id = isObject(item) ? item[key] : undefined;
    const at = merged.findIndex((known) => isObject(known) && known[key] === id && id !== undefined);
    if (isObject(item) && item["$patch"] === "delete") {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = strategicPatch(merged[at], item);
    else merged.push(item);
  }
  return merged;
}

/** JSON patch. Mirrors: RFC 6902; `test` compares by JSON text. */
export function jsonPatch(target: Json, operations: readonly JsonObject[]): PatchResult {
  let value: Json = target;
  for (const [index, operation] of operations.entries()) {
    const result = applyOperation(value, operation);
    if (!result.ok) return { ok: false, message: `operation ${index + 1}: ${result.message}` };
    value = result.value;
  }
  return { ok: true, value };
}

function applyOperation(target: Json, operation: JsonObject): PatchResult {
  const path = pointer(operation["path"]);
  if (path === null) return { ok: false, message: `path ${JSON.stringify(operation["path"])} is not a JSON pointer` };
  const op = operation["op"];
  switch (op) {
    case "add":
    case "replace": {
      const value = operation["value"];
      if (value === undefined) return { ok: false, message: `${op} has no value` };
      return edit(target, path, { op, value });
    }
    case "remove":
      return edit(target, path, { op });
    case "test": {
      const found = read(target, path);
      const same = JSON.stringify(found) === JSON.stringify(operation["value"]);
      return same ? { ok: true, value: target } : { ok: false, message: `test of ${operation["path"]} fails` };
    }
    case "copy":
    case "move": {
      const from = pointer(operation["from"]);
      const value = from === null ? undefined : read(target, from);
      if (from === null || value === undefined)
        return { ok: false, message: `from ${JSON.stringify(operation["from"])} is not there` };
      const source = op === "move" ? edit(target, from, { op: "remove" }) : ({ ok: true, value: target } as const);
      return source.ok ? edit(source.value, path, { op: "add", value }) : source;
    }
    default:
      return { ok: false, message: `unknown op ${JSON.stringify(op)}: add, replace, remove, move, copy, test` };
  }
}

type Edit = { readonly op: "add" | "replace"; readonly value: Json } | { readonly op: "remove" };

function edit(target: Json | undefined, path: readonly string[], change: Edit): PatchResult {
  const [field, ...rest] = path;
  if (field === undefined)
    return change.op === "remove"
      ? { ok: false, message: "the whole object cannot be removed" }
      : { ok: true, value: change.value };
  if (isList(target)) return editList(target, field, rest, change);
  if (!isObject(target)) return { ok: false, message: `nothing to hold ${JSON.stringify(field)}` };
  const entries = new Map(entriesOf(target));
  const there = entries.has(field);
  if (rest.length === 0) {
    if (change.op !== "add" && !there) return { ok: false, message: `${JSON.stringify(field)} is not there` };
    if (change.op === "remove") entries.delete(field);
    else entries.set(field, change.value);
    return { ok: true, value: Object.fromEntries(entries) };
  }
  const inner = edit(entries.get(field), rest, change);
  if (!inner.ok) return inner;
  entries.set(field, inner.value);
  return { ok: true, value: Object.fromEntries(entries) };
}

function editList(list: readonly Json[], field: string, rest: readonly string[], change: Edit): PatchResult {
  const index = field === "-" ? list.length : /^\d+$/.test(field) ? Number(field) : -1;
  if (index < 0 || index > list.length)
    return { ok: false, message: `no element ${JSON.stringify(field)} in the list` };
  if (rest.length === 0 && change.op === "add") return { ok: true, value: list.toSpliced(index, 0, change.value) };
  if (index === list.length) return { ok: false, message: `no element ${JSON.stringify(field)} in the list` };
  if (rest.length === 0) {
    return { ok: true, value: change.op === "remove" ? list.toSpliced(index, 1) : list.with(index, change.value) };
  }
  const inner = edit(list[index], rest, change);
  return inner.ok ? { ok: true, value: list.with(index, inner.value) } : inner;
}

function read(target: Json | undefined, path: readonly string[]): Json | undefined {
  let value = target;
  for (const field of path) {
    if (isList(value)) value = value[Number(field)];
    else if (isObject(value) && Object.hasOwn(value, field)) value = value[field];
    else return undefined;
  }
  return value;
}

function pointer(path: Json | undefined): readonly string[] | null {
  if (typeof path !== "string" || (path !== "" && !path.startsWith("/"))) return null;
  return path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function entriesOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

function without(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(entriesOf(object).filter(([name]) => name !== field));
}
