import { labelledProxies } from "./gateway-labels.ts";
import { ingressBy } from "./ingress-kind.ts";
import type { Match } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

const ingress: Match = { kinds: ["Deployment", "DaemonSet"], labels: { "app.kubernetes.io/name": "nginx-ingress" } };

/** F5's two: NGINX Gateway Fabric, which makes a proxy for each Gateway, and its ingress controller. Mirrors: charts 2.x and 2.x. */
export const nginxGateway: System = {
  name: "nginx-gateway",
  title: "NGINX Gateway Fabric and NGINX Ingress Controller",
  about:
    "Gateways of class nginx: a Deployment each, labelled gateway.networking.k8s.io/gateway-name, set by an NginxProxy. Ingresses whose class's " +
    "controller is nginx.org/ingress-controller: the workload labelled app.kubernetes.io/name nginx-ingress. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["gateway.nginx.org/nginx-gateway-controller"],
      classes: /^nginx$/,
      outside: "",
      proxies: labelledProxies,
      honoursFailOpen: failOpenUnknown("NGINX Gateway Fabric"),
    },
  ],
  ingresses: [ingressBy({ controllers: ["nginx.org/ingress-controller"], classes: /^$/, proxies: ingress })],
  parts: [
    helmPart({
      hop: "gateway",
      component: "Gateway proxy",
      match: {
        labels: {
          "gateway.networking.k8s.io/gateway-name": "*",
          "app.kubernetes.io/instance": "*nginx-gateway-fabric",
        },
      },
      values: { replicas: "nginx.replicas", budget: null, spread: "nginx.pod.topologySpreadConstraints" },
    }),
    helmPart({
      hop: "gateway",
      component: "NGINX ingress controller",
      match: ingress,
      values: {
        replicas: "controller.replicaCount",
        budget: "controller.podDisruptionBudget",
        spread: "controller.topologySpreadConstraints",
      },
    }),
  ],
};
