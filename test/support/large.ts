import { clusterObjects } from "../../bench/generate/cluster.ts";
import { loadText } from "../../src/load/from-files.ts";
import type { JsonObject, Snapshot } from "../../src/wire/snapshot.ts";
import { poolCluster } from "../search/pool-cluster.ts";
import { readExample } from "./assess.ts";

/** Clusters large enough for their pools not to be played whole, by name. */
export const largeClusters: ReadonlyMap<string, () => Snapshot> = new Map([
  ["made up, with GPUs", () => read([...clusterObjects({ nodes: 60, pods: 1_800, seed: 3 })])],
  [
    "made up, with a few nodes taken one by one",
    () =>
      read(
        poolCluster(5, {
          ...{ nodes: 32, endpoints: 8, others: 1_000, fill: 0.7 },
          ...{ free: 0.5, budgets: 0.5, spread: 0.4, alike: false, kured: true },
        }),
      ),
  ],
  ["an incident among others", () => among("modelplane-incident")],
  ["a budget that holds among others", () => among("openshift-two-replicas")],
]);

export function readLarge(name: string): Snapshot {
  const found = largeClusters.get(name);
  if (found === undefined) throw new RangeError(`no cluster is called ${name}`);
  return found();
}

function among(example: string): Snapshot {
  const others = [...clusterObjects({ nodes: 40, pods: 1_100, seed: 8 })];
  return read([...[...readExample(example)].map(({ object }) => object), ...others]);
}

function read(objects: readonly JsonObject[]): Snapshot {
  return loadText(objects.map((object) => JSON.stringify(object)).join("\n"), "made-up.ndjson");
}
