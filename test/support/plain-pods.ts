import type { Cluster } from "../../src/model/cluster.ts";
import type { Pod } from "../../src/model/pod.ts";

/** The pod with every field its own, to copy or compare: pods that were read show what stands in columns. */
export function plainPod(pod: Pod): Pod {
  return {
    key: pod.key,
    namespace: pod.namespace,
    name: pod.name,
    template: pod.template,
    owner: pod.owner,
    nodeName: pod.nodeName,
    phase: pod.phase,
    ready: pod.ready,
    deleting: pod.deleting,
    deletionGraceMs: pod.deletionGraceMs,
    preempted: pod.preempted,
    nominatedNodeName: pod.nominatedNodeName,
    requests: pod.requests,
    nonZeroMilliCpu: pod.nonZeroMilliCpu,
    nonZeroMemoryBytes: pod.nonZeroMemoryBytes,
    restarts: pod.restarts,
    createdAtMs: pod.createdAtMs,
    startedAtMs: pod.startedAtMs,
    scheduledAtMs: pod.scheduledAtMs,
    readyAtMs: pod.readyAtMs,
    mirror: pod.mirror,
    finalizers: pod.finalizers,
    unschedulableMessage: pod.unschedulableMessage,
    claimNames: pod.claimNames,
    ordinal: pod.ordinal,
    revision: pod.revision,
    source: pod.source,
  };
}

/** The cluster with such pods, and with all that is read when somebody asks for it. */
export function plainPods(cluster: Cluster): Cluster {
  const { pods, workloads, others, changedOnAdmission } = cluster;
  return {
    ...cluster,
    pods: pods.map(plainPod),
    workloads: new Map(workloads),
    others: new Map(others),
    changedOnAdmission: new Map(changedOnAdmission),
  };
}
