import type { Cluster } from "../model/cluster.ts";
import type { ClusterView } from "../model/view.ts";
import type { Edit } from "./edit.ts";
import type { KeptObjects } from "./kept-objects.ts";
import type { Site } from "./site.ts";

/** What remedies may look at. */
export interface Bench {
  readonly cluster: Cluster;
  readonly view: ClusterView;
  readonly kept: KeptObjects;
  /** Units a site would have after the changes proposed with this one. */
  unitsAfter(site: Site): number;
  /** Parts that are changed beside this one, and it, always in the same order. */
  readonly changed: readonly Site[];
}

/** One way to change a site; several together make a recipe. */
export interface Remedy {
  readonly name: string;
  /** What it does, for a person: half a line. */
  readonly title: string;
  /** The edits; empty: nothing to change, or no place where it would hold. */
  propose(site: Site, bench: Bench): readonly Edit[];
}

export function remedy(definition: Remedy): Remedy {
  return definition;
}
