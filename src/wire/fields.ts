import { none } from "../base/none.ts";
import type { FieldReading } from "./gist.ts";
import type { ReadAlike } from "./read-alike.ts";
import type { ReadBefore } from "./read-before.ts";
import type { Json, JsonObject, WireObject } from "./snapshot.ts";
import { kindOf, Tape } from "./tape.ts";
import { tapeJson } from "./tape-json.ts";
import type { Viewed } from "./viewed.ts";

/** Called with the field's path inside the object and what is wrong there. */
export type Complain = (path: string, message: string) => void;

/** How something is read once for all that are alike. */
export interface Alike<T> {
  readonly before: ReadAlike<T>;
  readonly reading: FieldReading;
  /** What else is looked at. Missing: nothing. */
  readonly besides?: string;
  /** Whether what was read holds for others with the same bytes. Missing: always. */
  readonly isKept?: (value: T) => boolean;
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
  /** Of what it is a field; null: it is the object itself. */
  readonly #parent: Fields | null;
  readonly #name: string;
  /** Of an object of a list; -1: it is the field itself. */
  readonly #index: number;
  readonly #complain: Complain;

  private constructor(
    value: JsonObject | Tape,
    cell: number,
    parent: Fields | null,
    name: string,
    index: number,
    complain: Complain,
  ) {
    this.#value = value;
    this.#cell = cell;
    this.#parent = parent;
    this.#name = name;
    this.#index = index;
    this.#complain = complain;
  }

  static of(value: JsonObject, complain: Complain): Fields {
    return new Fields(value, 0, null, "", -1, complain);
  }

  static onTape(tape: Tape, complain: Complain): Fields {
    return new Fields(tape, Tape.root, null, "", -1, complain);
  }

