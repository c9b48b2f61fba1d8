import type { Problem } from "../base/problem.ts";
import type { WireObject } from "../wire/snapshot.ts";
import type { ObjectKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";

/** What is remembered of an object to know it again. */
interface Print {
  readonly uid: string;
  /** resourceVersion of a server's object, a hash of anything else. */
  readonly mark: string;
  /** The resourceVersion as a number; null when there is none. */
  readonly version: bigint | null;
}

/**
 * Notices objects that come twice. Two readings of one server's object at different times are no problem: the newer one
 * counts. Otherwise the later one is used, and when they differ that is a problem.
 */
export class Repeats {
  readonly #seen = new Map<ObjectKey, Print>();
  readonly #problems: Problem[];

  constructor(problems: Problem[]) {
    this.#problems = problems;
  }

  /** True when this one is to be used. */
  see(meta: Meta, object: WireObject): boolean {
    const print = printOf(meta, object);
    const before = this.#seen.get(meta.key);
    if (before !== undefined && isOlder(print, before)) return false;
    this.#seen.set(meta.key, print);
    if (before !== undefined && before.mark !== print.mark && !isOlder(before, print)) this.#complain(meta);
    return true;
  }

  #complain({ ref, source }: Meta): void {
    const label = ref.namespace === "" ? `${ref.kind} ${ref.name}` : `${ref.kind} ${ref.namespace}/${ref.name}`;
    this.#problems.push({
      ...source,
      path: "",
      message: `${label} comes more than once with different content; this later one is used`,
    });
  }
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
