import type { Actor } from "../../src/maintenance/actor.ts";
import type { Part } from "./part.ts";

/**
 * One thing about one part of a cluster that is set up well, made wrong: exactly one finding more than before. It is tried on
 * every part of every cluster it can be about.
 */
export interface Twin {
  /** `no-budget/unguarded`, as in the registry. */
  readonly id: string;
  readonly about: string;
  /** Of the one finding more. */
  readonly severity: "error" | "warning" | "note";
  /** The name of its component; default the part's own. */
  readonly component?: (part: Part) => string;
  /** Whether it can be about this part. */
  readonly on: (part: Part) => boolean;
  /** Once a cluster is enough: it is not about the part. */
  readonly once?: boolean;
  /** Where it is about no part of a cluster, one of these is so; else none is. */
  readonly unless: readonly Excuse[];
  /** What the change needs to be there; the cluster is set up as well with it. */
  readonly prepare?: (part: Part) => void;
  /** One line, and what the controllers make of it. */
  readonly change: (part: Part) => void;
  /** Findings that cannot but follow, and why. */
  readonly also?: readonly {
    readonly line: (part: Part) => readonly string[];
    readonly because: string;
    readonly on?: (part: Part) => boolean;
  }[];
  /** Who maintains the nodes; default nobody is known. */
  readonly maintainer?: Actor;
}

/** Why a rule can be about no part of a cluster, and whether that is true of it. */
export interface Excuse {
  readonly reason: string;
  readonly isSo: (parts: readonly Part[]) => boolean;
}

/** Any part will do: every cluster has one. */
export const none: readonly Excuse[] = [];
