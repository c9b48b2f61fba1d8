import type { Match } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { noEntries, type PartRule, type System } from "./system.ts";

/** Distributes CA bundles. Mirrors: chart trust-manager v0.24. */
export const trustManager: System = {
  name: "trust-manager",
  title: "trust-manager",
  about: "Deployment labelled app.kubernetes.io/name trust-manager, or so named. Off the path.",
  gateways: [],
  entries: noEntries,
  parts: [
    rule({ kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "trust-manager" } }),
    rule({ kinds: ["Deployment"], name: /^trust-manager$/ }),
  ],
};

function rule(match: Match): PartRule {
  return helmPart({
    hop: "controller",
    component: "trust-manager",
    whileGone: "CA bundles are not distributed to new namespaces.",
    match,
    values: { replicas: "replicaCount", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
  });
}
