import { loadText } from "../../src/load/from-files.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";

/**
 * A cluster from YAML. Throws with every problem in it, so that a typing error in a test does not quietly test something
 * else; `problemsAllowed` is for tests of the problems themselves.
 */
export function clusterFrom(yaml: string, { problemsAllowed = false } = {}): Cluster {
  const cluster = buildCluster(loadText(yaml, "test.yaml"));
  if (problemsAllowed || cluster.problems.length === 0) return cluster;
  const lines = cluster.problems.map((each) => `  line ${each.line}: ${each.path}: ${each.message}`);
  throw new Error(`the test's cluster has problems:\n${lines.join("\n")}`);
}
