import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Facts, Part } from "./facts.ts";

const gatewayLabel = "gateway.networking.k8s.io/gateway-name";

/** Proxies by the label every implementation but Envoy Gateway sets, in the Gateway's namespace. */
export function labelledProxies(gateway: { readonly ref: ObjectRef }, facts: Facts): readonly Part[] {
  const { namespace, name } = gateway.ref;
  return facts.partsIn(namespace).filter(({ labels }) => labels.get(gatewayLabel) === name);
}

/** The Gateway a proxy was made for. */
export function gatewayOf(part: Part, facts: Facts): OtherObject | undefined {
  const name = part.labels.get(gatewayLabel);
  if (name === undefined) return undefined;
  return facts.other("Gateway", "gateway.networking.k8s.io", part.workload.ref.namespace, name);
}
