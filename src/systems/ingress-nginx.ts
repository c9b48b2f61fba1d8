import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** The ingress controller in front of Ingress objects of class nginx. Mirrors: chart ingress-nginx 4.14. */
export const ingressNginx: System = {
  name: "ingress-nginx",
  title: "ingress-nginx",
  about:
    "Deployment or DaemonSet labelled app.kubernetes.io/name ingress-nginx, component controller: it is proxy and controller in one.",
  gateways: [],
  entries: noEntries,
  parts: [
    helmPart({
      hop: "gateway",
      component: "Ingress controller",
      match: { labels: { "app.kubernetes.io/name": "ingress-nginx", "app.kubernetes.io/component": "controller" } },
      values: {
        replicas: "controller.replicaCount",
        budget: "controller.minAvailable",
        spread: "controller.topologySpreadConstraints",
      },
    }),
  ],
};
