import type { Actor } from "../actor.ts";

/** OpenShift's Machine Config Operator rolling a pool. Mirrors machine-config-operator, 2026-08-20. */
export const openshiftMco: Actor = {
  name: "openshift-mco",
  title: "OpenShift Machine Config Operator",
  description:
    "Works through a pool, one node at a time (maxUnavailable of the MachineConfigPool): cordons it when its turn comes, drains it for as long as it " +
    "takes, reboots and uncordons it. It never gives up and never deletes: after an hour an alert fires and it keeps trying.",
  close: { by: "cordon" },
  closeWhen: "node",
  nodesAtOnce: 1,
  surgeNodes: 0,
  order: "zone-then-oldest",
  drain: {
    flags: ["--force", "--ignore-daemonsets", "--delete-emptydir-data"],
    retryMs: 5_000,
    graceMaxMs: null,
    holdsForMs: null,
    then: "waits",
    deleteGraceMs: null,
    onError: "retries",
  },
  afterDrain: "reboots",
  nodeDownMs: 600_000,
  onNodeFailure: "stops",
  signs: [{ on: "nodeAnnotation", key: "machineconfiguration.openshift.io/currentConfig" }],
  signals: [
    "taint UpdateInProgress:PreferNoSchedule on every node of the pool, annotation machineconfiguration.openshift.io/desiredConfig on the chosen one",
    "event DrainFailed, metric mcc_drain_err and alert MCCDrainError after an hour",
  ],
  levers: ["paused: true on the MachineConfigPool", "a cordoned node uses up maxUnavailable", "a budget, for ever"],
  notModelled: [
    "the longer pauses between attempts after 90 s and 10 min of refusals: a freed pod may go up to 5 min later",
  ],
  sources: ["openshift/machine-config-operator pkg/controller/{node,drain}, pkg/daemon/drain.go, 2026-08-20"],
};
