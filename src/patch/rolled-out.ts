import type { ObjectKey } from "../model/key.ts";
import type { ClusterView } from "../model/view.ts";
import type { Ledger } from "../sim/ledger.ts";
import { podsBelow } from "../sim/program.ts";
import { rolloutOf } from "../workload/deployment-parts.ts";
import { groupLabels } from "../workload/group-pod.ts";
import { groupSetMemory } from "../workload/group-set.ts";
import { electionOf } from "../workload/leader-election.ts";
import { isKept } from "../workload/set-keeper.ts";

/** Every pod is of the new template, as many as are wanted are ready, and none of the old is left. */
export function isRolledOut(ledger: Ledger, key: ObjectKey): boolean {
  const view = ledger.workload(key);
  if (view === undefined) return true;
  const { spec } = view;
  if (spec.kind === "Deployment") {
    const { current, old } = rolloutOf(ledger, view, spec);
    if (current === null || old.some(({ existing }) => existing > 0)) return false;
    return current.existing === spec.replicas && current.ready >= readyWanted(ledger, key, spec.replicas);
  }
  if (spec.kind === "Other") return isKept(ledger, view);
  if (spec.kind === "LeaderWorkerSet") {
    const { key: revision } = groupSetMemory(ledger, view, spec).revisions.at(-1) ?? { key: "" };
    const members = podsBelow({ ledger }, key);
    const isDone = (pod: (typeof members)[number]): boolean =>
      pod.ready && pod.terminatingSinceMs === null && pod.template.labels.get(groupLabels.revision) === revision;
    return members.length === spec.replicas * spec.size && members.every(isDone);
  }
  const pods = podsBelow({ ledger }, key);
  const wanted = "replicas" in spec ? spec.replicas : pods.length;
  return pods.filter((pod) => pod.ready && pod.terminatingSinceMs === null).length >= wanted;
}

/** Of pods that elect a leader only that one is ever Ready. */
function readyWanted(view: ClusterView, key: ObjectKey, replicas: number): number {
  const spec = view.workload(key)?.spec;
  const [pod] = spec === undefined ? [] : view.workloadsOwnedBy(key).flatMap((owned) => view.podsOwnedBy(owned.key));
  return pod !== undefined && electionOf(pod) !== null ? Math.min(1, replicas) : replicas;
}
