import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/**
 * The controller of LeaderWorkerSets. The groups themselves are engines of whatever system wrote the set.
 * Mirrors: LeaderWorkerSet v0.10 chart and webhook configuration.
 */
export const leaderWorkerSet: System = {
  name: "leader-worker-set",
  title: "LeaderWorkerSet",
  about:
    "Groups of pods that live and die together: one pod evicted, and the controller re-creates its whole group, past every " +
    "budget. A unit is a group (label leaderworkerset.sigs.k8s.io/group-index). The controller's pod webhook has " +
    "failurePolicy Fail: no group pod can be created while it is gone.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      hop: "controller",
      component: "LWS controller",
      whileGone: "Groups are not re-created, and its webhook refuses every group pod.",
      match: {
        kinds: ["Deployment"],
        labels: { "control-plane": "controller-manager", "app.kubernetes.io/name": "lws" },
      },
      values: { replicas: "replicaCount", budget: null, spread: null },
    }),
    helmPart({
      hop: "controller",
      component: "LWS controller",
      whileGone: "Groups are not re-created, and its webhook refuses every group pod.",
      match: { kinds: ["Deployment"], name: /^lws-controller-manager$/ },
      values: { replicas: "replicaCount", budget: null, spread: null },
    }),
  ],
};
