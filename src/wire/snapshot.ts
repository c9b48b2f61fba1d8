import type { Problem, Source } from "../base/problem.ts";
import type { Tape } from "./tape.ts";

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
  /**
   * The same objects in the same order, told one by one, with pods that are like an earlier one told as such. Missing:
   * iterating is the only way.
   */
  readonly tell?: (listener: SnapshotListener) => void;
  /** What was made of the same objects when they were saved; null or missing: there is nothing to use. */
  readonly saved?: () => Saved | null;
}

/**
 * Who is told of objects for a model, each in one of three ways. The first two answer the number by which later pods that
 * are like this one are told; -1: there will be none.
 */
export interface SnapshotListener {
  item(item: SnapshotItem): number;
  /**
   * An object of a server, of one of the kinds there are many of, that nobody has parsed. It is as read, with nothing taken
   * out, and overwritten by the next. Missing: such ones are items too.
   */
  onTape?(tape: Tape, source: Source): number;
  /** A pod that is the one of that number, but for these values. They are overwritten by the next. */
  alike(pattern: number, values: AlikePod, source: Source): void;
}

/** What distinguishes pods that are alike; where the pattern has no such field, its value here says nothing. */
export interface AlikePod {
  /** `namespace/name`. */
  readonly key: string;
  /** The uid's 128 bits, of which an earlier object of this name is known again. */
  readonly uid: Uint32Array;
  /** The resourceVersion: a whole number that a double holds exactly. */
  readonly version: number;
  readonly nodeName: string;
  /** The node that the pod's only matchFields requirement names, as pods of DaemonSets have it. */
  readonly ownNode: string;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  readonly readyAtMs: number;
  readonly scheduledAtMs: number;
  readonly restarts: number;
  /** Names of resourceClaimStatuses, in order. */
  readonly claimNames: readonly string[];
}

export interface Saved {
  readonly model: Written;
  /** What was found in the model; null: nothing yet. */
  readonly known: Written | null;
}

/** What a codec wrote, so that each part of it can be read by itself. */
export interface Written {
  /** Every text, one after the other. */
  readonly text: string;
  /** Where each of them begins, and at last where the last one ends. */
  readonly starts: Int32Array;
  readonly numbers: Uint8Array;
  /** Where each record begins among the numbers. */
  readonly records: Int32Array;
  /** Numbers of which there is one for each of many things. */
  readonly columns: readonly (Int32Array | Float64Array)[];
}
