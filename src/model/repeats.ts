import type { Problem, Source } from "../base/problem.ts";
import type { Fields } from "../wire/fields.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import type { Viewed } from "../wire/viewed.ts";
import { Column } from "./column.ts";
import { namespacedName, type ObjectKey, type ObjectRef, podKind } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import { PlaceTable } from "./place-table.ts";
import type { PodRows } from "./pod-rows.ts";
import type { Uids } from "./uids.ts";

/** What is remembered of an object to know it again. */
interface Print {
  /** Its number; 0: it has none. */
  readonly uid: number;
  /** resourceVersion of a server's object, as a number where it is plainly one; a hash of anything else. */
  readonly mark: number | string;
  readonly isVersion: boolean;
}

/** What is remembered of every object that is no pod. */
export interface SeenObject extends Print {
  readonly ref: ObjectRef;
  readonly key: ObjectKey;
  readonly source: Source;
}

/** The prints of pods by place: as numbers of those that are told as alike, which are too many for objects. */
class PodPrints {
  readonly #knownUids: Uids;
  readonly #uids = Column.ofWhole(4);
  /** NaN: the print is among the others. */
  readonly #versions = Column.ofAny(1);
  readonly #others = new Map<number, Print>();

  constructor(uids: Uids) {
    this.#knownUids = uids;
  }

  put(place: number, print: Print): void {
    this.#versions.set(place, 0, Number.NaN);
    this.#others.set(place, print);
  }

  putAlike(place: number, { uid, version }: AlikePod): void {
    for (let word = 0; word < 4; word += 1) this.#uids.set(place, word, uid[word] ?? 0);
    this.#versions.set(place, 0, version);
  }

  of(place: number): Print | undefined {
    const version = this.#versions.get(place, 0);
    if (Number.isNaN(version)) return this.#others.get(place);
    const uid = Uint32Array.of(...[0, 1, 2, 3].map((word) => this.#uids.get(place, word)));
    return { uid: this.#knownUids.ofWords(uid), mark: version, isVersion: true };
  }
}

/**
 * Notices objects that come twice. Two readings of one server's object at different times are no problem: the newer one
 * counts. Otherwise the later one is used, and when they differ that is a problem.
 */
export class Repeats {
  readonly #objects: SeenObject[] = [];
  readonly #places = new PlaceTable((place) => this.#objects[place]?.key ?? "");
  readonly #pods: PodRows;
  readonly #uids: Uids;
  readonly #ofPods: PodPrints;
  readonly #problems: Problem[];

  constructor(problems: Problem[], pods: PodRows, uids: Uids) {
    this.#problems = problems;
    this.#pods = pods;
    this.#uids = uids;
    this.#ofPods = new PodPrints(uids);
  }

  /** Objects that are no pods, as they count. */
  get objects(): readonly SeenObject[] {
    return this.#objects;
  }

  /** The object of that key, which is no pod's. */
  get(key: ObjectKey): SeenObject | undefined {
    const place = this.#places.find(key);
    return place < 0 ? undefined : this.#objects[place];
  }

  /** True when this one is to be used; a pod has to be added to the pods then. */
  see(meta: Meta, fields: Fields): boolean {
    return meta.kindKey === podKind ? this.#seePod(meta, fields) : this.#seeObject(meta, fields);
  }

  #seeObject(meta: Meta, fields: Fields): boolean {
    const { mark, isVersion } = markOf(fields);
    const { ref, key, source, uid } = meta;
    const object: SeenObject = { ref, key, source, uid, mark, isVersion };
    const place = this.#places.claim(key, this.#objects.length);
    const before = place < this.#objects.length ? this.#objects[place] : undefined;
    if (before !== undefined && isOlder(object, before)) return false;
    this.#objects[place] = object;
    if (before !== undefined) this.#compare(object, before, meta);
    return true;
  }

  #seePod(meta: Meta, fields: Fields): boolean {
    const print: Print = { uid: meta.uid, ...markOf(fields) };
    const { count } = this.#pods;
    const place = this.#pods.claim(namespacedName(meta.ref.namespace, meta.ref.name));
    const before = place < count ? this.#ofPods.of(place) : undefined;
    if (before !== undefined && isOlder(print, before)) return false;
    this.#ofPods.put(place, print);
    if (before !== undefined) this.#compare(print, before, meta);
    return true;
  }

  /** As see, for a pod that is told as alike. */
  seeAlike(values: AlikePod, source: Source): boolean {
    const { count } = this.#pods;
    const place = this.#pods.claim(values.key);
    if (place < count && !this.#seeAlikeAgain(place, values, source)) return false;
    this.#ofPods.putAlike(place, values);
    return true;
  }

  #seeAlikeAgain(place: number, values: AlikePod, source: Source): boolean {
    const before = this.#ofPods.of(place);
    if (before === undefined) return true;
    const print: Print = { uid: this.#uids.ofWords(values.uid), mark: values.version, isVersion: true };
    if (isOlder(print, before)) return false;
    const slash = values.key.indexOf("/");
    const ref = { kind: "Pod", namespace: values.key.slice(0, slash), name: values.key.slice(slash + 1) };
    this.#compare(print, before, { ref, source });
    return true;
  }

  #compare(print: Print, before: Print, { ref, source }: Repeated): void {
    if (before.mark === print.mark || isOlder(before, print)) return;
    const label = ref.namespace === "" ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
    this.#problems.push({
      ...source,
      path: "",
      message: `${label} comes more than once with different content; this later one is used`,
    });
  }
}

interface Repeated {
  readonly ref: Omit<ObjectRef, "apiVersion">;
  readonly source: Source;
}

/** The same object of the same server, read earlier. */
function isOlder({ uid, mark, isVersion }: Print, other: Print): boolean {
  if (uid === 0 || uid !== other.uid || !isVersion || !other.isVersion) return false;
  if (typeof mark === "number" && typeof other.mark === "number") return mark < other.mark;
  const [own, others] = [String(mark), String(other.mark)];
  return wholeNumber.test(own) && wholeNumber.test(others) && BigInt(own) < BigInt(others);
}

const wholeNumber = /^\d{1,30}$/;

/** A server numbers every change, so its objects need no look at their content; manifests are compared by a hash. */
function markOf(fields: Fields): Pick<Print, "mark" | "isVersion"> {
  const metadata = fields.object("metadata");
  const plain = metadata.ofPlain("resourceVersion", plainVersion);
  if (plain !== null) return { mark: plain, isVersion: true };
  const version = metadata.raw("resourceVersion");
  if (typeof version !== "string" || version === "")
    return { mark: hash(JSON.stringify(fields.wire)), isVersion: false };
  return { mark: plainNumber.test(version) ? Number(version) : version, isVersion: true };
}

/** What a double holds exactly, and is written in one way. */
const plainNumber = /^(?:0|[1-9]\d{0,14})$/;

/** As plainNumber, of bytes; null: it is another one. */
function plainVersion({ bytes }: Viewed, start: number, end: number): number | null {
  const length = end - start;
  if (length === 0 || length > 15 || (length > 1 && bytes[start] === 0x30)) return null;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return null;
    number = 10 * number + digit;
  }
  return number;
}

/** Two multiplicative hashes side by side, and the length. */
function hash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return `${high >>> 0}-${low >>> 0}-${text.length}`;
}
