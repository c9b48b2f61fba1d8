import type { Cluster } from "../../model/cluster.ts";
import { asItStands } from "../../sim/as-it-stands.ts";
import type { Ledger } from "../../sim/ledger.ts";
import { type Coupling, couplingOf } from "../part/coupling.ts";
import { Rooms } from "./rooms.ts";
import { isSettled } from "./settled.ts";

/** A cluster as it stands before anything is done to it: only to be read. */
export interface Standing {
  readonly view: Ledger;
  readonly rooms: Rooms;
  readonly coupling: Coupling;
  /** Nothing but what is done to them moves or adds a pod. */
  readonly settled: boolean;
}

/** The same for every question about one cluster. */
export function standingOf(cluster: Cluster): Standing {
  const before = known.get(cluster);
  if (before !== undefined) return before;
  const view = asItStands(cluster);
  let coupling: Coupling | null = null;
  const standing: Standing = {
    view,
    rooms: new Rooms(view),
    settled: isSettled(view),
    // Looks at all pairs of templates: only where parts are played.
    get coupling() {
      coupling ??= couplingOf(view);
      return coupling;
    },
  };
  known.set(cluster, standing);
  return standing;
}

const known = new WeakMap<Cluster, Standing>();
