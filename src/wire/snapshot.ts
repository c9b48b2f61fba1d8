import type { Problem, Source } from "../base/problem.ts";

/** Any JSON value read from outside. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [field: string]: Json | undefined;
}

/** An object as it travels: enough is known to file it; everything else is looked at through guards. */
export interface WireObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

export interface SnapshotItem {
  readonly object: WireObject;
  readonly source: Source;
  /** The line of a field inside the object, by its path; missing or null where only the object's line is known. */
  readonly lineOf?: (path: string) => number | null;
}

/** A cluster as read from outside, once: wire objects with where they came from, and what went wrong on the way. */
export interface Snapshot extends Iterable<SnapshotItem> {
  /** What a person would call it: a path, a context's name. */
  readonly source: string;
  /** gitVersion of the server; "" when unknown (files): then the nodes' kubelets tell. */
  readonly serverVersion: string;
  readonly problems: readonly Problem[];
  readonly notSeen: readonly { readonly resource: string; readonly why: string }[];
  readonly secretsDropped: number;
}
