import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** Distributes CA bundles. Mirrors: chart trust-manager v0.24. */
export const trustManager: System = {
  name: "trust-manager",
  title: "trust-manager",
  about: "Deployment trust-manager. Off the path.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      hop: "controller",
      component: "trust-manager",
      whileGone: "CA bundles are not distributed to new namespaces.",
      match: { kinds: ["Deployment"], name: /^trust-manager$/ },
      values: { replicas: "replicaCount", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
    }),
  ],
};
