import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** `kops rolling-update cluster` on AWS. Mirrors kubernetes/kops, 2026-08-22. */
export const kops: Actor = {
  name: "kops",
  title: "kOps rolling update",
  description:
    "Softly taints all nodes to be updated, brings one more node up (on AWS; elsewhere none), then cordons, drains and terminates one after the other. A drain that takes more " +
    "than 15 minutes stops the update.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [{ key: "kops.k8s.io/scheduled-for-update", value: "", effect: "PreferNoSchedule" }],
  nodesAtOnce: 1,
  surge: { nodes: 1, when: "before-each", joinMs: 180_000, atEnd: "stay" },
  pools: "in-turn",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: { ...asksForEver, holdsForMs: 15 * minuteMs, then: "fails", onError: "fails" },
  afterDrain: "replaced",
  nodeDownMs: 200_000,
  onNodeFailure: "stops",
  signs: [{ on: "nodeLabel", key: "kops.k8s.io/instancegroup", value: null }],
  signals: [
    "taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, before any node is closed",
    "label node.kubernetes.io/exclude-from-external-load-balancers, annotation kops.k8s.io/needs-update",
  ],
  levers: ["drainAndTerminate: false on the instance group", "a budget, for 15 minutes"],
  changed: [],
  notModelled: [
    "--fail-on-drain-error=false, which terminates all the same",
    "the validation of the cluster between nodes, up to 15 minutes",
  ],
  sources: [{ mark: "A", from: "kubernetes/kops pkg/instancegroups, cmd/kops/rolling-update_cluster.go, 2026-08-22" }],
};
