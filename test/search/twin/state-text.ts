import type { Simulation } from "../../../src/sim/simulation.ts";
import type { Choice } from "../../../src/sim/world.ts";

/** Everything that can be read of a simulation at a choice, with every name and time in it, in the order it is kept. */
export function stateText(sim: Simulation, choice: Choice): string {
  const { ledger, program, monitor } = sim;
  const keyOf = (uid: number): string => ledger.podByUid(uid)?.key ?? "";
  // As if numbers and counts of changes were names: what matters is which pod, and whether anything is new since.
  const written = (field: string, value: unknown): unknown => {
    if (value instanceof Map) return [...value];
    if (value instanceof Set) return [...value];
    if (field === "uid" && typeof value === "number") return keyOf(value);
    if (field === "askedAt") return value === ledger.changes;
    return value;
  };
  return JSON.stringify(
    [
      ledger.nowMs,
      choice,
      [...ledger.pods].map((pod) => [
        [pod.key, pod.template.id, pod.owner, pod.revision, pod.phase, pod.node?.name, pod.nominatedNode, pod.ready],
        [pod.createdAtMs, pod.startedAtMs, pod.readySinceMs, pod.terminatingSinceMs, pod.preempted],
        [pod.heldByFinalizer, pod.keptByFinalizer, pod.node === null && sim.isTried(pod)],
      ]),
      ledger.nodes.map((node) => [
        [node.name, node.unschedulable, node.ready, node.taints, sim.isDown(node.name)],
        node.pods.map(({ key }) => key),
      ]),
      ledger.budgets,
      [...ledger.workloads].map(({ key, spec, memory, deleting, foreground }) => [
        [key, "replicas" in spec ? spec.replicas : 0, "template" in spec ? spec.template.id : 0],
        [memory, deleting, foreground],
      ]),
      [...ledger.resourceClaims],
      [...ledger.volumeClaims],
      sim.alarms.map(({ atMs, alarm }) => [atMs, alarm]),
      [...sim.starts].map(([uid, atMs]) => [keyOf(uid), atMs]),
      program,
      monitor.endpoints.map(({ down, degraded, broken, stalledBy }) => [down, degraded, broken, stalledBy]),
    ],
    written,
  );
}
