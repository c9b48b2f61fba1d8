import type { Cluster } from "../../model/cluster.ts";
import { Journal } from "../../sim/journal.ts";
import { Ledger } from "../../sim/ledger.ts";
import { Rooms } from "./rooms.ts";

/** A cluster as it stands before anything is done to it: only to be read. */
export interface Standing {
  readonly view: Ledger;
  readonly rooms: Rooms;
}

/** The same for every question about one cluster. */
export function standingOf(cluster: Cluster): Standing {
  const before = known.get(cluster);
  if (before !== undefined) return before;
  const view = new Ledger(cluster, new Journal());
  const standing = { view, rooms: new Rooms(view) };
  known.set(cluster, standing);
  return standing;
}

const known = new WeakMap<Cluster, Standing>();
