import type { Facts, Part } from "./facts.ts";
import { ingressBy } from "./ingress-kind.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { serviceKey } from "./route-kind.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

const proxy: Match = { kinds: ["Deployment", "DaemonSet"], labels: { "app.kubernetes.io/name": "apisix" } };
const proxies = (facts: Facts): readonly Part[] => partsLike(facts, proxy);

/** APISIX in front of its ApisixRoutes, Ingresses and Gateways. Mirrors: charts apisix 2.x and apisix-ingress-controller 2.x. */
export const apisix: System = {
  name: "apisix",
  title: "Apache APISIX",
  about:
    "Deployment or DaemonSet labelled app.kubernetes.io/name apisix, in front of ApisixRoutes, Ingresses and Gateways of its class. Running " +
    "proxies keep their routes while the controller or etcd is gone. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["apisix.apache.org/apisix-ingress-controller"],
      classes: /^apisix/,
      outside: "",
      proxies: (_gateway, facts) => proxies(facts),
      honoursFailOpen: failOpenUnknown("APISIX"),
    },
  ],
  ingresses: [ingressBy({ controllers: ["apisix.apache.org/*"], classes: /^apisix/, proxies: proxy })],
  routes: [
    {
      kind: "ApisixRoute",
      group: "apisix.apache.org",
      backends: (spec, namespace) =>
        spec
          .objects("http")
          .flatMap((rule) => rule.objects("backends"))
          .map((backend) => serviceKey(namespace, backend.text("serviceName"))),
      proxies,
    },
  ],
  parts: [
    helmPart({
      hop: "gateway",
      component: "APISIX",
      match: proxy,
      values: { replicas: "replicaCount", budget: "podDisruptionBudget", spread: "topologySpreadConstraints" },
    }),
    helmPart({
      hop: "controller",
      component: "APISIX ingress controller",
      whileGone: "Changed Services and routes do not reach APISIX: it goes on asking pods that are gone.",
      match: { kinds: ["Deployment"], images: ["apisix-ingress-controller"] },
      values: { replicas: "deployment.replicas", budget: null, spread: "deployment.topologySpreadConstraints" },
    }),
  ],
};
