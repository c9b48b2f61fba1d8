/** Finalizers whose holders take them off as soon as the pod is over, or are played: collection, Jobs, Kueue's queues. */
const takenOff: ReadonlySet<string> = new Set([
  "foregroundDeletion",
  "orphan",
  "batch.kubernetes.io/job-tracking",
  "kueue.x-k8s.io/managed",
]);

/** The first finalizer of a pod that nobody here takes off; "" when there is none. The pod's object stays as long. */
export function finalizerThatStays(finalizers: readonly string[]): string {
  return finalizers.find((finalizer) => !takenOff.has(finalizer)) ?? "";
}
