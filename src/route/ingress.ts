import type { OtherObject } from "../model/cluster.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf, type Part } from "../systems/facts.ts";
import { isNeeded } from "../systems/system.ts";
import type { Front } from "./front.ts";
import { outsideHop, partHop, serviceOf } from "./part-hop.ts";

export interface IngressFound {
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

/** Ingress class → labels of its controller's pods. */
const controllers: { readonly [name: string]: string } = { nginx: "ingress-nginx", traefik: "traefik" };
const managedClasses: { readonly [name: string]: string } = {
  alb: "an AWS load balancer, outside the cluster",
  gce: "Google Cloud's load balancer, outside the cluster",
  "gce-internal": "Google Cloud's load balancer, outside the cluster",
  "azure-application-gateway": "Azure Application Gateway, outside the cluster",
};
const routerLabel = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller";

/** What stands in front of Ingresses and OpenShift Routes. */
export function ingressHops(facts: Facts, front: Front): IngressFound {
  const found = [...front.ingresses.map((ingress) => ofIngress(facts, ingress))];
  const first = front.openShiftRoutes[0];
  if (first !== undefined) found.push(ofRoute(facts, first));
  return { hops: found.flatMap(({ hops }) => hops), notModelled: found.flatMap(({ notModelled }) => notModelled) };
}

function ofIngress(facts: Facts, ingress: OtherObject): IngressFound {
  const spec = fieldsOf(ingress).object("spec");
  const name =
    spec.optionalText("ingressClassName") ?? ingress.annotations.get("kubernetes.io/ingress.class") ?? "nginx";
  const outside = managedClasses[name];
  if (outside !== undefined) {
    const hop = outsideHop({ hop: "gateway", component: "Managed ingress", ref: ingress.ref, outside, service: null });
    return { hops: [hop], notModelled: [] };
  }
  const wanted = controllers[name];
  const proxies = facts.parts.filter(
    ({ labels }) =>
      wanted !== undefined &&
      labels.get("app.kubernetes.io/name") === wanted &&
      (labels.get("app.kubernetes.io/component") ?? "controller") === "controller",
  );
  return proxied(facts, proxies, ingress, `the controller of ingress class ${name} is not in the input`);
}

function ofRoute(facts: Facts, route: OtherObject): IngressFound {
  const routers = facts.parts.filter(({ labels }) => labels.has(routerLabel));
  return proxied(facts, routers, route, "OpenShift's router is not in the input");
}

function proxied(facts: Facts, proxies: readonly Part[], from: OtherObject, missing: string): IngressFound {
  const hops = proxies.map((part) =>
    partHop(facts, part, { hop: "gateway", role: "", need: isNeeded, service: serviceOf(facts, part) }),
  );
  if (hops.length > 0) return { hops, notModelled: [] };
  const ref = `${from.ref.kind} ${from.ref.namespace}/${from.ref.name}`;
  return { hops: [], notModelled: [{ what: missing, ref, couldChange: "whether requests reach the model" }] };
}
