import { underKey } from "../base/under-key.ts";
import { type ObjectKey, objectKey } from "../model/key.ts";
import type { Service } from "../model/policy.ts";
import type { Fields } from "../wire/fields.ts";
import { type Facts, fieldsOf, type Part } from "./facts.ts";

export function serviceKey(namespace: string, name: string): ObjectKey {
  return objectKey({ apiVersion: "v1", kind: "Service", namespace, name });
}

/** `name`, `name.ns` or `name.ns.svc.cluster.local`; nothing for hosts outside. */
export function serviceOfHost(host: string, namespace: string): readonly ObjectKey[] {
  const [name = "", other = "", mark = ""] = host.split(".");
  if (name === "" || (mark !== "" && mark !== "svc")) return [];
  return [serviceKey(other === "" ? namespace : other, name)];
}

/** What is behind an address, its scheme and port left aside: of a Service, or of one pod of a headless Service. */
export function partsBehind(facts: Facts, address: string, namespace: string): readonly Part[] {
  const host = address.replace(/^[a-z]+:\/\//, "").replace(/[:/].*$/, "");
  const afterPod = host.slice(host.indexOf(".") + 1);
  const named = (text: string): Service | undefined => {
    const keys = serviceOfHost(text, namespace);
    return facts.services.find(({ ref }) => keys.includes(objectKey(ref)));
  };
  const service = named(host) ?? named(afterPod);
  return service === undefined ? [] : facts.selectedBy(service);
}

/** `routes[].services[]`, as Traefik and Contour write it. */
export function servicesOfRoutes(spec: Fields, namespace: string): readonly ObjectKey[] {
  return spec
    .objects("routes")
    .flatMap((rule) => withWeight(rule.objects("services")))
    .map((service) => serviceKey(service.optionalText("namespace") ?? namespace, service.text("name")));
}

/** Those that get requests: where others have weight, weight 0 is none. */
export function withWeight(backends: readonly Fields[]): readonly Fields[] {
  const weights = backends.map((backend) => backend.whole("weight"));
  return weights.some((weight) => weight !== null && weight > 0)
    ? backends.filter((_, at) => weights[at] !== 0)
    : backends;
}

/** Whether a route of the Gateway API or an Ingress names the Service. */
export function isRouted(facts: Facts, service: ObjectKey): boolean {
  return underKey(routed, facts, routedServices).has(service);
}

const routed = new WeakMap<Facts, ReadonlySet<ObjectKey>>();

function routedServices(facts: Facts): ReadonlySet<ObjectKey> {
  const found = new Set<ObjectKey>();
  for (const kind of ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute"]) {
    for (const route of facts.others(kind, "gateway.networking.k8s.io")) {
      const rules = fieldsOf(route).object("spec").objects("rules");
      for (const backend of rules.flatMap((rule) => rule.objects("backendRefs"))) {
        if ((backend.optionalText("kind") ?? "Service") !== "Service") continue;
        found.add(serviceKey(backend.optionalText("namespace") ?? route.ref.namespace, backend.text("name")));
      }
    }
  }
  for (const ingress of facts.others("Ingress", "networking.k8s.io")) {
    for (const name of ingressServices(fieldsOf(ingress).object("spec")))
      found.add(serviceKey(ingress.ref.namespace, name));
  }
  return found;
}

/** Services an Ingress sends requests to, by name. */
export function ingressServices(spec: Fields): readonly string[] {
  const paths = spec.objects("rules").flatMap((rule) => rule.object("http").objects("paths"));
  const backends = [spec.object("defaultBackend"), ...paths.map((path) => path.object("backend"))];
  return backends.map((backend) => backend.object("service").text("name"));
}
