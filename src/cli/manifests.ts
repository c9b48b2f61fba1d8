import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import type { WireObject } from "../wire/snapshot.ts";
import { complain, type Field } from "./fields.ts";
import { jsonOf, parseTrees, type Tree } from "./yaml-tree.ts";

/** The objects a field of a scenario names: a manifest written there, or a file beside the scenario. */
export function objectsOf(field: Field): readonly WireObject[] {
  if (field.tree.kind === "map") return objectsIn(field.tree, field);
  const { tree } = field;
  if (tree.kind !== "scalar" || typeof tree.value !== "string" || tree.value === "") {
    complain(field, "should be a file's name or a manifest");
    return [];
  }
  const text = textBeside(tree.value, field);
  if (text === null) return [];
  const trees = parseTrees(text, join(dirname(field.file), tree.value), field.problems);
  return trees.flatMap((document) =>
    objectsIn(document, {
      ...field,
      file: join(dirname(field.file), tree.kind === "scalar" ? String(tree.value) : ""),
    }),
  );
}

const largestFile = 8 * 1024 * 1024;

/** Never outside the scenario's folder: not by a path, not by a link. */
function textBeside(name: string, field: Field): string | null {
  if (isAbsolute(name)) return complain(field, "should be relative to the scenario file");
  try {
    const folder = realpathSync(dirname(field.file));
    const file = realpathSync(join(folder, name));
    if (file !== folder && !file.startsWith(folder + sep))
      return complain(field, `leads out of the scenario's folder: ${name}`);
    const { size } = statSync(file);
    if (!statSync(file).isFile()) return complain(field, `is no file: ${name}`);
    if (size > largestFile) return complain(field, `is too large: ${name}`);
    return readFileSync(file, "utf8");
  } catch {
    return complain(field, `cannot be read: ${name}`);
  }
}

/** Lists are opened; Secrets are dropped at the door. */
export function objectsIn(tree: Tree, field: Field): readonly WireObject[] {
  const value = jsonOf(tree);
  const at = { ...field, tree };
  if (tree.kind !== "map" || value === null || typeof value !== "object" || Array.isArray(value)) {
    complain(at, "should be a manifest");
    return [];
  }
  const items = tree.fields.get("items");
  const kind = scalarText(tree, "kind");
  const apiVersion = scalarText(tree, "apiVersion");
  if (kind === "List" && items?.kind === "list") return items.items.flatMap((item) => objectsIn(item, field));
  const metadata = tree.fields.get("metadata");
  const meta = metadata === undefined ? null : jsonOf(metadata);
  if (kind === "" || apiVersion === "" || !isObject(meta)) {
    complain(at, "needs apiVersion, kind and metadata");
    return [];
  }
  if (kind === "Secret") return [];
  return [{ ...fieldsOfMap(tree), apiVersion, kind, metadata: meta }];
}

type Value = ReturnType<typeof jsonOf>;

function isObject(value: Value): value is { readonly [field: string]: Value | undefined } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function fieldsOfMap(tree: Tree): { readonly [field: string]: Value } {
  return tree.kind === "map"
    ? Object.fromEntries([...tree.fields].map(([field, inner]) => [field, jsonOf(inner)]))
    : {};
}

function scalarText(tree: Tree, name: string): string {
  const field = tree.kind === "map" ? tree.fields.get(name) : undefined;
  return field?.kind === "scalar" && typeof field.value === "string" ? field.value : "";
}
