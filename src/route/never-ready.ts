import type { Cluster } from "../model/cluster.ts";
import { newestMs } from "../model/newest.ts";
import type { Pod } from "../model/pod.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import type { Part } from "../systems/facts.ts";

/** Starts that take longer are not learnt from either: whoever runs for so long and is not Ready waits for something else. */
const longMs = 3_600_000;

/**
 * Pods of a part that have been on their node for long and are not Ready: a standby of an election nobody told of, sick, or their image cannot be had. The
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
      what: `${first.key}${others} was on its node for more than an hour and ${more.length === 0 ? "is" : "are"} not Ready`,
      ref: `${kind} ${namespace}/${name}`,
      couldChange: "whether new pods like it turn Ready",
    },
  ];
}

function hasWaitedLong(pod: Pod, nowMs: number): boolean {
  const { phase, nodeName, ready, deleting, startedAtMs, scheduledAtMs } = pod;
  const since = startedAtMs ?? scheduledAtMs;
  const isThere = phase === "Running" || (phase === "Pending" && nodeName !== "");
  return isThere && !ready && !deleting && since !== null && nowMs - since > longMs;
}
