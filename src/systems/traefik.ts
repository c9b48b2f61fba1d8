import type { Facts } from "./facts.ts";
import { ingressBy } from "./ingress-kind.ts";
import { partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { servicesOfRoutes } from "./route-kind.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

const proxy = helmPart({
  hop: "gateway",
  component: "Traefik",
  match: { kinds: ["Deployment", "DaemonSet"], labels: { "app.kubernetes.io/name": "traefik" } },
  values: { replicas: "deployment.replicas", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
});

/** One set of proxies for all its gateways and ingresses. Mirrors: Traefik's chart as of 2026-08. */
export const traefik: System = {
  name: "traefik",
  title: "Traefik",
  about:
    "Deployment labelled app.kubernetes.io/name traefik, in front of Gateways of its class, of Ingresses and of IngressRoutes. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["traefik.io/gateway-controller"],
      classes: /^traefik$/,
      outside: "",
      proxies: (_gateway, facts) => partsLike(facts, proxy.match),
      honoursFailOpen: failOpenUnknown("Traefik"),
    },
  ],
  ingresses: [
    ingressBy({
      controllers: ["traefik.io/ingress-controller"],
      classes: /^traefik(-.*)?$/,
      proxies: proxy.match,
    }),
  ],
  routes: ["traefik.io", "traefik.containo.us"].flatMap((group) =>
    ["IngressRoute", "IngressRouteTCP"].map((kind) => ({
      kind,
      group,
      backends: servicesOfRoutes,
      proxies: (facts: Facts) => partsLike(facts, proxy.match),
    })),
  ),
  parts: [proxy],
};
