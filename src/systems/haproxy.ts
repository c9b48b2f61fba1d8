import { ingressBy } from "./ingress-kind.ts";
import type { Match } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** HAProxy Technologies' controller, and the community's. */
const technologies: Match = {
  kinds: ["Deployment", "DaemonSet"],
  labels: { "app.kubernetes.io/name": "kubernetes-ingress" },
};
const community: Match = {
  kinds: ["Deployment", "DaemonSet"],
  labels: { "app.kubernetes.io/name": "haproxy-ingress" },
};
const values = {
  replicas: "controller.replicaCount",
  budget: "controller.PodDisruptionBudget",
  spread: "controller.topologySpreadConstraints",
};

/** HAProxy in front of Ingresses. Mirrors: charts kubernetes-ingress 1.46 and haproxy-ingress 0.15. */
export const haproxy: System = {
  name: "haproxy",
  title: "HAProxy ingress",
  about:
    "Deployment or DaemonSet labelled app.kubernetes.io/name kubernetes-ingress or haproxy-ingress, in front of Ingresses of class haproxy: proxy " +
    "and controller in one pod.",
  gateways: [],
  entries: noEntries,
  ingresses: [
    ingressBy({ controllers: ["haproxy.org/*"], classes: /^haproxy/, proxies: technologies }),
    ingressBy({ controllers: ["haproxy-ingress.github.io/*"], classes: /^haproxy/, proxies: community }),
  ],
  parts: [
    helmPart({ hop: "gateway", component: "HAProxy", match: technologies, values }),
    helmPart({
      hop: "gateway",
      component: "HAProxy",
      match: community,
      values: { ...values, budget: "controller.podDisruptionBudget" },
    }),
  ],
};
