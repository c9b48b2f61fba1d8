import { none } from "../base/none.ts";
import type { ReadBefore } from "./read-before.ts";
import type { Json, JsonObject, WireObject } from "./snapshot.ts";
import { kindOf, Tape } from "./tape.ts";
import { tapeJson } from "./tape-json.ts";

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
 * Fields are looked up by fixed names only; names from outside become keys of maps, never of objects. Those of an object
 * on a tape can be asked until the next one is read there.
 */
export class Fields {
  readonly #value: JsonObject | Tape;
  /** The object's cell on the tape. */
  readonly #cell: number;
  readonly #way: Way | null;
  readonly #complain: Complain;

  private constructor(value: JsonObject | Tape, cell: number, way: Way | null, complain: Complain) {
    this.#value = value;
    this.#cell = cell;
    this.#way = way;
    this.#complain = complain;
  }

  static of(value: JsonObject, complain: Complain): Fields {
    return new Fields(value, 0, null, complain);
  }

  static onTape(tape: Tape, complain: Complain): Fields {
    return new Fields(tape, Tape.root, null, (path, message) => {
      tape.complaints += 1;
      complain(path, message);
    });
  }

  get wire(): JsonObject {
    if (!(this.#value instanceof Tape)) return this.#value;
    const json = tapeJson(this.#value, this.#cell);
    return isJsonObject(json) ? json : {};
  }

  /** The same, and what is wrong is not said, because somebody else says it. */
  quietly(): Fields {
    const tape = this.#value;
    return new Fields(tape, this.#cell, this.#way, () => {
      if (tape instanceof Tape) tape.complaints += 1;
    });
  }

  /** True when the field is there and not null. */
  has(name: string): boolean {
    if (!(this.#value instanceof Tape)) return this.raw(name) !== undefined;
    const cell = this.#value.find(this.#cell, name);
    return cell >= 0 && this.#value.kind(cell) !== kindOf.null;
  }

  /** Null counts as missing, as it does for the API server. */
  raw(name: string): Json | undefined {
    if (this.#value instanceof Tape) return rawOnTape(this.#value, this.#value.find(this.#cell, name));
    const value = this.#value[name];
    // What every object inherits is a function; JSON has none.
    return value === null || typeof value === "function" ? undefined : value;
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
    return this.optionalObject(name) ?? this.#child({}, 0, name);
  }

  optionalObject(name: string): Fields | null {
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.object) return this.#child(this.#value, cell, name);
    }
    const value = this.raw(name);
    if (value === undefined) return null;
    if (isJsonObject(value)) return this.#child(value, 0, name);
    this.problem(name, `an object was expected, not ${typeName(value)}`);
    return null;
  }

  /** The objects of a list; elements that are none are complained about and left out. */
  objects(name: string): readonly Fields[] {
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.list) return this.#objectsOnTape(this.#value, cell, name);
    }
    const list = this.#list(name);
    if (list.length === 0) return none;
    const way: Way = { parent: this.#way, segment: name };
    const found: Fields[] = [];
    for (const [index, element] of list.entries()) {
      const at: Way = { parent: way, segment: index };
      if (isJsonObject(element)) found.push(new Fields(element, 0, at, this.#complain));
      else this.#complain(pathText(at), `an object was expected, not ${typeName(element)}`);
    }
    return found;
  }

  #objectsOnTape(tape: Tape, list: number, name: string): readonly Fields[] {
    const end = tape.next(list);
    if (tape.first(list) === end) return none;
    const way: Way = { parent: this.#way, segment: name };
    const found: Fields[] = [];
    for (let cell = tape.first(list), index = 0; cell < end; cell = tape.next(cell), index += 1) {
      const at: Way = { parent: way, segment: index };
      if (tape.kind(cell) === kindOf.object) found.push(new Fields(tape, cell, at, this.#complain));
      else this.#complain(pathText(at), `an object was expected, not ${typeName(tapeJson(tape, cell))}`);
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
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.list) return this.#textsOnTape(this.#value, cell, name);
    }
    const list = this.#list(name);
    if (list.length === 0) return none;
    const found: string[] = [];
    for (const [index, element] of list.entries()) {
      if (typeof element === "string") found.push(element);
      else this.#complain(`${this.path(name)}[${index}]`, `a text was expected, not ${typeName(element)}`);
    }
    return found;
  }

  #textsOnTape(tape: Tape, list: number, name: string): readonly string[] {
    const end = tape.next(list);
    if (tape.first(list) === end) return none;
    const found: string[] = [];
    for (let cell = tape.first(list), index = 0; cell < end; cell = tape.next(cell), index += 1) {
      if (tape.isText(cell)) found.push(tape.text(cell));
      else this.#complain(`${this.path(name)}[${index}]`, `a text was expected, not ${typeName(tapeJson(tape, cell))}`);
    }
    return found;
  }

  /** A map of texts (labels, selectors), sorted by key. */
  textMap(name: string): ReadonlyMap<string, string> {
    return this.#value instanceof Tape ? this.once(name, this.#value.maps, textsOf) : textsOf(this, name);
  }

  /**
   * What `read` makes of a field, which must be no matter of anything else; that of a field with the same bytes before is
   * given again, unless something was wrong with it.
   */
  once<T extends object>(name: string, before: ReadBefore<T>, read: (fields: Fields, name: string) => T): T {
    const tape = this.#value;
    const cell = tape instanceof Tape ? tape.find(this.#cell, name) : -1;
    if (!(tape instanceof Tape) || cell < 0) return read(this, name);
    const known = before.find(tape.input, tape.start(cell), tape.end(cell));
    if (known !== undefined) return known;
    const { complaints } = tape;
    const value = read(this, name);
    if (tape.complaints === complaints) before.keep(tape.input, tape.start(cell), tape.end(cell), value);
    return value;
  }

  /** The entries of an object with free names, sorted by name, each value as it is. */
  entries(name: string): readonly (readonly [string, Json])[] {
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.object) return entriesOnTape(this.#value, cell);
    }
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

  #child(value: JsonObject | Tape, cell: number, name: string): Fields {
    return new Fields(value, cell, { parent: this.#way, segment: name }, this.#complain);
  }
}

function textsOf(fields: Fields, name: string): ReadonlyMap<string, string> {
  const entries = fields.entries(name);
  if (entries.length === 0) return noTexts;
  const map = new Map<string, string>();
  for (const [key, value] of entries) {
    if (typeof value === "string") map.set(key, value);
    else fields.problem(`${name}.${key}`, `a text was expected, not ${typeName(value)}`);
  }
  return map;
}

function rawOnTape(tape: Tape, cell: number): Json | undefined {
  return cell < 0 ? undefined : (tapeJson(tape, cell) ?? undefined);
}

function entriesOnTape(tape: Tape, object: number): readonly (readonly [string, Json])[] {
  const found: (readonly [string, Json])[] = [];
  let before = "";
  for (let cell = tape.first(object); cell < tape.next(object); cell = tape.next(cell)) {
    const key = tape.name(cell);
    // Servers write them in order, and each once.
    if (key <= before) return sortedOnTape(tape, object);
    before = key;
    const element = tapeJson(tape, cell);
    if (element !== null) found.push([key, element]);
  }
  return found;
}

function sortedOnTape(tape: Tape, object: number): readonly (readonly [string, Json])[] {
  const found: (readonly [string, Json])[] = [];
  for (const [key, cell] of tape.fields(object)) {
    const element = tapeJson(tape, cell);
    if (element !== null) found.push([key, element]);
  }
  return found;
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

export function isWireObject(value: Json | undefined): value is WireObject {
  return (
    isJsonObject(value) &&
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isJsonObject(value["metadata"])
  );
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
