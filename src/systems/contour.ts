import type { OtherObject } from "../model/cluster.ts";
import type { Facts, Part } from "./facts.ts";
import { ingressBy } from "./ingress-kind.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart, plainPart } from "./part-rules.ts";
import { servicesOfRoutes } from "./route-kind.ts";
import { failOpenUnknown, noEntries, type System } from "./system.ts";

const owningGateway = "projectcontour.io/owning-gateway-name";

/** By the chart's and the provisioner's labels, or those of its plain manifests. */
const charted: Match = { labels: { "app.kubernetes.io/name": "contour", "app.kubernetes.io/component": "envoy" } };
const plain: Match = { labels: { app: "envoy" }, namespace: "projectcontour" };
const classes = { controllers: ["projectcontour.io/*"], classes: /^contour/ };

/** Envoy in front of Contour's HTTPProxies, Ingresses and Gateways. Mirrors: Contour 1.33, its example manifests, chart and provisioner. */
export const contour: System = {
  name: "contour",
  title: "Contour",
  about:
    "Envoy DaemonSet (or Deployment) labelled app.kubernetes.io/name contour, component envoy, in front of HTTPProxies and Ingresses of class " +
    "contour; for a Gateway its provisioner makes a set of its own. Running Envoys keep their routes while Contour is gone. FailOpen: not known.",
  entries: noEntries,
  gateways: [
    {
      controllers: ["projectcontour.io/gateway-controller"],
      classes: /^contour/,
      outside: "",
      proxies: gatewayProxies,
      honoursFailOpen: failOpenUnknown("Contour"),
    },
  ],
  ingresses: [charted, plain].map((proxies) => ingressBy({ ...classes, proxies })),
  routes: [
    {
      kind: "HTTPProxy",
      group: "projectcontour.io",
      backends: servicesOfRoutes,
      hosts: (spec) => [spec.object("virtualhost").text("fqdn")].filter((host) => host !== ""),
      proxies: (facts) => sharedProxies(facts),
      timeouts: (spec) =>
        spec
          .objects("routes")
          .map((route) => route.object("timeoutPolicy").text("response"))
          .map((text) => (text === "infinity" ? "0s" : text)),
    },
  ],
  parts: [
    helmPart({
      hop: "gateway",
      component: "Envoy of Contour",
      match: charted,
      values: { replicas: "envoy.replicaCount", budget: "envoy.pdb", spread: "envoy.topologySpreadConstraints" },
    }),
    plainPart({ hop: "gateway", component: "Envoy of Contour", match: plain }),
    helmPart({
      hop: "controller",
      component: "Contour",
      whileGone: "Restarted Envoys get no configuration.",
      match: { kinds: ["Deployment"], images: ["projectcontour/contour", "bitnami/contour"] },
      values: {
        replicas: "contour.replicaCount",
        budget: "contour.pdb",
        spread: "contour.topologySpreadConstraints",
      },
    }),
  ],
};

function allProxies(facts: Facts): readonly Part[] {
  return partsLike(facts, charted, plain);
}

/** Those that belong to no Gateway of their own. */
function sharedProxies(facts: Facts): readonly Part[] {
  const all = allProxies(facts);
  const shared = all.filter(({ labels }) => !labels.has(owningGateway));
  return shared.length > 0 ? shared : all;
}

function gatewayProxies({ ref }: OtherObject, facts: Facts): readonly Part[] {
  const all = allProxies(facts);
  const own = all.filter(
    ({ labels, workload }) => labels.get(owningGateway) === ref.name && workload.ref.namespace === ref.namespace,
  );
  return own.length > 0 ? own : all.filter(({ labels }) => !labels.has(owningGateway));
}
