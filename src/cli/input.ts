import type { Report } from "../report/types.ts";
import type { Snapshot } from "../wire/snapshot.ts";
import { ClusterError, UsageError } from "./errors.ts";
import type { Parsed } from "./flags.ts";
import { progressLine } from "./progress.ts";
import type { Shell } from "./shell.ts";

export interface Input {
  readonly snapshot: Snapshot;
  /** Read through an API server. */
  readonly live: boolean;
}

/**
 * The cluster that is asked about: `--from`, else the kubeconfig's. With `once`, it is read but once, and a pipe's bytes are
 * not kept. Throws UsageError, or an error with an exit code.
 */
export async function readInput(parsed: Parsed, shell: Shell, { once }: { readonly once: boolean }): Promise<Input> {
  const paths = parsed.all("from");
  if (paths.length === 0) return readLive(parsed, shell);
  for (const flag of ["context", "kubeconfig"]) {
    if (parsed.has(flag))
      throw new UsageError(`--${flag} does not go with --from: a cluster on disk has no API server`);
  }
  const { loadPaths } = await import("../load/from-files.ts");
  const { defaultLimits } = await import("../load/limits.ts");
  const { MissingInput } = await import("../load/find-files.ts");
  const all = [...paths, ...(parsed.has("nodes") ? [parsed.text("nodes")] : [])];
  try {
    return { snapshot: loadPaths(all, { limits: defaultLimits, once }), live: false };
  } catch (error) {
    if (error instanceof MissingInput) throw new UsageError(error.message);
    throw error;
  }
}

async function readLive(parsed: Parsed, shell: Shell): Promise<Input> {
  if (parsed.has("nodes")) throw new UsageError("--nodes goes with --from: a live cluster has its own nodes");
  const { defaultLiveOptions, loadCluster } = await import("../load/from-cluster.ts");
  const { ClusterNotReachable, KubeconfigProblem } = await import("../api/errors.ts");
  const line = progressLine(shell);
  try {
    const snapshot = await loadCluster({
      ...defaultLiveOptions,
      kubeconfig: parsed.has("kubeconfig") ? parsed.text("kubeconfig") : null,
      context: parsed.has("context") ? parsed.text("context") : null,
      environment: shell.environment,
      namespaces: parsed.all("namespace"),
      onProgress: (resource, objects) => line.draw(`reads ${resource}: ${objects}`),
    });
    return { snapshot, live: true };
  } catch (error) {
    if (error instanceof ClusterNotReachable) throw new ClusterError(error.message);
    if (error instanceof KubeconfigProblem) throw new UsageError(error.message);
    throw error;
  } finally {
    line.clear();
  }
}

/** What a person needs to know when there was next to nothing to judge; "" else. */
export function inputHint(report: Pick<Report, "cluster" | "problems">, input: Input): string {
  if (report.cluster.nodes > 0) return "";
  if (input.live) return "holdfast: the cluster shows no nodes: reading them may not be permitted.\n";
  if (report.cluster.pods > 0)
    return "holdfast: the input has pods but no nodes. Add nodes (`kubectl get nodes -o yaml`), or --nodes FILE for rendered manifests.\n";
  return report.problems.length > 0
    ? "holdfast: no nodes and no pods could be read; the problems in the input say why.\n"
    : "holdfast: the input has no nodes and no pods, so there is nothing to play. --from takes cluster dumps, and rendered manifests together with --nodes FILE.\n";
}
