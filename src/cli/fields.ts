import { closest } from "../base/closest.ts";
import { parseDuration } from "../base/duration.ts";
import type { Problem } from "../base/problem.ts";
import type { Span } from "../sim/scenario.ts";
import { parseSpan } from "./duration.ts";
import type { Tree } from "./yaml-tree.ts";

/** A field of a file people write, with what is needed to complain about it. Readers return null when they complained, or when it is absent. */
export interface Field {
  readonly tree: Tree;
  readonly path: string;
  readonly file: string;
  readonly problems: Problem[];
}

export function complain(field: Field, message: string): null {
  field.problems.push({ file: field.file, line: field.tree.line, path: field.path, message });
  return null;
}

/** The fields of a map; those not known are complained about, with the name that was probably meant. */
export function fieldsOf(field: Field, known: readonly string[]): ReadonlyMap<string, Field> {
  const { tree, path } = field;
  if (isAbsent(tree)) return new Map();
  if (tree.kind !== "map") {
    complain(field, "should be a map");
    return new Map();
  }
  const found = new Map<string, Field>();
  for (const [name, inner] of tree.fields) {
    const child = { ...field, tree: inner, path: path === "" ? name : `${path}.${name}` };
    if (known.includes(name)) {
      found.set(name, child);
      continue;
    }
    const near = closest(name, known);
    complain(child, `is no field here; ${near === null ? `known are ${known.join(", ")}` : `did you mean ${near}?`}`);
  }
  return found;
}

/** Any keys. */
export function entriesOf(field: Field | undefined): readonly (readonly [string, Field])[] {
  if (field === undefined || isAbsent(field.tree)) return [];
  if (field.tree.kind !== "map") {
    complain(field, "should be a map");
    return [];
  }
  return [...field.tree.fields].map(([name, tree]) => [name, { ...field, tree, path: `${field.path}.${name}` }]);
}

export function itemsOf(field: Field | undefined): readonly Field[] {
  if (field === undefined || isAbsent(field.tree)) return [];
  if (field.tree.kind !== "list") {
    complain(field, "should be a list");
    return [];
  }
  return field.tree.items.map((tree, index) => ({ ...field, tree, path: `${field.path}[${index}]` }));
}

/** One or several: `n1` or `[n1, n2]`. */
export function textsOf(field: Field | undefined): readonly string[] {
  if (field === undefined) return [];
  const items = field.tree.kind === "list" ? itemsOf(field) : [field];
  return items.map(textOf).filter((text) => text !== null);
}

/** Text that is not empty; numbers count as text, a node may be called 7. */
export function textOf(field: Field | undefined): string | null {
  if (field === undefined) return null;
  const { tree } = field;
  if (tree.kind === "scalar" && typeof tree.value === "number") return String(tree.value);
  if (tree.kind !== "scalar" || typeof tree.value !== "string" || tree.value === "")
    return complain(field, "should be text");
  return tree.value;
}

export function oneOf<T extends string>(field: Field | undefined, choices: readonly T[]): T | null {
  const text = textOf(field);
  if (field === undefined || text === null) return null;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const near = closest(text, choices);
  return complain(field, `should be one of ${choices.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`);
}

export function truthOf(field: Field | undefined): boolean | null {
  if (field === undefined) return null;
  const { tree } = field;
  return tree.kind === "scalar" && typeof tree.value === "boolean"
    ? tree.value
    : complain(field, "should be true or false");
}

export function countOf(field: Field | undefined, least: number, most = Number.MAX_SAFE_INTEGER): number | null {
  if (field === undefined) return null;
  const value = field.tree.kind === "scalar" ? field.tree.value : null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const end = most === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${most}`;
  return complain(field, `should be a whole number, at least ${least}${end}`);
}

export function durationOf(field: Field | undefined): number | null {
  if (field === undefined) return null;
  const text = textOf(field);
  if (text === null) return null;
  return parseDuration(text) ?? complain(field, `should be a length of time such as 90s or 1h30m, not "${text}"`);
}

export function spanOf(field: Field | undefined): Span | null {
  if (field === undefined) return null;
  const text = textOf(field);
  if (text === null) return null;
  return (
    parseSpan(text) ?? complain(field, `should be a length of time or a range, such as 90s or 20s..90s, not "${text}"`)
  );
}

function isAbsent(tree: Tree): boolean {
  return tree.kind === "scalar" && tree.value === null;
}
