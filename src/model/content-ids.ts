import { none } from "../base/none.ts";
import { byCodeUnit } from "../base/ordering.ts";

/**
 * Numbers for plain values (texts, numbers, lists, maps, objects with fields): two have the same number exactly when their
 * content is the same, whatever the order of fields and of a map's entries. Parts that come again (labels, resources,
 * containers) are looked at as a whole by their number, so that this is far cheaper than comparing texts of it all.
 */
export class ContentIds {
  /** Texts, numbers, true and the like; their numbers are odd. */
  readonly #atoms = new Map<unknown, number>();
  /** Values whose number was asked to be remembered. */
  readonly #remembered = new Map<unknown, number>();
  /** Lengths and parts of everything that has parts; the place of one is its number, twice. */
  #pool = new Int32Array(1 << 12);
  #poolEnd = 1;
  /** Places in the pool by hash; 0: free. */
  #table = new Int32Array(1 << 11);
  #tableUsed = 0;
  /** Parts of what is being looked at, of outer values first. */
  readonly #stack: number[] = [];

  of(value: unknown): number {
    if (typeof value !== "object" || value === null) return this.#atom(value);
    const known = this.#remembered.get(value);
    if (known !== undefined) return known;
    const from = this.#stack.length;
    if (Array.isArray(value)) this.#pushList(value);
    else if (value instanceof Map) this.#pushMap(value);
    else this.#pushFields(value);
    const id = this.#find(from);
    this.#stack.length = from;
    return id;
  }

  /** As of; asked again of the same object, it needs no look at it. The object must not change, and is kept. */
  remember(value: object): number {
    const id = this.of(value);
    this.#remembered.set(value, id);
    return id;
  }

  #atom(value: unknown): number {
    const known = this.#atoms.get(value);
    if (known !== undefined) return known;
    const id = 2 * this.#atoms.size + 1;
    this.#atoms.set(value, id);
    return id;
  }

  #pushList(list: readonly unknown[]): void {
    this.#stack.push(kinds.list);
    for (const element of list) this.#stack.push(this.of(element));
  }

  #pushMap(map: ReadonlyMap<unknown, unknown>): void {
    this.#stack.push(kinds.map);
    for (const [key, value] of isSorted(map) ? map : sorted(map)) this.#stack.push(this.#atom(key), this.of(value));
  }

  #pushFields(object: object): void {
    const stack = this.#stack;
    stack.push(kinds.fields);
    const from = stack.length;
    let before = 0;
    let isOrdered = true;
    if (!hasFields(object)) return;
    for (const field in object) {
      const name = this.#atom(field);
      if (name < before) isOrdered = false;
      before = name;
      stack.push(name, this.of(object[field]));
    }
    if (!isOrdered) sortPairs(stack, from);
  }

  /** The number of the parts on the stack from there on. */
  #find(from: number): number {
    const stack = this.#stack;
    let hash = stack.length - from;
    for (let at = from; at < stack.length; at += 1)
      hash = Math.imul(hash ^ (stack[at] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    const mask = this.#table.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    for (let place = this.#table[slot] ?? 0; place !== 0; place = this.#table[slot] ?? 0) {
      if (this.#isAt(place, from)) return 2 * place;
      slot = (slot + 1) & mask;
    }
    const place = this.#add(from);
    this.#table[slot] = place;
    this.#tableUsed += 1;
    if (2 * this.#tableUsed > this.#table.length) this.#grow();
    return 2 * place;
  }

  #isAt(place: number, from: number): boolean {
    const length = this.#stack.length - from;
    if (this.#pool[place] !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#pool[place + 1 + at] !== this.#stack[from + at]) return false;
    return true;
  }

  #add(from: number): number {
    const length = this.#stack.length - from;
    while (this.#poolEnd + length + 1 > this.#pool.length) this.#pool = longer(this.#pool);
    const place = this.#poolEnd;
    this.#pool[place] = length;
    for (let at = 0; at < length; at += 1) this.#pool[place + 1 + at] = this.#stack[from + at] ?? 0;
    this.#poolEnd += length + 1;
    return place;
  }

  #grow(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    this.#tableUsed = 0;
    for (let place = 1; place < this.#poolEnd; ) {
      const length = this.#pool[place] ?? 0;
      this.#settle(place, length);
      place += length + 1;
    }
  }

  /** Puts what is in the pool into the table again. */
  #settle(place: number, length: number): void {
    let hash = length;
    for (let at = 0; at < length; at += 1) {
      hash = Math.imul(hash ^ (this.#pool[place + 1 + at] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    }
    const mask = this.#table.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = place;
    this.#tableUsed += 1;
  }
}

/** Even numbers that no part has: places begin at 1. */
const kinds = { list: 0, map: -2, fields: -4 } as const;

function hasFields(object: object): object is WithFields {
  return !Array.isArray(object);
}

/** Orders the pairs from there on by their first numbers. Objects of one type are mostly written in one order. */
function sortPairs(stack: number[], from: number): void {
  for (let at = from + 2; at < stack.length; at += 2) {
    const name = stack[at] ?? 0;
    const value = stack[at + 1] ?? 0;
    let to = at;
    for (; to > from && (stack[to - 2] ?? 0) > name; to -= 2) {
      stack[to] = stack[to - 2] ?? 0;
      stack[to + 1] = stack[to - 1] ?? 0;
    }
    stack[to] = name;
    stack[to + 1] = value;
  }
}

function longer(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * array.length);
  grown.set(array);
  return grown;
}

function isSorted(map: ReadonlyMap<unknown, unknown>): boolean {
  let before = "";
  for (const key of map.keys()) {
    const text = String(key);
    if (text < before) return false;
    before = text;
  }
  return true;
}

function sorted(map: ReadonlyMap<unknown, unknown>): readonly (readonly [unknown, unknown])[] {
  return [...map].sort((a, b) => byCodeUnit(String(a[0]), String(b[0])));
}

/** Values of one type, of which equal ones become the one that came first. */
export class Same<T extends object> {
  readonly #ids: ContentIds;
  readonly #first = new Map<number, T>();

  constructor(ids: ContentIds) {
    this.#ids = ids;
  }

  of(value: T): T {
    const id = this.#ids.of(value);
    const first = this.#first.get(id);
    if (first !== undefined) return first;
    this.#first.set(id, value);
    this.#ids.remember(value);
    return value;
  }
}

/** True when two plain values have the same content, whatever the order of fields and of a map's entries. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b);
  if (Array.isArray(b)) return false;
  if (a instanceof Map) return b instanceof Map && sameMap(a, b);
  return !(b instanceof Map) && hasFields(a) && hasFields(b) && sameFields(a, b, none);
}

/** As sameContent, of two objects that may differ in these fields. */
export function sameBut<T extends object>(a: T, b: T, fields: readonly (string & keyof T)[]): boolean {
  return a === b || (hasFields(a) && hasFields(b) && sameFields(a, b, fields));
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (!sameContent(a[at], b[at])) return false;
  return true;
}

function sameMap(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined ? !b.has(key) || value !== undefined : !sameContent(value, other)) return false;
  }
  return true;
}

interface WithFields {
  readonly [field: string]: unknown;
}

function sameFields(a: WithFields, b: WithFields, except: readonly string[]): boolean {
  let fields = 0;
  for (const field in a) {
    fields += 1;
    const own = a[field];
    const other = b[field];
    if (own !== other && !except.includes(field) && !sameContent(own, other)) return false;
    if (other === undefined && !Object.hasOwn(b, field)) return false;
  }
  for (const _ in b) fields -= 1;
  return fields === 0;
}
