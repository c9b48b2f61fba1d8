import type { Actor } from "../actor.ts";
import { asksForEver, cordons, secondMs } from "../usual.ts";

/** Cluster API rolling a MachineDeployment. Mirrors kubernetes-sigs/cluster-api, 2026-08-21. */
export const clusterApi: Actor = {
  name: "cluster-api",
  title: "Cluster API rollout",
  description:
    "A new machine joins first (maxSurge 1, maxUnavailable 0), then an old one is cordoned and drained with a refused eviction asked again every 20 s. By default " +
    "it waits for ever; with nodeDrainTimeout the machine is deleted with its pods still on it.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [{ key: "node.cluster.x-k8s.io/outdated-revision", value: "", effect: "PreferNoSchedule" }],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-each", joinMs: 300_000, atEnd: "stay" },
  pools: "independent",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, asks: "by-name", retryMs: 20 * secondMs, onNotReady: "passes" },
  afterDrain: "replaced",
  nodeDownMs: 300_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeAnnotation", key: "cluster.x-k8s.io/machine" }],
  signals: [
    "taint node.cluster.x-k8s.io/outdated-revision:PreferNoSchedule on old nodes, before any is closed",
    "Machine condition Deleting with reason DrainingNode, events SuccessfulDrainNode and FailedDrainNode, in the management cluster",
  ],
  levers: [
    "annotation pre-drain.delete.hook.machine.cluster.x-k8s.io/NAME on the Machine: without limit, until removed",
    "MachineDrainRule Skip, WaitCompleted or an order; pod label cluster.x-k8s.io/drain=skip or wait-completed",
    "annotation machine.cluster.x-k8s.io/exclude-node-draining on the Machine: no drain at all",
    "a budget, for ever, or until nodeDrainTimeout",
  ],
  changed: [],
  notModelled: [
    "Machines, hooks and MachineDrainRules usually live in another cluster and are not seen",
    "the wait for volumes to be detached",
  ],
  sources: [
    {
      mark: "A",
      from: "kubernetes-sigs/cluster-api core/reconcilers/machine/{machine_controller.go,drain}, api/core/v1beta2, 2026-08-21",
    },
  ],
};
