import type { Actor } from "../actor.ts";
import { asksForEver, cordons, minuteMs } from "../usual.ts";

/** Rancher's system-upgrade-controller (k3s, RKE2). Mirrors rancher/system-upgrade-controller, 2026-08-06. */
export const systemUpgradeController: Actor = {
  name: "system-upgrade-controller",
  title: "system-upgrade-controller (k3s, RKE2)",
  description:
    "Runs a job on one node after the other (concurrency of the Plan) in a fixed order that looks like chance: cordons, drains with kubectl, upgrades the node's " +
    "service and uncordons. A job has 10 minutes; when it fails the node stays cordoned.",
  kind: "maintains",
  close: cordons,
  closeWhen: "node",
  marks: [],
  nodesAtOnce: 1,
  surge: null,
  pools: "together",
  order: "any",
  usesUp: [],
  passesOver: [],
  drain: {
    ...asksForEver,
    flags: ["--ignore-daemonsets", "--delete-emptydir-data"],
    holdsForMs: 10 * minuteMs,
    then: "fails",
    onError: "fails",
  },
  afterDrain: "opens",
  nodeDownMs: 2 * minuteMs,
  onNodeFailure: "stops",
  signs: [
    { on: "workloadImage", kind: "Deployment", image: "system-upgrade-controller" },
    { on: "objectKind", group: "upgrade.cattle.io", selects: "nodeSelector" },
  ],
  signals: ["a job in system-upgrade for the node, then spec.unschedulable", "event JobFailed"],
  levers: [
    "label plan.upgrade.cattle.io/NAME=disabled on the node, the Plan's window",
    "a budget, until the job's 10 minutes are over",
  ],
  changed: [],
  notModelled: [
    "a Plan without drain or cordon, which leaves pods where they are",
    "the Plan's window, its podSelector, and node after node by hash",
    "two more tries of a failed job",
    "the new service restarts containers on RKE2 only if they changed; on k3s they run on",
  ],
  sources: [
    {
      mark: "A",
      from: "rancher/system-upgrade-controller pkg/upgrade/{job,plan}, pkg/upgrade/handle_*.go, 2026-08-06",
    },
    { mark: "D", from: "a failed node keeps its place, so no other follows at concurrency 1" },
  ],
};
