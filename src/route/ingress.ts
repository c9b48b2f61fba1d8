import type { OtherObject } from "../model/cluster.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf, type Part } from "../systems/facts.ts";
import { systems } from "../systems/registry.ts";
import { type IngressClass, isNeeded } from "../systems/system.ts";
import type { Front } from "./front.ts";
import { outsideHop, partHop, serviceOf } from "./part-hop.ts";

export interface IngressFound {
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

const routerLabel = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller";

/** What stands in front of Ingresses and OpenShift Routes. */
export function ingressHops(facts: Facts, front: Front): IngressFound {
  const found = [...front.ingresses.map((ingress) => ofIngress(facts, ingress))];
  const first = front.openShiftRoutes[0];
  if (first !== undefined) found.push(ofRoute(facts, first));
  return { hops: found.flatMap(({ hops }) => hops), notModelled: found.flatMap(({ notModelled }) => notModelled) };
}

/** More than one implementation may serve a class (two builds of one controller): those that have pods here count. */
function ofIngress(facts: Facts, ingress: OtherObject): IngressFound {
  const ingressClass = classOf(facts, ingress);
  const kinds = systems.flatMap((system) => system.ingresses ?? []).filter((kind) => kind.serves(ingressClass, facts));
  const outside = kinds.find((kind) => kind.outside !== "")?.outside;
  if (outside !== undefined) {
    const hop = outsideHop({ hop: "gateway", component: "Managed ingress", ref: ingress.ref, outside, service: null });
    return { hops: [hop], notModelled: [] };
  }
  const proxies = kinds.flatMap((kind) => kind.proxies(ingressClass, facts));
  return proxied(facts, proxies, ingress, `the controller of ingress class ${ingressClass.name} is not in the input`);
}

const classGroup = "networking.k8s.io";
const isDefault = "ingressclass.kubernetes.io/is-default-class";

/**
 * The class an Ingress states, else the cluster's default, else what serves Ingresses without one: at Google the load balancer,
 * elsewhere ingress-nginx where it is told to.
 */
function classOf(facts: Facts, ingress: OtherObject): IngressClass {
  const stated =
    fieldsOf(ingress).object("spec").optionalText("ingressClassName") ??
    ingress.annotations.get("kubernetes.io/ingress.class");
  const classes = facts.others("IngressClass", classGroup);
  const chosen =
    stated === undefined
      ? classes.find(({ annotations }) => annotations.get(isDefault) === "true")
      : classes.find(({ ref }) => ref.name === stated);
  const usual = facts.cluster.nodes.some(({ labels }) => labels.has("cloud.google.com/gke-nodepool")) ? "gce" : "nginx";
  const controller = chosen === undefined ? "" : fieldsOf(chosen).object("spec").text("controller");
  return { name: stated ?? chosen?.ref.name ?? usual, controller };
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
