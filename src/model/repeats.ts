import type { Problem } from "../base/problem.ts";
import type { WireObject } from "../wire/snapshot.ts";
import type { ObjectKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";

/** Notices objects that come twice and differ: the later one is used, and that is a problem. */
export class Repeats {
  readonly #seen = new Map<ObjectKey, string>();
  readonly #problems: Problem[];

  constructor(problems: Problem[]) {
    this.#problems = problems;
  }

  see(meta: Meta, object: WireObject): void {
    const print = fingerprint(object);
    const before = this.#seen.get(meta.key);
    this.#seen.set(meta.key, print);
    if (before === undefined || before === print) return;
    const { kind, namespace, name } = meta.ref;
    const label = namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
    this.#problems.push({
      ...meta.source,
      path: "",
      message: `${label} comes more than once with different content; this later one is used`,
    });
  }
}

/** A server numbers every change, so its objects need no look at their content; manifests are compared by a hash. */
function fingerprint(object: WireObject): string {
  const version = object.metadata["resourceVersion"];
  return typeof version === "string" && version !== "" ? version : hash(JSON.stringify(object));
}

/** 53 bits, by two multiplicative hashes side by side. */
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
