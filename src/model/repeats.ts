import type { Problem, Source } from "../base/problem.ts";
import type { AlikePod, WireObject } from "../wire/snapshot.ts";
import { type ObjectKey, type ObjectRef, podOfKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import type { PodRows } from "./pod-rows.ts";

/** What is remembered of an object to know it again. */
interface Print {
  readonly uid: string;
  /** resourceVersion of a server's object, a hash of anything else. */
  readonly mark: string;
  /** The resourceVersion as a number; null when there is none. */
  readonly version: bigint | null;
}

/** The print of a pod that is told as alike, as numbers: there are too many for texts. */
class NumberPrints {
  readonly #rows: number[] = [];

  add(uid: Uint32Array, version: number): number {
    const at = this.#rows.length;
    for (const word of uid) this.#rows.push(word | 0);
    this.#rows.push(version);
    return at;
  }

  of(at: number): Print {
    const words = this.#rows.slice(at, at + 4).map((word) => (word >>> 0).toString(16).padStart(8, "0"));
    const version = String(this.#rows[at + 4]);
    return { uid: dashed(words.join("")), mark: version, version: BigInt(version) };
  }
}

function dashed(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Notices objects that come twice. Two readings of one server's object at different times are no problem: the newer one
 * counts. Otherwise the later one is used, and when they differ that is a problem.
 */
export class Repeats {
  readonly #seen = new Map<ObjectKey, Print>();
  readonly #pods: PodRows;
  /** By the pod's place among the pods. */
  readonly #ofPods: (Print | number | undefined)[] = [];
  readonly #numbers = new NumberPrints();
  readonly #problems: Problem[];

  constructor(problems: Problem[], pods: PodRows) {
    this.#problems = problems;
    this.#pods = pods;
  }

  /** True when this one is to be used; a pod has to be added to the pods then. */
  see(meta: Meta, object: WireObject): boolean {
    const print = printOf(meta, object);
    const pod = podOfKey(meta.key);
    const place = pod === null ? -1 : this.#pods.placeOf(pod);
    const before = pod === null ? this.#seen.get(meta.key) : this.#printOf(place);
    if (before !== undefined && isOlder(print, before)) return false;
    if (pod === null) this.#seen.set(meta.key, print);
    else this.#ofPods[place < 0 ? this.#pods.count : place] = print;
    if (before !== undefined) this.#compare(print, before, meta);
    return true;
  }

  /** As see, for a pod that is told as alike. */
  seeAlike(values: AlikePod, source: Source): boolean {
    const number = this.#numbers.add(values.uid, values.version);
    const place = this.#pods.placeOf(values.key);
    if (place < 0) {
      this.#ofPods[this.#pods.count] = number;
      return true;
    }
    const before = this.#printOf(place);
    const print = this.#numbers.of(number);
    if (before !== undefined && isOlder(print, before)) return false;
    const slash = values.key.indexOf("/");
    const ref = { kind: "Pod", namespace: values.key.slice(0, slash), name: values.key.slice(slash + 1) };
    if (before !== undefined) this.#compare(print, before, { ref, source });
    this.#ofPods[place] = number;
    return true;
  }

  #printOf(place: number): Print | undefined {
    const known = this.#ofPods[place];
    return typeof known === "number" ? this.#numbers.of(known) : known;
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
  return print.version !== null && other.version !== null && print.version < other.version;
}

/** A server numbers every change, so its objects need no look at their content; manifests are compared by a hash. */
function printOf(meta: Meta, object: WireObject): Print {
  const version = object.metadata["resourceVersion"];
  if (typeof version !== "string" || version === "") {
    return { uid: meta.uid, mark: hash(JSON.stringify(object)), version: null };
  }
  return { uid: meta.uid, mark: version, version: /^\d{1,30}$/.test(version) ? BigInt(version) : null };
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
