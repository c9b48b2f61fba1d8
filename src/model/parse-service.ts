import type { Fields } from "../wire/fields.ts";
import type { Meta } from "./parse-meta.ts";
import type { Service } from "./policy.ts";

export function parseService(fields: Fields, meta: Meta): Service {
  const spec = fields.object("spec");
  const selector = spec.textMap("selector");
  const type = spec.text("type") || "ClusterIP";
  return {
    ref: meta.ref,
    labels: meta.labels,
    annotations: meta.annotations,
    // An ExternalName Service has no endpoints even with a selector.
    selector: selector.size === 0 || type === "ExternalName" ? null : selector,
    publishNotReadyAddresses: spec.flag("publishNotReadyAddresses"),
    headless: spec.text("clusterIP") === "None",
    type,
    externalTrafficPolicyLocal: spec.text("externalTrafficPolicy") === "Local",
    internalTrafficPolicyLocal: spec.text("internalTrafficPolicy") === "Local",
    ports: spec.each("ports", parsePort),
    source: meta.source,
  };
}

function parsePort(port: Fields): Service["ports"][number] {
  const number = port.count("port") ?? 0;
  const target = port.raw("targetPort");
  const stated = typeof target === "string" || typeof target === "number" ? String(target) : "";
  return {
    name: port.text("name"),
    port: number,
    targetPort: stated === "" || stated === "0" ? String(number) : stated,
    protocol: port.text("protocol") || "TCP",
  };
}
