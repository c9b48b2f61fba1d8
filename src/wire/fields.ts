import { none } from "../base/none.ts";
import type { Json, JsonObject } from "./snapshot.ts";

/** Called with the field's path inside the object and what is wrong there. */
export type Complain = (path: string, message: string) => void;

/** The way from the object's root to a field; joined into text only when something is wrong. */
interface Way {
  readonly parent: Way | null;
  readonly segment: string | number;
}

/**
 * Reads the fields of a wire object by name and type. A missing or null field gives the stated default; a field of the
 * wrong type is complained about and gives the default too, so that the rest of the object can still be used.
 * Fields are looked up by fixed names only; names from outside become keys of maps, never of objects.
 */
export class Fields {
  readonly #value: JsonObject;
  readonly #way: Way | null;
  readonly #complain: Complain;

  private constructor(value: JsonObject, way: Way | null, complain: Complain) {
    this.#value = value;
    this.#way = way;
    this.#complain = complain;
  }

  static of(value: JsonObject, complain: Complain): Fields {
    return new Fields(value, null, complain);
  }

  get wire(): JsonObject {
    return this.#value;
  }

  /** True when the field is there and not null. */
  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** Null counts as missing, as it does for the API server. */
  raw(name: string): Json | undefined {
    const value = this.#value[name];
    // What every object inherits is a function; JSON has none.
    return value === null || typeof value === "function" ? undefined : value;
  }

  /** The same object as if one field were not there. */
  without(name: string): Fields {
    return new Fields({ ...this.#value, [name]: undefined }, this.#way, this.#complain);
  }

  problem(name: string, message: string): void {
    complaintsAt(this.#way, this.#complain)(name, message);
  }

  /** As problem, for later: keeps nothing of the object. */
  complaints(): Complain {
    return complaintsAt(this.#way, this.#complain);
  }

  /** "" when missing. */
  text(name: string): string {
    return this.optionalText(name) ?? "";
  }

  optionalText(name: string): string | null {
    const value = this.raw(name);
    if (value === undefined) return null;
    if (typeof value === "string") return value;
    this.problem(name, `a text was expected, not ${typeName(value)}`);
    return null;
  }

  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  optionalFlag(name: string): boolean | null {
    const value = this.raw(name);
    if (value === undefined) return null;
    if (typeof value === "boolean") return value;
    this.problem(name, `true or false was expected, not ${typeName(value)}`);
    return null;
  }

  /** A whole number; null when missing. */
  whole(name: string): number | null {
    const value = this.raw(name);
    if (value === undefined) return null;
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    this.problem(name, `a whole number was expected, not ${typeName(value)}`);
    return null;
  }

  /** A whole number that may not be negative; null when missing. */
  count(name: string): number | null {
    const value = this.whole(name);
    if (value === null || value >= 0) return value;
    this.problem(name, `${value} is negative`);
    return null;
  }

  /** As count; more than `most` is complained about and taken as that many. */
  countUpTo(name: string, most: number): number | null {
    const value = this.count(name);
    if (value === null || value <= most) return value;
    this.problem(name, `${value} is more than any cluster has; taken as ${most}`);
    return most;
  }

  /** One of a closed set; anything else is complained about and gives the default. */
  choice<T extends string>(name: string, known: readonly T[], whenMissing: NoInfer<T>): T {
    const text = this.optionalText(name);
    if (text === null) return whenMissing;
    const found = known.find((candidate) => candidate === text);
    if (found !== undefined) return found;
    this.problem(name, `${quoted(text)} is not one of ${known.join(", ")}; taken as ${whenMissing}`);
    return whenMissing;
  }

  /** Empty fields when missing: their own fields are missing too. */
  object(name: string): Fields {
    return this.optionalObject(name) ?? this.#child({}, name);
  }

  optionalObject(name: string): Fields | null {
    const value = this.raw(name);
    if (value === undefined) return null;
    if (isJsonObject(value)) return this.#child(value, name);
    this.problem(name, `an object was expected, not ${typeName(value)}`);
    return null;
  }

  /** The objects of a list; elements that are none are complained about and left out. */
  objects(name: string): readonly Fields[] {
    const list = this.#list(name);
    if (list.length === 0) return none;
    const way: Way = { parent: this.#way, segment: name };
    const found: Fields[] = [];
    for (const [index, element] of list.entries()) {
      const at: Way = { parent: way, segment: index };
      if (isJsonObject(element)) found.push(new Fields(element, at, this.#complain));
      else this.#complain(pathText(at), `an object was expected, not ${typeName(element)}`);
    }
    return found;
  }

  /** What is read of each object of a list. */
  each<T>(name: string, read: (element: Fields) => T): readonly T[] {
    const elements = this.objects(name);
    return elements.length === 0 ? none : elements.map(read);
  }

  /** The texts of a list; other elements are complained about and left out. */
  texts(name: string): readonly string[] {
    const list = this.#list(name);
    if (list.length === 0) return none;
    const found: string[] = [];
    for (const [index, element] of list.entries()) {
      if (typeof element === "string") found.push(element);
      else this.#complain(`${this.path(name)}[${index}]`, `a text was expected, not ${typeName(element)}`);
    }
    return found;
  }

  /** A map of texts (labels, selectors), sorted by key. */
  textMap(name: string): ReadonlyMap<string, string> {
    const value = this.raw(name);
    if (value === undefined) return noTexts;
    if (!isJsonObject(value)) {
      this.problem(name, `an object was expected, not ${typeName(value)}`);
      return noTexts;
    }
    const map = new Map<string, string>();
    for (const key of Object.keys(value).sort()) {
      const text = value[key];
      if (typeof text === "string") map.set(key, text);
      else if (text !== null) this.#complain(`${this.path(name)}.${key}`, `a text was expected, not ${typeName(text)}`);
    }
    return map;
  }

  /** The entries of an object with free names, sorted by name, each value as it is. */
  entries(name: string): readonly (readonly [string, Json])[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    if (!isJsonObject(value)) {
      this.problem(name, `an object was expected, not ${typeName(value)}`);
      return [];
    }
    const found: (readonly [string, Json])[] = [];
    for (const key of Object.keys(value).sort()) {
      const element = value[key];
      if (element !== undefined && element !== null) found.push([key, element]);
    }
    return found;
  }

  path(name: string): string {
    return pathText({ parent: this.#way, segment: name });
  }

  #list(name: string): readonly Json[] {
    const value = this.raw(name);
    if (value === undefined) return none;
    if (isJsonList(value)) return value;
    this.problem(name, `a list was expected, not ${typeName(value)}`);
    return none;
  }

  #child(value: JsonObject, name: string): Fields {
    return new Fields(value, { parent: this.#way, segment: name }, this.#complain);
  }
}

function complaintsAt(way: Way | null, complain: Complain): Complain {
  return (name, message) => complain(pathText(name === "" ? way : { parent: way, segment: name }), message);
}

const noTexts: ReadonlyMap<string, string> = new Map();

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A text from outside, short enough and marked as such, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "object":
      return "an object";
    case "string":
      return `the text ${quoted(value)}`;
    default:
      return String(value);
  }
}

function pathText(way: Way | null): string {
  const segments: string[] = [];
  for (let at = way; at !== null; at = at.parent) {
    segments.push(
      typeof at.segment === "number" ? `[${at.segment}]` : at.parent === null ? at.segment : `.${at.segment}`,
    );
  }
  return segments.reverse().join("");
}
