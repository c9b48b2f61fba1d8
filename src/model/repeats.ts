import type { Problem, Source } from "../base/problem.ts";
import type { Fields } from "../wire/fields.ts";
import type { AlikePod } from "../wire/snapshot.ts";
import { Column } from "./column.ts";
import { type ObjectKey, type ObjectRef, type PodKey, podOfKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import type { PodRows } from "./pod-rows.ts";

/** What is remembered of an object to know it again. */
interface Print {
  readonly uid: string;
  /** resourceVersion of a server's object, a hash of anything else. */
  readonly mark: string;
  readonly isVersion: boolean;
}

/** What is remembered of every object that is no pod. */
export interface SeenObject extends Print {
  readonly ref: ObjectRef;
  readonly source: Source;
}

/** The prints of pods by place: as numbers of those that are told as alike, which are too many for texts. */
class PodPrints {
  readonly #uids = Column.ofWhole(4);
  /** NaN: the print is among the others. */
  readonly #versions = Column.ofAny(1);
  readonly #others = new Map<number, Print>();

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
    return printOfNumbers(
      [0, 1, 2, 3].map((word) => this.#uids.get(place, word)),
      version,
    );
  }
}

function printOfNumbers(uid: Iterable<number>, version: number): Print {
  const words = [...uid].map((word) => (word >>> 0).toString(16).padStart(8, "0"));
  return { uid: dashed(words.join("")), mark: String(version), isVersion: true };
}

function dashed(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Notices objects that come twice. Two readings of one server's object at different times are no problem: the newer one
 * counts. Otherwise the later one is used, and when they differ that is a problem.
 */
export class Repeats {
  readonly #seen = new Map<ObjectKey, SeenObject>();
  readonly #pods: PodRows;
  readonly #ofPods = new PodPrints();
  readonly #problems: Problem[];

  constructor(problems: Problem[], pods: PodRows) {
    this.#problems = problems;
    this.#pods = pods;
  }

  /** Objects that are no pods, as they count. */
  get seen(): ReadonlyMap<ObjectKey, SeenObject> {
    return this.#seen;
  }

  /** True when this one is to be used; a pod has to be added to the pods then. */
  see(meta: Meta, fields: Fields): boolean {
    const pod = podOfKey(meta.key);
    return pod === null ? this.#seeObject(meta, fields) : this.#seePod(pod, meta, fields);
  }

  #seeObject(meta: Meta, fields: Fields): boolean {
    const { mark, isVersion } = markOf(fields);
    const object: SeenObject = { ref: meta.ref, source: meta.source, uid: meta.uid, mark, isVersion };
    const before = this.#seen.get(meta.key);
    if (before !== undefined && isOlder(object, before)) return false;
    this.#seen.set(meta.key, object);
    if (before !== undefined) this.#compare(object, before, meta);
    return true;
  }

  #seePod(pod: PodKey, meta: Meta, fields: Fields): boolean {
    const print: Print = { uid: meta.uid, ...markOf(fields) };
    const place = this.#pods.placeOf(pod);
    const before = place < 0 ? undefined : this.#ofPods.of(place);
    if (before !== undefined && isOlder(print, before)) return false;
    this.#ofPods.put(place < 0 ? this.#pods.count : place, print);
    if (before !== undefined) this.#compare(print, before, meta);
    return true;
  }

  /** As see, for a pod that is told as alike. `place`: where a pod of its name is; -1: nowhere. */
  seeAlike(place: number, values: AlikePod, source: Source): boolean {
    if (place < 0) {
      this.#ofPods.putAlike(this.#pods.count, values);
      return true;
    }
    const before = this.#ofPods.of(place);
    const print = printOfNumbers(values.uid, values.version);
    if (before !== undefined && isOlder(print, before)) return false;
    const slash = values.key.indexOf("/");
    const ref = { kind: "Pod", namespace: values.key.slice(0, slash), name: values.key.slice(slash + 1) };
    if (before !== undefined) this.#compare(print, before, { ref, source });
    this.#ofPods.putAlike(place, values);
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
function isOlder(print: Print, other: Print): boolean {
  if (print.uid === "" || print.uid !== other.uid) return false;
  if (!print.isVersion || !other.isVersion) return false;
  return wholeNumber.test(print.mark) && wholeNumber.test(other.mark) && BigInt(print.mark) < BigInt(other.mark);
}

const wholeNumber = /^\d{1,30}$/;

/** A server numbers every change, so its objects need no look at their content; manifests are compared by a hash. */
function markOf(fields: Fields): Pick<Print, "mark" | "isVersion"> {
  const version = fields.object("metadata").raw("resourceVersion");
  return typeof version === "string" && version !== ""
    ? { mark: version, isVersion: true }
    : { mark: hash(JSON.stringify(fields.wire)), isVersion: false };
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
