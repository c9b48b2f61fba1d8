import type { Actor } from "../actor.ts";
import { asksForEver, secondMs } from "../usual.ts";

/** Karpenter's voluntary disruption (drift): taint, replacement first, drain in waves. Mirrors kubernetes-sigs/karpenter, 2026-08-20. */
export const karpenter: Actor = {
  name: "karpenter",
  title: "Karpenter, drift or consolidation",
  description:
    "Replaces nodes that drifted or are badly used, within a budget of 10 % of the pool: taints a node instead of cordoning it, waits until a replacement is " +
    "initialized, then evicts everything, DaemonSet pods too. Pods that tolerate its taint stay and die with the machine.",
  kind: "maintains",
  close: {
    cordon: false,
    taints: [{ key: "karpenter.sh/disrupted", value: "", effect: "NoSchedule" }],
    condition: "",
  },
  closeWhen: "node",
  marks: [],
  nodesAtOnce: { percent: 10, rounds: "up", least: 0 },
  surge: { nodes: "all", when: "between", joinMs: 180_000, atEnd: "stay" },
  pools: "independent",
  order: "any",
  usesUp: ["not-ready"],
  passesOver: [
    { on: "nodeAnnotation", key: "karpenter.sh/do-not-disrupt", value: "true" },
    { on: "podAnnotation", key: "karpenter.sh/do-not-disrupt", value: null },
    { on: "budget" },
  ],
  drain: {
    ...asksForEver,
    daemonSetPods: "evicted",
    sparesTolerating: true,
    waitsForAnnotations: [{ key: "karpenter.sh/do-not-disrupt", value: "true" }],
    inWaves: true,
    retryMs: 10 * secondMs,
  },
  afterDrain: "replaced",
  nodeDownMs: 180_000,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "karpenter.sh/nodepool", value: null }],
  signals: [
    "taint karpenter.sh/disrupted:NoSchedule; spec.unschedulable is never set",
    "label node.kubernetes.io/exclude-from-external-load-balancers=karpenter when the drain begins",
    "event DisruptionBlocked or FailedDraining",
  ],
  levers: [
    'karpenter.sh/do-not-disrupt on a pod or node, or a budget of nodes: "0" on the NodePool',
    "a PodDisruptionBudget, for ever, or until terminationGracePeriod",
  ],
  changed: [],
  notModelled: [
    "which nodes have drifted or are badly used: every one named is taken",
    "replacements of another shape, or fewer of them",
    "budgets with a schedule are told and left out; do-not-disrupt for a time holds as long as it is there",
    "the drain waits for volumes to be detached",
  ],
  sources: [
    {
      mark: "A",
      from: "kubernetes-sigs/karpenter pkg/controllers/{disruption,node/termination,nodeclaim}, pkg/apis/v1, 2026-08-20",
    },
    { mark: "D", from: "a node boots in 1 to 5 minutes: 3 here" },
  ],
};
