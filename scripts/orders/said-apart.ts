import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import { caseNamed } from "./cases.ts";
import { clusterOf, poolsAsked, type Said, saidOf } from "./said.ts";

interface Wanted {
  readonly items: readonly JsonObject[];
  readonly pool: string;
  readonly name: string;
}

/**
 * What is said of a pool, in a thread of its own: the stand-in for the kubelets lives in the one that asks, and nodes whose leases are not
 * renewed meanwhile would be taken for lost.
 */
export function saidApart(wanted: Wanted): Promise<Said | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: wanted });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

if (!isMainThread) {
  const { items, pool, name }: Wanted = workerData;
  const { asked } = caseNamed(name);
  const cluster = clusterOf(items);
  const found = poolsAsked(cluster, asked).find((one) => one.name === pool);
  parentPort?.postMessage(found === undefined ? null : saidOf(cluster, found, asked));
}
