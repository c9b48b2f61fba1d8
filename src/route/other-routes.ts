import type { OtherObject } from "../model/cluster.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import { type LabelSelector, matches } from "../model/labels.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf, type Part, selectorOf } from "../systems/facts.ts";
import { isNeeded } from "../systems/system.ts";
import type { Fields } from "../wire/fields.ts";
import { partHop, serviceOf } from "./part-hop.ts";

/** Routes of their makers' own kinds, beside Gateway API and Ingress, that lead to a Service. */
interface RouteKind {
  readonly kind: string;
  readonly group: string;
  /** Services it sends requests to, by key. */
  readonly backends: (spec: Fields, namespace: string) => readonly ObjectKey[];
  /** The pods requests pass on the way; null: nothing is in front because of this route. */
  readonly proxies: (facts: Facts, route: OtherObject) => readonly Part[] | null;
}

export interface OtherRoutesFound {
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

const nobodyKnown = (): readonly Part[] => [];

/**
 * Mirrors: Istio's networking API v1 (hosts of destinations, gateways by namespace/name, selectors over all namespaces),
 * Traefik's IngressRoute v1alpha1. Of the others only that something is in front is known.
 */
const routeKinds: readonly RouteKind[] = [
  {
    kind: "VirtualService",
    group: "networking.istio.io",
    backends: (spec, namespace) =>
      ["http", "tls", "tcp"].flatMap((protocol) =>
        spec
          .objects(protocol)
          .flatMap((rule) => rule.objects("route"))
          .flatMap((route) => serviceOfHost(route.object("destination").text("host"), namespace)),
      ),
    proxies: istioProxies,
  },
  ...["traefik.io", "traefik.containo.us"].flatMap((group) =>
    ["IngressRoute", "IngressRouteTCP"].map((kind) => ({
      kind,
      group,
      backends: (spec: Fields, namespace: string) => servicesOf(spec, namespace),
      proxies: (facts: Facts) => facts.parts.filter(({ labels }) => labels.get("app.kubernetes.io/name") === "traefik"),
    })),
  ),
  { kind: "HTTPProxy", group: "projectcontour.io", backends: servicesOf, proxies: nobodyKnown },
  {
    kind: "ApisixRoute",
    group: "apisix.apache.org",
    backends: (spec, namespace) =>
      spec
        .objects("http")
        .flatMap((rule) => rule.objects("backends"))
        .map((backend) => serviceKey(namespace, backend.text("serviceName"))),
    proxies: nobodyKnown,
  },
  {
    kind: "HTTPScaledObject",
    group: "http.keda.sh",
    backends: (spec, namespace) => [serviceKey(namespace, spec.object("scaleTargetRef").text("service"))],
    proxies: nobodyKnown,
  },
];

/** What such routes put in front of an endpoint's Services. */
export function otherRouteHops(facts: Facts, backends: readonly ObjectKey[]): OtherRoutesFound {
  const wanted = new Set(backends);
  const hops = new Map<ObjectKey, Hop>();
  const notModelled: Endpoint["notModelled"][number][] = [];
  for (const route of routeKinds) {
    for (const object of facts.others(route.kind, route.group)) {
      const { namespace, name } = object.ref;
      if (!route.backends(fieldsOf(object).object("spec"), namespace).some((key) => wanted.has(key))) continue;
      const proxies = route.proxies(facts, object);
      if (proxies === null) continue;
      for (const part of proxies) {
        const parts = { hop: "gateway", role: "", need: isNeeded, service: serviceOf(facts, part) };
        hops.set(part.workload.key, partHop(facts, part, parts));
      }
      if (proxies.length > 0) continue;
      const what = `the proxies behind ${route.kind}.${route.group} are not known here`;
      notModelled.push({
        what,
        ref: `${route.kind} ${namespace}/${name}`,
        couldChange: "whether requests reach the model",
      });
    }
  }
  return { hops: [...hops.values()], notModelled };
}

/** `name`, `name.ns` or `name.ns.svc.cluster.local`; nothing for hosts outside. */
function serviceOfHost(host: string, namespace: string): readonly ObjectKey[] {
  const [name = "", other = "", mark = ""] = host.split(".");
  if (name === "" || (mark !== "" && mark !== "svc")) return [];
  return [serviceKey(other === "" ? namespace : other, name)];
}

/** `routes[].services[]`, as Traefik and Contour write it. */
function servicesOf(spec: Fields, namespace: string): readonly ObjectKey[] {
  return spec
    .objects("routes")
    .flatMap((rule) => rule.objects("services"))
    .map((service) => serviceKey(service.optionalText("namespace") ?? namespace, service.text("name")));
}

/** Pods that the route's Gateways select, in any namespace; the mesh's own sidecars are in front of nothing. */
function istioProxies(facts: Facts, route: OtherObject): readonly Part[] | null {
  const named = fieldsOf(route)
    .object("spec")
    .texts("gateways")
    .filter((name) => name !== "mesh");
  if (named.length === 0) return null;
  const selectors = named.flatMap((name): readonly LabelSelector[] => {
    const slash = name.indexOf("/");
    const [namespace, bare] = slash < 0 ? [route.ref.namespace, name] : [name.slice(0, slash), name.slice(slash + 1)];
    const gateway = facts.other("Gateway", "networking.istio.io", namespace, bare);
    const labels = gateway === undefined ? null : fieldsOf(gateway).object("spec").textMap("selector");
    return labels === null || labels.size === 0 ? [] : [selectorOf(labels)];
  });
  return facts.parts.filter(
    ({ template }) => template !== null && selectors.some((selector) => matches(selector, template.labels)),
  );
}

function serviceKey(namespace: string, name: string): ObjectKey {
  return objectKey({ apiVersion: "v1", kind: "Service", namespace, name });
}
