import type { OtherObject } from "../model/cluster.ts";
import { objectKey } from "../model/key.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";
import { type Match, partsLike } from "./match.ts";
import { helmPart } from "./part-rules.ts";
import { serviceKey } from "./route-kind.ts";
import { noEntries, type System, type Ways } from "./system.ts";

const interceptor: Match = {
  kinds: ["Deployment"],
  labels: { "app.kubernetes.io/name": "http-add-on", "app.kubernetes.io/component": "interceptor" },
};
const interceptors = (facts: Facts): readonly Part[] => partsLike(facts, interceptor);

/**
 * KEDA's interceptor, which holds requests until a workload has been scaled up from zero: routes lead to it, and it to the Service.
 * Mirrors: chart keda-add-ons-http 0.11, HTTPScaledObject v1alpha1.
 */
export const kedaHttp: System = {
  name: "keda-http",
  title: "KEDA HTTP add-on",
  about:
    "An HTTPScaledObject puts the interceptor (Deployment labelled app.kubernetes.io/name http-add-on, component interceptor) in front of the Service " +
    "it scales; Ingresses and routes for its hosts that lead to the interceptor's Service are in front of that.",
  gateways: [],
  entries: noEntries,
  routes: [
    {
      kind: "HTTPScaledObject",
      group: "http.keda.sh",
      backends: (spec, namespace) => [serviceKey(namespace, spec.object("scaleTargetRef").text("service"))],
      proxies: interceptors,
      ways,
    },
  ],
  parts: [
    helmPart({
      hop: "gateway",
      component: "KEDA interceptor",
      match: interceptor,
      values: {
        replicas: "interceptor.replicas.min",
        budget: "interceptor.pdb",
        spread: "interceptor.topologySpreadConstraints",
      },
    }),
    helmPart({
      hop: "controller",
      component: "KEDA external scaler",
      whileGone: "Nothing is scaled by its requests.",
      match: {
        kinds: ["Deployment"],
        labels: { "app.kubernetes.io/name": "http-add-on", "app.kubernetes.io/component": "scaler" },
      },
      values: { replicas: "scaler.replicas", budget: null, spread: "scaler.topologySpreadConstraints" },
    }),
  ],
};

/** Services over the interceptors, for the hosts it scales by. */
function ways(facts: Facts, object: OtherObject): Ways {
  const parts = interceptors(facts);
  const services = facts.services.filter((service) => facts.selectedBy(service).some((part) => parts.includes(part)));
  return {
    backends: services.map(({ ref }) => objectKey(ref)),
    hosts: fieldsOf(object).object("spec").texts("hosts"),
  };
}
