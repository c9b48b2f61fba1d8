import type { Cluster } from "../model/cluster.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";

/** A cluster before anything is done to it: one ledger for all who only read it. */
export function asItStands(cluster: Cluster): Ledger {
  let ledger = known.get(cluster);
  if (ledger === undefined) {
    ledger = new Ledger(cluster, new Journal());
    known.set(cluster, ledger);
  }
  return ledger;
}

const known = new WeakMap<Cluster, Ledger>();
