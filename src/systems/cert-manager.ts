import { helmPart } from "./part-rules.ts";
import { noEntries, type PartRule, type System } from "./system.ts";

/** Certificates for the other controllers' webhooks. Mirrors: chart cert-manager v1.21. */
export const certManager: System = {
  name: "cert-manager",
  title: "cert-manager",
  about:
    "Deployments labelled app.kubernetes.io/name cert-manager, webhook and cainjector with the matching component. " +
    "Off the path: certificates already issued keep working while it is gone.",
  gateways: [],
  entries: noEntries,
  parts: [
    ...rules("cert-manager", "controller", "cert-manager controller", "", "Certificates are not renewed."),
    ...rules("webhook", "webhook", "cert-manager webhook", "webhook.", "Changes of certificate objects are refused."),
    ...rules("cainjector", "cainjector", "cert-manager CA injector", "cainjector.", "New CA bundles are not injected."),
  ],
};

/** By the chart's labels, else by the name every manifest gives it. */
function rules(name: string, kind: string, component: string, prefix: string, whileGone: string): readonly PartRule[] {
  const values = {
    replicas: `${prefix}replicaCount`,
    budget: `${prefix}podDisruptionBudget`,
    spread: `${prefix}topologySpreadConstraints`,
  };
  const labels = {
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/component": kind,
    "app.kubernetes.io/instance": "*",
  };
  const byName = new RegExp(`^cert-manager${name === "cert-manager" ? "" : `-${name}`}$`);
  return [
    helmPart({ hop: "controller", component, whileGone, match: { kinds: ["Deployment"], labels }, values }),
    helmPart({ hop: "controller", component, whileGone, match: { kinds: ["Deployment"], name: byName }, values }),
  ];
}
