import { byCodeUnit, byKey } from "../base/ordering.ts";
import { whatIsAdded } from "../model/changed-on-admission.ts";
import type { Cluster } from "../model/cluster.ts";
import { counted } from "./text.ts";

/**
 * Of pods that are more than their template says, one sentence for the cluster: nobody asks the webhook, so what it does to the next
 * pod is assumed. "": there are none.
 */
export function addedOnAdmission({ changedOnAdmission, workloads }: Cluster): string {
  const learnt = [...changedOnAdmission].flatMap(([key, changes]) => {
    const owner = workloads.get(key);
    // A Deployment tells for its ReplicaSets.
    return owner === undefined || changedOnAdmission.has(owner.owner ?? "") ? [] : [{ owner, changes }];
  });
  const [first] = learnt.map(({ owner: { ref } }) => ref).sort(byKey(({ namespace, name }) => `${namespace}/${name}`));
  if (first === undefined) return "";
  const what = learnt.flatMap(({ changes: { template, workerTemplate } }) =>
    [template, workerTemplate].flatMap((change) => (change === null ? [] : whatIsAdded(change))),
  );
  const others = learnt.length > 1 ? ` and ${counted(learnt.length - 1, "more owner")}` : "";
  const added = [...new Set(what)].sort(byCodeUnit).join(", ");
  return `what admission adds to pods of ${first.kind} ${first.namespace}/${first.name}${others} (${added}): new ones are taken to get the same`;
}
