import { parseDuration } from "../base/duration.ts";
import type { OtherObject } from "../model/cluster.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import { serviceKey } from "../systems/route-kind.ts";
import type { Entry } from "../systems/system.ts";
import type { Fields } from "../wire/fields.ts";
import { meets, waysTo } from "./other-routes.ts";

const gatewayGroup = "gateway.networking.k8s.io";
const routeKinds = [
  ["HTTPRoute", gatewayGroup],
  ["GRPCRoute", gatewayGroup],
  ["TLSRoute", gatewayGroup],
  ["TCPRoute", gatewayGroup],
  ["AIGatewayRoute", "aigateway.envoyproxy.io"],
] as const;

/** What leads to an endpoint from outside it: each object found once, in order of kind, namespace and name. */
export interface Front {
  readonly routes: readonly OtherObject[];
  /** Gateways the routes are attached to; they need not be in the input. */
  readonly gateways: readonly ObjectRef[];
  readonly ingresses: readonly OtherObject[];
  /** OpenShift routes. */
  readonly openShiftRoutes: readonly OtherObject[];
}

export function frontOf(facts: Facts, entry: Entry): Front {
  const front = leadingTo(facts, entry, entry.backends);
  const behind = waysTo(facts, entry.backends).map(({ backends, hosts }) =>
    onlyFor(hosts, leadingTo(facts, { ...entry, routes: [] }, backends)),
  );
  return {
    routes: [front, ...behind].flatMap(({ routes }) => routes),
    gateways: distinct([front, ...behind].flatMap(({ gateways }) => gateways)),
    ingresses: [front, ...behind].flatMap(({ ingresses }) => ingresses),
    openShiftRoutes: [front, ...behind].flatMap(({ openShiftRoutes }) => openShiftRoutes),
  };
}

function distinct(refs: readonly ObjectRef[]): readonly ObjectRef[] {
  return [...new Map(refs.map((ref) => [objectKey(ref), ref])).values()];
}

/** A route that states no host takes every one. */
function onlyFor(hosts: readonly string[], front: Front): Front {
  const isFor = (stated: readonly string[]): boolean => meets(stated, hosts);
  const routes = front.routes.filter((route) => isFor(fieldsOf(route).object("spec").texts("hostnames")));
  return {
    routes,
    gateways: distinct(routes.flatMap(parentsOf)),
    ingresses: front.ingresses.filter((ingress) =>
      isFor(
        fieldsOf(ingress)
          .object("spec")
          .objects("rules")
          .flatMap((rule) => rule.optionalText("host") ?? []),
      ),
    ),
    openShiftRoutes: front.openShiftRoutes.filter((route) =>
      isFor([fieldsOf(route).object("spec").text("host")].filter((host) => host !== "")),
    ),
  };
}

function leadingTo(facts: Facts, entry: Pick<Entry, "routes">, keys: readonly ObjectKey[]): Front {
  const backends = new Set(keys);
  const named = new Set(entry.routes.map(({ key }) => key));
  const routes = routeKinds.flatMap(([kind, group]) =>
    facts
      .others(kind, group)
      .filter((route) => named.has(route.key) || backendsOf(facts, route).some((key) => backends.has(key))),
  );
  return {
    routes,
    gateways: distinct(routes.flatMap(parentsOf)),
    ingresses: facts
      .others("Ingress", "networking.k8s.io")
      .filter((ingress) => ingressBackends(ingress).some((key) => backends.has(key))),
    openShiftRoutes: facts
      .others("Route", "route.openshift.io")
      .filter((route) =>
        backends.has(serviceKey(route.ref.namespace, fieldsOf(route).object("spec").object("to").text("name"))),
      ),
  };
}

function backendsOf(facts: Facts, route: OtherObject): readonly ObjectKey[] {
  // What a route of Envoy AI Gateway names without a kind is an AIServiceBackend.
  const plain = route.ref.kind === "AIGatewayRoute" ? aiBackend : plainBackend;
  const rules = fieldsOf(route).object("spec").objects("rules");
  return rules.flatMap((rule) =>
    rule
      .objects("backendRefs")
      .flatMap((backend) => servicesBehind(facts, backendKey(backend, route.ref.namespace, plain))),
  );
}

interface BackendKind {
  readonly group: string;
  readonly kind: string;
}

const plainBackend: BackendKind = { group: "", kind: "Service" };
const aiBackend: BackendKind = { group: "aigateway.envoyproxy.io", kind: "AIServiceBackend" };

/** Gateway API: `timeouts.request` of each rule; `0s` is no limit. Null: none is stated, or some request has no limit. */
export function longestTimeoutMs({ routes }: Front): number | null {
  const stated = routes
    .flatMap((route) => fieldsOf(route).object("spec").objects("rules"))
    .map((rule) => parseDuration(rule.object("timeouts").text("request")))
    .filter((timeout) => timeout !== null);
  return stated.length === 0 || stated.includes(0) ? null : Math.max(...stated);
}

/** Gateway API: a backend is a Service of the route's namespace unless it says otherwise. */
function backendKey(backend: Fields, namespace: string, plain: BackendKind): ObjectKey {
  const named = backend.optionalText("kind");
  const group = backend.optionalText("group") ?? (named === null ? plain.group : "");
  return `${named ?? plain.kind}.${group}/${backend.optionalText("namespace") ?? namespace}/${backend.text("name")}`;
}

/**
 * Through Envoy AI Gateway's AIServiceBackend and Envoy Gateway's Backend to the Services they stand for; anything else
 * stands for itself. A Backend reaches a Service by its name in the cluster's DNS.
 */
function servicesBehind({ cluster }: Facts, key: ObjectKey): readonly ObjectKey[] {
  const object = cluster.others.get(key);
  if (object === undefined) return [key];
  const spec = fieldsOf(object).object("spec");
  const { namespace } = object.ref;
  if (key.startsWith("AIServiceBackend.aigateway.envoyproxy.io/")) {
    const next = backendKey(spec.object("backendRef"), namespace, plainBackend);
    return next.startsWith("AIServiceBackend.") ? [next] : servicesBehindBackend(cluster.others.get(next), next);
  }
  return servicesBehindBackend(object, key);
}

function servicesBehindBackend(object: OtherObject | undefined, key: ObjectKey): readonly ObjectKey[] {
  if (object === undefined || !key.startsWith("Backend.gateway.envoyproxy.io/")) return [key];
  return fieldsOf(object)
    .object("spec")
    .objects("endpoints")
    .flatMap((endpoint) => {
      const [name = "", namespace = "", mark] = endpoint.object("fqdn").text("hostname").split(".");
      return mark === "svc" ? [serviceKey(namespace, name)] : [];
    });
}

function parentsOf(route: OtherObject): readonly ObjectRef[] {
  return fieldsOf(route)
    .object("spec")
    .objects("parentRefs")
    .filter((parent) => (parent.optionalText("kind") ?? "Gateway") === "Gateway")
    .map((parent) => ({
      apiVersion: `${gatewayGroup}/v1`,
      kind: "Gateway",
      namespace: parent.optionalText("namespace") ?? route.ref.namespace,
      name: parent.text("name"),
    }));
}

function ingressBackends(ingress: OtherObject): readonly ObjectKey[] {
  const spec = fieldsOf(ingress).object("spec");
  const paths = spec.objects("rules").flatMap((rule) => rule.object("http").objects("paths"));
  const backends = [spec.object("defaultBackend"), ...paths.map((path) => path.object("backend"))];
  return backends.map((backend: Fields) => serviceKey(ingress.ref.namespace, backend.object("service").text("name")));
}
