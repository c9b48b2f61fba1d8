import { byCodeUnit } from "../base/ordering.ts";
import { listedAtMost } from "../base/words.ts";
import type { Cluster } from "./cluster.ts";

type NotSeen = Cluster["notSeen"][number];

/**
 * Pods of a running cluster that the input leaves out: of namespaces whose workloads say that some run, or of all but one
 * namespace (there is no cluster without pods of its own in kube-system). Manifests say neither when they were made nor what runs.
 */
export function podsNotSeen(
  { nodes, pods }: Pick<Cluster, "nodes" | "pods">,
  running: ReadonlySet<string>,
): readonly NotSeen[] {
  const seen = new Set<string>();
  for (const { namespace } of pods) seen.add(namespace);
  const missing = [...running].filter((namespace) => !seen.has(namespace)).sort(byCodeUnit);
  if (missing.length > 0) {
    const of = `${missing.length === 1 ? "namespace" : "namespaces"} ${listedAtMost(missing, 5)}`;
    return [{ resource: "pods", why: `the input has none of ${of}, whose workloads say that some run` }];
  }
  const [only] = seen;
  const [first] = pods;
  const isOfCluster =
    first != null && first.createdAtMs !== null && nodes.some(({ createdAtMs }) => createdAtMs !== null);
  if (seen.size !== 1 || only === "kube-system" || !isOfCluster) return [];
  return [{ resource: "pods", why: `the input has those of namespace ${only} alone` }];
}
