import { ingressBy } from "./ingress-kind.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

/** Chart `kong` runs proxy and controller in one pod, chart `ingress` a proxy named gateway beside its controller. */
const proxyMatches: readonly Match[] = [
  { kinds: ["Deployment", "DaemonSet"], labels: { "app.kubernetes.io/name": "gateway" }, images: ["kong"] },
  { kinds: ["Deployment", "DaemonSet"], labels: { "app.kubernetes.io/name": "kong" } },
];

/** Kong in front of Ingresses and Gateways of its class. Mirrors: charts kong 2.52 and ingress 0.21. */
export const kong: System = {
  name: "kong",
  title: "Kong",
  about:
    "Deployment or DaemonSet labelled app.kubernetes.io/name kong, or gateway and running Kong, in front of Ingresses and Gateways of class kong. " +
    "Running proxies keep their routes while the controller is gone. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["konghq.com/kic-gateway-controller"],
      classes: /^kong/,
      outside: "",
      proxies: (_gateway, facts) => partsLike(facts, ...proxyMatches),
      honoursFailOpen: failOpenUnknown("Kong"),
    },
  ],
  ingresses: proxyMatches.map((match) =>
    ingressBy({ controllers: ["ingress-controllers.konghq.com/kong"], classes: /^kong/, proxies: match }),
  ),
  parts: proxyMatches.map((match) =>
    helmPart({
      hop: "gateway",
      component: "Kong",
      match,
      values: { replicas: "replicaCount", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
    }),
  ),
};
