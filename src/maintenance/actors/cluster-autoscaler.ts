import type { Actor } from "../actor.ts";
import { asksForEver, hourMs, minuteMs, secondMs } from "../usual.ts";

/** cluster-autoscaler removing nodes that are not needed. Mirrors kubernetes/autoscaler cluster-autoscaler 1.37. */
export const clusterAutoscaler: Actor = {
  name: "cluster-autoscaler",
  title: "cluster-autoscaler scale-down",
  description:
    "Removes nodes that are little used, one with pods at a time: passes over those whose pods a budget, a local volume or an annotation holds, then taints and " +
    "cordons, evicts for up to two minutes with at most ten minutes of grace, and removes the node, or opens it again.",
  kind: "removes",
  close: {
    cordon: true,
    taints: [{ key: "ToBeDeletedByClusterAutoscaler", value: "", effect: "NoSchedule" }],
    condition: "",
  },
  closeWhen: "batch",
  marks: [{ key: "DeletionCandidateOfClusterAutoscaler", value: "", effect: "PreferNoSchedule" }],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [
    { on: "nodeAnnotation", key: "cluster-autoscaler.kubernetes.io/scale-down-disabled", value: "true" },
    { on: "podAnnotation", key: "cluster-autoscaler.kubernetes.io/safe-to-evict", value: "false" },
    { on: "barePod", unlessAnnotation: "cluster-autoscaler.kubernetes.io/safe-to-evict" },
    { on: "systemPod", youngerThanMs: hourMs },
    { on: "localStorage", unlessAnnotation: "cluster-autoscaler.kubernetes.io/safe-to-evict" },
    { on: "budget" },
  ],
  drain: {
    ...asksForEver,
    retryMs: 10 * secondMs,
    graceMaxMs: 10 * minuteMs,
    holdsForMs: 2 * minuteMs,
    then: "reopens",
  },
  afterDrain: "removed",
  nodeDownMs: 0,
  onNodeFailure: "continues",
  signs: [{ on: "workloadImage", kind: "Deployment", image: "cluster-autoscaler" }],
  signals: [
    "taint DeletionCandidateOfClusterAutoscaler:PreferNoSchedule while a node is not needed (10 minutes)",
    "taint ToBeDeletedByClusterAutoscaler:NoSchedule, with a cordon since 1.34",
    "event ScaleDownFailed when it gives up",
  ],
  levers: [
    "annotation cluster-autoscaler.kubernetes.io/safe-to-evict=false on a pod, cluster-autoscaler.kubernetes.io/scale-down-disabled=true on a node",
    "annotations delay-deletion.cluster-autoscaler.kubernetes.io/NAME, for two minutes at most",
    "a budget that allows nothing: the node is not chosen",
  ],
  changed: [
    { what: "cordon-node-before-terminating", from: "false", to: "true", at: "cluster-autoscaler 1.34" },
    {
      what: "kube-system pods without a budget hold a node",
      from: "for ever",
      to: "until they are one hour old",
      at: "cluster-autoscaler 1.33",
    },
  ],
  notModelled: [
    "whether a node is little used, and whether its pods fit elsewhere: every one named is taken, where the real one may choose none",
    "safe-to-evict=on-completion, safe-to-evict-local-volumes and delay-deletion annotations",
    "before 1.33 a pod of kube-system without a budget holds its node for ever: here for its first hour",
    "ten empty nodes at once",
  ],
  sources: [
    {
      mark: "A",
      from: "kubernetes/autoscaler cluster-autoscaler-release-1.37 config/flags, core/scaledown, simulator/drainability, 2026-07-30",
    },
  ],
};
