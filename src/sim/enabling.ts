import { budgetsOf } from "../eviction/budgets-of.ts";
import type { ClusterView, PodView } from "../model/view.ts";
import { electionOf } from "../workload/leader-election.ts";
import type { Ledger } from "./ledger.ts";
import { podsBelow } from "./program.ts";
import { servedWebhooks } from "./served-webhooks.ts";

/**
 * Whether anything at all could go on because this pod turns Ready. For every other pod the worst course is the one in
 * which it is Ready as late as can be: its readiness lets no eviction, no rollout and no new pod happen, and until then
 * every endpoint has at most what it would have. So the untimed question need not try other moments.
 *
 * A pod can let something happen when one of its budgets is refusing an eviction now, when its owner waits for it before the
 * next pod, when an admission webhook is served by it, or when a step waits for it.
 */
export function canEnable(
  ledger: Ledger,
  pod: PodView,
  waits: { readonly refusedPods: ReadonlySet<string>; readonly stepWaits: boolean },
): boolean {
  if (waits.stepWaits) return true;
  return frees(ledger, pod, waits.refusedPods) || ownerWaits(ledger, pod) || servedWebhooks(ledger, pod).length > 0;
}

/**
 * The same, now or at any later moment: whether it can matter that this pod is Ready sooner. Beside what `canEnable` looks at, the
 * first of an election to be Ready leads, wherever it stands.
 */
export function canEnableLater(
  ledger: Ledger,
  pod: PodView,
  ahead: { readonly evicts: boolean; readonly rolls: boolean },
): boolean {
  if (ahead.rolls || ownerWaits(ledger, pod) || servedWebhooks(ledger, pod).length > 0) return true;
  return electionOf(pod) !== null || (ahead.evicts && budgetsOf(ledger, pod).length > 0);
}

function frees(view: ClusterView, pod: PodView, refusedPods: ReadonlySet<string>): boolean {
  if (refusedPods.size === 0) return false;
  const own = new Set(budgetsOf(view, pod).map(({ budget }) => budget.key));
  if (own.size === 0) return false;
  for (const key of refusedPods) {
    const refused = view.pod(key);
    if (refused !== undefined && budgetsOf(view, refused).some(({ budget }) => own.has(budget.key))) return true;
  }
  return false;
}

/** One at a time: ordered StatefulSets, group sets, rollouts with more than one generation of pods. */
function ownerWaits(ledger: Ledger, pod: PodView): boolean {
  const workload = pod.owner === null ? undefined : ledger.workload(pod.owner);
  if (workload === undefined) return false;
  switch (workload.spec.kind) {
    case "StatefulSet":
    case "LeaderWorkerSet":
    case "Job":
      return true;
    case "DaemonSet":
      return podsBelow({ ledger }, workload.key).some((other) => other.revision !== pod.revision);
    case "ReplicaSet": {
      if (workload.owner === null) return false;
      const live = ledger
        .workloadsOwnedBy(workload.owner)
        .filter(({ spec }) => "replicas" in spec && spec.replicas > 0);
      return live.length > 1;
    }
    default:
      return false;
  }
}
