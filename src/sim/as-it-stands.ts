import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";

/** A cluster before anything is done to it: one ledger for all who only read it. */
export function asItStands(cluster: Cluster): Ledger {
  return underKey(known, cluster, () => new Ledger(cluster, new Journal()));
}

const known = new WeakMap<Cluster, Ledger>();
