import { type ObjectKey, objectKey } from "../model/key.ts";
import type { Fields } from "../wire/fields.ts";

export function serviceKey(namespace: string, name: string): ObjectKey {
  return objectKey({ apiVersion: "v1", kind: "Service", namespace, name });
}

/** `name`, `name.ns` or `name.ns.svc.cluster.local`; nothing for hosts outside. */
export function serviceOfHost(host: string, namespace: string): readonly ObjectKey[] {
  const [name = "", other = "", mark = ""] = host.split(".");
  if (name === "" || (mark !== "" && mark !== "svc")) return [];
  return [serviceKey(other === "" ? namespace : other, name)];
}

/** `routes[].services[]`, as Traefik and Contour write it. */
export function servicesOfRoutes(spec: Fields, namespace: string): readonly ObjectKey[] {
  return spec
    .objects("routes")
    .flatMap((rule) => rule.objects("services"))
    .map((service) => serviceKey(service.optionalText("namespace") ?? namespace, service.text("name")));
}
