import type { Cluster } from "../model/cluster.ts";
import type { Pod } from "../model/pod.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { Part } from "../systems/facts.ts";

/** Starts that take longer are not learnt from either: whoever runs for so long and is not Ready waits for something else. */
const longMs = 3_600_000;

/**
 * Pods of a part that have been running for long and are not Ready: a standby of an election nobody told of, or sick. The
 * play lets new pods of the same template turn Ready, which is then no proof. `elects`: it is known that only a leader is Ready.
 */
export function neverReadyOf(cluster: Cluster, part: Part, elects: boolean): Endpoint["notModelled"] {
  if (elects) return [];
  const [first, ...more] = part.pods.filter((pod) => hasWaitedLong(pod, newestMs(cluster)));
  if (first === undefined) return [];
  const { kind, namespace, name } = part.workload.ref;
  const others = more.length === 0 ? "" : ` and ${more.length} more of it`;
  return [
    {
      what: `${first.key}${others} ran for more than an hour and ${more.length === 0 ? "is" : "are"} not Ready`,
      ref: `${kind} ${namespace}/${name}`,
      couldChange: "whether new pods like it turn Ready",
    },
  ];
}

function hasWaitedLong(pod: Pod, nowMs: number): boolean {
  const { phase, ready, deleting, startedAtMs, scheduledAtMs } = pod;
  const since = startedAtMs ?? scheduledAtMs;
  return phase === "Running" && !ready && !deleting && since !== null && nowMs - since > longMs;
}

/** When the input was taken, as far as it tells. */
function newestMs(cluster: Cluster): number {
  let newest = known.get(cluster);
  if (newest === undefined) {
    newest = latest(cluster);
    known.set(cluster, newest);
  }
  return newest;
}

/** Asked for every pod of a path. */
const known = new WeakMap<Cluster, number>();

function latest(cluster: Cluster): number {
  let newest = 0;
  for (const { createdAtMs, scheduledAtMs, startedAtMs, readyAtMs } of cluster.pods)
    newest = Math.max(newest, createdAtMs ?? 0, scheduledAtMs ?? 0, startedAtMs ?? 0, readyAtMs ?? 0);
  for (const { createdAtMs } of cluster.workloads.values()) newest = Math.max(newest, createdAtMs ?? 0);
  return newest;
}
