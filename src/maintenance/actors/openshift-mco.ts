import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs, secondMs } from "../usual.ts";

/** OpenShift's Machine Config Operator rolling a pool. Mirrors machine-config-operator, 2026-08-20. */
export const openshiftMco: Actor = {
  name: "openshift-mco",
  title: "OpenShift Machine Config Operator",
  description:
    "Works through a pool, one node at a time (maxUnavailable of the MachineConfigPool): cordons it when its turn comes, drains it for as long as it " +
    "takes, reboots and uncordons it. It never gives up and never deletes: after an hour an alert fires and it keeps trying.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [{ key: "UpdateInProgress", value: "", effect: "PreferNoSchedule" }],
  nodesAtOnce: 1,
  surge: null,
  pools: "independent",
  order: "zone-then-oldest",
  usesUp: ["cordoned", "not-ready", "pressure"],
  passesOver: [{ on: "unavailable" }],
  drain: {
    ...asksForEver,
    attempts: {
      lastMs: 90 * secondMs,
      pauseMs: minuteMs,
      longAfterMs: 10 * minuteMs,
      longPauseMs: 5 * minuteMs,
    },
  },
  afterDrain: "reboots",
  nodeDownMs: 600_000,
  onNodeFailure: "stops",
  signs: [
    { on: "nodeAnnotation", key: "machineconfiguration.openshift.io/currentConfig" },
    { on: "nodeLabel", key: "node.openshift.io/os_id", value: null },
    { on: "osImage", prefix: "Red Hat Enterprise Linux CoreOS" },
    { on: "objectKind", group: "machineconfiguration.openshift.io", selects: "" },
  ],
  signals: [
    "taint UpdateInProgress:PreferNoSchedule on every node of the pool, annotation machineconfiguration.openshift.io/desiredConfig on the chosen one",
    "event DrainFailed, metric mcc_drain_err and alert MCCDrainError after an hour",
  ],
  levers: ["paused: true on the MachineConfigPool", "a cordoned node uses up maxUnavailable", "a budget, for ever"],
  changed: [],
  notModelled: [
    "clusters of a single node, which it does not drain",
    "changes that a NodeDisruptionPolicy lets through without drain or reboot",
    "control plane nodes are limited further, so that etcd keeps its quorum",
  ],
  sources: [
    {
      mark: "A",
      from: "openshift/machine-config-operator pkg/controller/{node,drain}, pkg/daemon/drain.go, 2026-08-20",
    },
  ],
};
