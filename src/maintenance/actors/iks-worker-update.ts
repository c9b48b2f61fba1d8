import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** IBM Cloud Kubernetes Service, and OpenShift on it, updating worker nodes. */
export const iksWorkerUpdate: Actor = {
  name: "iks-worker-update",
  title: "IBM Cloud worker update",
  description:
    "Cordons, drains and reloads workers in place, at most 20 % of those named away at a time and none ahead of them: the pods go to other workers, of other pools too. No Machine Config " +
    "Operator works here, on OpenShift neither.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: { percent: 20, rounds: "down", least: 1 },
  surge: null,
  pools: "together",
  order: "any",
  usesUp: ["not-ready"],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 30 * minuteMs, then: "deletes" },
  afterDrain: "reboots",
  nodeDownMs: 15 * minuteMs,
  onNodeFailure: "continues",
  signs: [{ on: "nodeLabel", key: "ibm-cloud.kubernetes.io/worker-pool-id", value: null }],
  signals: ["spec.unschedulable, up to a fifth of the workers at once"],
  levers: [
    "ConfigMap kube-system/ibm-cluster-update-configuration: MaxUnavailablePercentage by node label, drain_timeout_seconds",
    "a budget, for the drain's timeout",
  ],
  changed: [],
  notModelled: [
    "the ConfigMap, and its checks by node label",
    "workers of VPC, which are replaced one command at a time: drained, deleted, and a new one made",
  ],
  sources: [
    { mark: "B", from: "IBM Cloud documentation: updating classic worker nodes; 20 % by default" },
    { mark: "D", from: "that a drain has 30 minutes and what is left goes then, and the time a reload takes" },
  ],
};