  get wire(): JsonObject {
    if (!(this.#value instanceof Tape)) return this.#value;
    const json = tapeJson(this.#value, this.#cell);
    return isJsonObject(json) ? json : {};
  }

  /** The same, and what is wrong is not said, because somebody else says it. */
  quietly(): Fields {
    return new Fields(this.#value, this.#cell, this.#parent, this.#name, this.#index, inSilence);
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
    this.#complainAt(name === "" ? this.#way() : this.path(name), message);
  }

  #complainAt(path: string, message: string): void {
    const tape = this.#tapeAround();
    if (tape !== null) tape.complaints += 1;
    this.#complain(path, message);
  }

  /** The tape the object is read on: what is missing has no place there. */
  #tapeAround(): Tape | null {
    for (let at: Fields | null = this; at !== null; at = at.#parent) if (at.#value instanceof Tape) return at.#value;
    return null;
  }

  /** Where this object is, and how to say what is wrong in it, for later: keeps nothing of it. */
  later(): { readonly path: string; readonly complain: Complain } {
    const way = this.#way();
    // Paths are few: each workload has its template at the same one.
    const path = knownPaths.get(way) ?? way;
    if (knownPaths.size < pathsMax) knownPaths.set(path, path);
    return { path, complain: this.#complain };
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

  /** What `read` makes of the bytes of a text of printable ASCII; null: nothing, or it is no such text, or is not on a tape. */
  ofPlain<T>(name: string, read: (input: Viewed, start: number, end: number) => T | null): T | null {
    const tape = this.#value;
    if (!(tape instanceof Tape)) return null;
    const cell = tape.find(this.#cell, name);
    return tape.kind(cell) === kindOf.text ? read(tape.input, tape.start(cell) + 1, tape.end(cell) - 1) : null;
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
    return this.optionalObject(name) ?? this.#child(noFields, 0, name, -1);
  }

  optionalObject(name: string): Fields | null {
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.object) return this.#child(this.#value, cell, name, -1);
    }
    const value = this.raw(name);
    if (value === undefined) return null;
    if (isJsonObject(value)) return this.#child(value, 0, name, -1);
    this.problem(name, `an object was expected, not ${typeName(value)}`);
    return null;
  }

  /**
   * Whether any object of a list has the field, and it is not null: asked before they are looked at one by one. True too of what is
   * no list of objects, so that whoever looks at them says so.
   */
  anyHas(name: string, field: string): boolean {
    if (!(this.#value instanceof Tape)) {
      const objects = this.quietly().objects(name);
      const value = this.raw(name);
      if (!isJsonList(value)) return value !== undefined;
      return objects.length < value.length || objects.some((element) => element.has(field));
    }
    const tape = this.#value;
    const list = tape.find(this.#cell, name);
    if (tape.kind(list) !== kindOf.list) return this.has(name);
    for (let cell = tape.first(list), end = tape.next(list); cell < end; cell = tape.next(cell)) {
      if (tape.kind(cell) !== kindOf.object) return true;
      const found = tape.find(cell, field);
      if (found >= 0 && tape.kind(found) !== kindOf.null) return true;
    }
    return false;
  }

  /** The objects of a list; elements that are none are complained about and left out. */
  objects(name: string): readonly Fields[] {
    if (this.#value instanceof Tape) {
      const cell = this.#value.find(this.#cell, name);
      if (this.#value.kind(cell) === kindOf.list) return this.#objectsOnTape(this.#value, cell, name);
    }
    const list = this.#list(name);
    if (list.length === 0) return none;
    const found: Fields[] = [];
    for (const [index, element] of list.entries()) {
      if (isJsonObject(element)) found.push(this.#child(element, 0, name, index));
      else this.#complainAt(`${this.path(name)}[${index}]`, `an object was expected, not ${typeName(element)}`);
    }
    return found;
  }

  #objectsOnTape(tape: Tape, list: number, name: string): readonly Fields[] {
    const end = tape.next(list);
    if (tape.first(list) === end) return none;
    const found: Fields[] = [];
    for (let cell = tape.first(list), index = 0; cell < end; cell = tape.next(cell), index += 1) {
      if (tape.kind(cell) === kindOf.object) found.push(this.#child(tape, cell, name, index));
      else {
        const type = typeName(tapeJson(tape, cell));
        this.#complainAt(`${this.path(name)}[${index}]`, `an object was expected, not ${type}`);
      }
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
      else this.#complainAt(`${this.path(name)}[${index}]`, `a text was expected, not ${typeName(element)}`);
    }
    return found;
  }

  #textsOnTape(tape: Tape, list: number, name: string): readonly string[] {
    const end = tape.next(list);
    if (tape.first(list) === end) return none;
    const found: string[] = [];
    for (let cell = tape.first(list), index = 0; cell < end; cell = tape.next(cell), index += 1) {
      if (tape.isText(cell)) found.push(tape.text(cell));
      else
        this.#complainAt(`${this.path(name)}[${index}]`, `a text was expected, not ${typeName(tapeJson(tape, cell))}`);
    }
    // A copy: a list that grew has room for many more, and these are kept.
    return found.slice();
  }

  /** A map of texts (labels, selectors), sorted by key. */
  textMap(name: string): ReadonlyMap<string, string> {
    const tape = this.#value;
    if (!(tape instanceof Tape)) return textsOf(this, name);
    const cell = tape.find(this.#cell, name);
    if (cell < 0) return noTexts;
    const number = tape.maps?.numberOf(tape, cell, "whole", "") ?? -1;
    const known = tape.maps?.at(number);
    if (known !== undefined) return known;
    const { complaints } = tape;
    const map = textsOnTape(tape, cell) ?? textsOf(this, name);
    if (tape.complaints === complaints) tape.maps?.keep(number, map);
    return map;
  }

  /** As textMap, of one that hardly another object has: it is not kept to be known again. */
  ownTextMap(name: string): ReadonlyMap<string, string> {
    const tape = this.#value;
    const cell = tape instanceof Tape ? tape.find(this.#cell, name) : -1;
    if (!(tape instanceof Tape) || cell < 0) return this.textMap(name);
    return textsOnTape(tape, cell) ?? textsOf(this, name);
  }

  /**
   * What `read` makes of a field, which must be no matter of anything else; that of a field with the same bytes before is
   * given again, unless something was wrong with it.
   */
  once<T extends object>(name: string, before: ReadBefore<T>, read: (fields: Fields, name: string) => T): T {
    const tape = this.#value;
    const cell = tape instanceof Tape ? tape.find(this.#cell, name) : -1;
    if (!(tape instanceof Tape) || cell < 0) return read(this, name);
    const start = tape.start(cell);
    const end = tape.end(cell);
    const slot = before.slotOf(tape.input, start, end);
    const known = before.find(slot, tape.input, start, end);
    if (known !== undefined) return known;
    const { complaints } = tape;
    const value = read(this, name);
    if (tape.complaints === complaints) before.keep(slot, tape.input, start, end, value);
    return value;
  }

  /**
   * As once, of a field that is the same as one before in all that is read of it, `besides` included: what else `read` looks
   * at. What does not hold for others with the same is not to be kept.
   */
  onceAlike<T extends object>(name: string, alike: Alike<T>, read: (fields: Fields, name: string) => T): T {
    const tape = this.#value;
    const cell = tape instanceof Tape ? tape.find(this.#cell, name) : -1;
    if (!(tape instanceof Tape) || cell < 0) return read(this, name);
    const { before, reading, besides = "", isKept } = alike;
    const number = before.numberOf(tape, cell, reading, besides);
    const known = before.at(number);
    if (known !== undefined) return known;
    const { complaints } = tape;
    const value = read(this, name);
    if (tape.complaints === complaints && isKept?.(value) !== false) before.keep(number, value);
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
    return joined(this.#way(), name);
  }

  /** The path of this object; "" of the whole one. */
  #way(): string {
    if (this.#parent === null) return "";
    const path = this.#parent.path(this.#name);
    return this.#index < 0 ? path : `${path}[${this.#index}]`;
  }

  #list(name: string): readonly Json[] {
    const value = this.raw(name);
    if (value === undefined) return none;
    if (isJsonList(value)) return value;
    this.problem(name, `a list was expected, not ${typeName(value)}`);
    return none;
  }

  #child(value: JsonObject | Tape, cell: number, name: string, index: number): Fields {
    return new Fields(value, cell, this, name, index, this.#complain);
  }
}

/** Null: what stands there is no object, or no texts alone, or not in order: it is looked at as any value then. */
function textsOnTape(tape: Tape, cell: number): ReadonlyMap<string, string> | null {
  if (tape.kind(cell) !== kindOf.object) return null;
  const end = tape.next(cell);
  if (tape.first(cell) === end) return noTexts;
  const map = new Map<string, string>();
  let before = "";
  let isOrdered = true;
  for (let field = tape.first(cell); field < end; field = tape.next(field)) {
    if (!tape.isText(field)) return null;
    const name = tape.name(field);
    // Servers write them in order; others nearly so.
    if (name <= before) {
      if (map.has(name)) return null;
      isOrdered = false;
    }
    before = name;
    map.set(name, tape.text(field));
  }
  return isOrdered ? map : inOrder(map);
}

function inOrder(map: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const ordered = new Map<string, string>();
  for (const name of [...map.keys()].sort()) ordered.set(name, map.get(name) ?? "");
  return ordered;
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

function joined(way: string, name: string): string {
  return way === "" || name === "" ? `${way}${name}` : `${way}.${name}`;
}

function inSilence(): void {}

const knownPaths = new Map<string, string>();
const pathsMax = 16;

const noFields: JsonObject = {};

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

/** What a value is, for a message. */
export function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "object":
      return "an object";
    case "string":
      return `the text ${quoted(value)}`;
    case "number":
      return numberInWords(value);
    default:
      return String(value);
  }
}

/** A number that is too large to be read exactly is not shown: no digit of it would be sure to be what was written. */
function numberInWords(value: number): string {
  const largest = Number.MAX_SAFE_INTEGER;
  if (value > largest) return `a number above ${largest}`;
  return value < -largest ? `a number below -${largest}` : String(value);
}
