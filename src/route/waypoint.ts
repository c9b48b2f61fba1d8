import type { ObjectKey } from "../model/key.ts";
import type { Service } from "../model/policy.ts";
import type { Hop } from "../systems/endpoint.ts";
import type { Facts } from "../systems/facts.ts";
import { labelledProxies } from "../systems/gateway-labels.ts";
import { isNeeded, type Need } from "../systems/system.ts";
import { partHop, serviceOf } from "./part-hop.ts";

const useWaypoint = "istio.io/use-waypoint";
const ingressUses = "istio.io/ingress-use-waypoint";
const spared: Need = {
  needed: false,
  because: "Requests through the gateway do not pass the waypoint; those of workloads in the mesh do.",
};

/**
 * The waypoint proxies that requests to these Services pass in Istio's ambient mode. Gateways go by them only where the Service or its
 * namespace says so.
 * Mirrors: Istio 1.31, labels istio.io/use-waypoint, use-waypoint-namespace and ingress-use-waypoint.
 */
export function waypointHops(facts: Facts, backends: readonly ObjectKey[], hasGateway: boolean): readonly Hop[] {
  return backends
    .flatMap((key) => serviceOfKey(facts, key) ?? [])
    .flatMap((service) => {
      const stated = (label: string): string => labelOf(facts, service, label);
      const name = stated(useWaypoint);
      if (name === "" || name === "none") return [];
      const namespace = stated(`${useWaypoint}-namespace`) || service.ref.namespace;
      const need = hasGateway && stated(ingressUses) !== "true" ? spared : isNeeded;
      return labelledProxies(
        { ref: { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", namespace, name } },
        facts,
      ).map((part) => partHop(facts, part, { hop: "waypoint", role: "", need, service: serviceOf(facts, part) }));
    });
}

function serviceOfKey(facts: Facts, key: ObjectKey): Service | undefined {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return kind === "Service." ? facts.service(namespace, name) : undefined;
}

/** By the Service's own label, else its namespace's. */
function labelOf({ cluster }: Facts, { labels, ref }: Service, label: string): string {
  return labels.get(label) ?? cluster.namespaces.get(ref.namespace)?.labels.get(label) ?? "";
}
