import type { OtherObject } from "../model/cluster.ts";
import { groupOf, type ObjectRef } from "../model/key.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import { labelledProxies } from "../systems/gateway-labels.ts";
import { systems } from "../systems/registry.ts";
import { type FailOpen, type GatewayKind, isNeeded } from "../systems/system.ts";
import { outsideHop, partHop, serviceOf } from "./part-hop.ts";

export interface GatewayFound {
  readonly hops: readonly Hop[];
  readonly failOpen: FailOpen;
  readonly notModelled: Endpoint["notModelled"];
}

const unknownGateway: FailOpen = {
  honoured: false,
  because: "It is not known whether this gateway serves without a picker.",
};

/** The proxies of a Gateway, as its implementation is known to make them. */
export function gatewayHops(facts: Facts, ref: ObjectRef): GatewayFound {
  const gateway = facts.other("Gateway", groupOf(ref.apiVersion), ref.namespace, ref.name);
  const kind = gateway === undefined ? undefined : kindOf(facts, gateway);
  const failOpen = kind?.honoursFailOpen(facts) ?? unknownGateway;
  if (kind !== undefined && kind.outside !== "") {
    const hop = outsideHop({ hop: "gateway", component: "Managed gateway", ref, outside: kind.outside, service: null });
    return { hops: [hop], failOpen, notModelled: [] };
  }
  const proxies =
    gateway === undefined || kind === undefined ? labelledProxies({ ref }, facts) : kind.proxies(gateway, facts);
  const hops = proxies.map((part) =>
    partHop(facts, part, { hop: "gateway", role: "", need: isNeeded, service: serviceOf(facts, part) }),
  );
  if (hops.length > 0) return { hops, failOpen, notModelled: [] };
  const what = gateway === undefined ? "the gateway is not in the input" : "the gateway's proxies are not in the input";
  const missing = {
    what,
    ref: `Gateway ${ref.namespace}/${ref.name}`,
    couldChange: "whether requests reach the model",
  };
  return { hops: [], failOpen, notModelled: [missing] };
}

function kindOf(facts: Facts, gateway: OtherObject): GatewayKind | undefined {
  const className = fieldsOf(gateway).object("spec").text("gatewayClassName");
  const found = facts.other("GatewayClass", "gateway.networking.k8s.io", "", className);
  const controller = found === undefined ? "" : fieldsOf(found).object("spec").text("controllerName");
  return systems
    .flatMap((system) => system.gateways)
    .find((kind) =>
      controller === "" ? kind.classes?.test(className) === true : kind.controllers.includes(controller),
    );
}
