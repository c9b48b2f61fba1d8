import { loadText } from "../../src/load/from-files.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";

/** The cluster of these objects, read as a file. */
export function built(objects: readonly WireObject[]): Cluster {
  const lines = objects.map((object) => JSON.stringify(object));
  return buildCluster(loadText(lines.join("\n"), "made-up.ndjson"));
}
