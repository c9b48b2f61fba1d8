import { buildCluster } from "../../src/model/build.ts";
import { parseFilledIn, parsePodSpec } from "../../src/model/parse-pod-spec.ts";
import { QuantityReader } from "../../src/model/quantity.ts";
import { SpecParts } from "../../src/model/spec-parts.ts";
import { Fields, isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject, Snapshot } from "../../src/wire/snapshot.ts";

/** What a field is read as; enough to put a value there that lets reading go on. */
type Shape = "leaf" | "object" | "list";

/** Field path with `[]` for elements of lists → how it is read. */
export type AskedFields = ReadonlyMap<string, Shape>;

const readers: readonly (readonly [keyof Fields, Shape])[] = [
  ["raw", "leaf"],
  ["object", "object"],
  ["optionalObject", "object"],
  ["objects", "list"],
];

/**
 * The fields that reading an object asks for, found by asking: objects are read with one field at a time and with all
 * fields known so far, until no new one is asked for. A field that is only looked at when another one is missing is
 * found by the objects with one field.
 */
export function askedFields(base: Readonly<Record<string, Json>>, read: (object: JsonObject) => void): AskedFields {
  const asked = new Map<string, Shape>();
  const tried = new Set<string>();
  observing(asked, () => {
    for (let before = -1; before !== asked.size; ) {
      before = asked.size;
      read(sample(base, asked));
      for (const path of [...asked.keys()]) {
        if (tried.has(path)) continue;
        tried.add(path);
        read(sample(base, new Map([...asked].filter(([each]) => leadsTo(each, path)))));
      }
    }
  });
  return asked;
}

/** Reads a whole object as one of a cluster. */
export function readAsCluster(object: JsonObject): void {
  const snapshot: Snapshot = {
    source: "",
    serverVersion: "v1.36.0",
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    *[Symbol.iterator]() {
      const { apiVersion, kind, metadata } = object;
      if (typeof apiVersion !== "string" || typeof kind !== "string" || !isJsonObject(metadata)) return;
      yield { object: { ...object, apiVersion, kind, metadata }, source: { file: "", line: null } };
    },
  };
  buildCluster(snapshot);
}

/** Reads a pod's spec, which is read apart from what it stands in. */
export function readAsPodSpec(object: JsonObject): void {
  const around = { isPod: false, namespace: "x", labels: new Map(), annotations: new Map(), admitted: false };
  const fields = Fields.of(object, () => {});
  const parts = new SpecParts(new QuantityReader());
  parsePodSpec(fields, around, parts, null);
  parseFilledIn(fields, parts);
}

/** True for the path itself and what is above it. */
function leadsTo(path: string, target: string): boolean {
  return path === target || target.startsWith(`${path}.`) || target.startsWith(`${path}[]`);
}

/** Runs with the readers of Fields telling what they are asked for. */
function observing(asked: Map<string, Shape>, run: () => void): void {
  const restore: (() => void)[] = [];
  for (const [name, shape] of readers) {
    const original: unknown = Reflect.get(Fields.prototype, name);
    if (typeof original !== "function") throw new Error(`Fields has no ${name}`);
    const observed = function (this: Fields, field: string): unknown {
      const path = this.path(field).replace(/\[\d+\]/g, "[]");
      if (shape !== "leaf" || !asked.has(path)) asked.set(path, shape === "leaf" ? (asked.get(path) ?? shape) : shape);
      return Reflect.apply(original, this, [field]);
    };
    Reflect.set(Fields.prototype, name, observed);
    restore.push(() => Reflect.set(Fields.prototype, name, original));
  }
  try {
    run();
  } finally {
    for (const each of restore) each();
  }
}

type Open = { [field: string]: Json };

function sample(base: Readonly<Record<string, Json>>, fields: AskedFields): JsonObject {
  const object: Open = structuredClone(base);
  for (const [path, shape] of fields) place(object, path, shape);
  return object;
}

/** Values that let reading go on where another one would end it. */
function leafValue(path: string, name: string): Json {
  if (name === "controller" || name === "served") return true;
  if (name === "operator") return "In";
  if (name === "resource") return "pods";
  if (name === "status") return "True";
  if (name === "type") return path.includes("conditions") ? "Ready" : "Container";
  return "x";
}

/** Puts a value at a path, making what is above it. */
function place(root: Open, path: string, shape: Shape): void {
  const segments = path.split(".");
  let at = root;
  for (const [index, segment] of segments.entries()) {
    const name = segment.replace("[]", "");
    const isLast = index === segments.length - 1;
    const wanted: Shape = isLast ? shape : segment.endsWith("[]") ? "list" : "object";
    const there = at[name];
    if (isLast && wanted === "leaf") {
      if (there === undefined) at[name] = leafValue(path, name);
      return;
    }
    at = wanted === "list" ? firstOf(at, name) : objectIn(at, name);
  }
}

function objectIn(parent: Open, name: string): Open {
  const there = parent[name];
  if (typeof there === "object" && there !== null && !Array.isArray(there)) return Object(there);
  const made: Open = {};
  parent[name] = made;
  return made;
}

function firstOf(parent: Open, name: string): Open {
  const there = parent[name];
  if (Array.isArray(there)) return Object(there[0]);
  const made: Open = {};
  parent[name] = [made];
  return made;
}
