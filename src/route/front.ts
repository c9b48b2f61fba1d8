import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { OtherObject } from "../model/cluster.ts";
import { type ObjectKey, type ObjectRef, objectKey } from "../model/key.ts";
import type { Unheeded } from "../systems/endpoint.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import { ingressServices, serviceKey } from "../systems/route-kind.ts";
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
  readonly unheeded: readonly Unheeded[];
}

export function frontOf(facts: Facts, entry: Entry): Front {
  const front = leadingTo(facts, entry, entry.backends);
  const behind = waysTo(facts, entry.backends).map(({ backends, hosts }) =>
    onlyFor(facts, hosts, leadingTo(facts, { ...entry, routes: [] }, backends)),
  );
  return {
    routes: [front, ...behind].flatMap(({ routes }) => routes),
    gateways: distinct([front, ...behind].flatMap(({ gateways }) => gateways)),
    ingresses: [front, ...behind].flatMap(({ ingresses }) => ingresses),
    openShiftRoutes: [front, ...behind].flatMap(({ openShiftRoutes }) => openShiftRoutes),
    unheeded: [...weightlessFor(facts, entry, front), ...front.unheeded],
  };
}

/** Routes that name the endpoint for none of the requests, where they do not lead to it by another rule. */
function weightlessFor(facts: Facts, { backends }: Entry, { routes }: Front): readonly Unheeded[] {
  const known = underKey(weightless, facts, () => weightlessOf(facts));
  const found = new Set(backends.flatMap((key) => known.get(key) ?? []));
  return [...found]
    .filter((route) => !routes.includes(route))
    .map(({ ref, source }) => ({ route: ref, source, asked: "", of: null }));
}

/** Backend → the routes that give it no weight. */
const weightless = new WeakMap<Facts, ReadonlyMap<ObjectKey, readonly OtherObject[]>>();

function weightlessOf(facts: Facts): ReadonlyMap<ObjectKey, readonly OtherObject[]> {
  const found = new Map<ObjectKey, OtherObject[]>();
  for (const route of allRoutes(facts))
    for (const key of backendsOf(facts, route).weightless) listed(found, key, route);
  return found;
}

function distinct(refs: readonly ObjectRef[]): readonly ObjectRef[] {
  return [...new Map(refs.map((ref) => [objectKey(ref), ref])).values()];
}

/** A route that states no host takes every one. */
function onlyFor(facts: Facts, hosts: readonly string[], front: Front): Front {
  const isFor = (stated: readonly string[]): boolean => meets(stated, hosts);
  const routes = front.routes.filter((route) => isFor(fieldsOf(route).object("spec").texts("hostnames")));
  return {
    routes,
    gateways: distinct(routes.flatMap((route) => parentsOf(facts, route))),
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
    unheeded: [],
  };
}

function leadingTo(facts: Facts, entry: Pick<Entry, "routes">, keys: readonly ObjectKey[]): Front {
  const backends = new Set(keys);
  const routes = routesTo(facts, backends, new Set(entry.routes.map(({ key }) => key)));
  const asked = routes.flatMap((route) => parentsAsked(facts, route));
  return {
    routes,
    gateways: distinct(asked.flatMap(({ gateway }) => gateway ?? [])),
    ingresses: facts
      .others("Ingress", "networking.k8s.io")
      .filter((ingress) => ingressBackends(ingress).some((key) => backends.has(key))),
    openShiftRoutes: facts
      .others("Route", "route.openshift.io")
      .filter((route) =>
        backends.has(serviceKey(route.ref.namespace, fieldsOf(route).object("spec").object("to").text("name"))),
      ),
    unheeded: asked.flatMap(({ unheeded }) => unheeded ?? []),
  };
}

/** Routes that lead there, and those that hand requests on to such a route (kgateway's delegation, `*` for all of a namespace). */
function routesTo(
  facts: Facts,
  backends: ReadonlySet<ObjectKey>,
  named: ReadonlySet<ObjectKey>,
): readonly OtherObject[] {
  const all = allRoutes(facts);
  const found = new Set<OtherObject>();
  const wanted = new Set(backends);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const route of all) {
      if (found.has(route)) continue;
      if (!named.has(route.key) && !backendsOf(facts, route).serving.some((key) => wanted.has(key))) continue;
      found.add(route);
      wanted.add(route.key);
      wanted.add(`${route.ref.kind}.${gatewayGroup}/${route.ref.namespace}/*`);
    }
  }
  return all.filter((route) => found.has(route));
}

function allRoutes(facts: Facts): readonly OtherObject[] {
  return routeKinds.flatMap(([kind, group]) => facts.others(kind, group));
}

/** What a route names, by whether it sends requests there. */
interface Backends {
  readonly serving: readonly ObjectKey[];
  readonly served: readonly Served[];
  readonly weightless: readonly ObjectKey[];
}

/** What one of a route's backendRefs stands for. */
export interface Served {
  readonly ref: Fields;
  readonly keys: readonly ObjectKey[];
}

/** Where a route sends requests. */
export function servedBy(facts: Facts, route: OtherObject): readonly Served[] {
  return backendsOf(facts, route).served;
}

/** Asked for every endpoint. */
const knownBackends = new WeakMap<Facts, Map<OtherObject, Backends>>();

function backendsOf(facts: Facts, route: OtherObject): Backends {
  let known = knownBackends.get(facts);
  if (known === undefined) {
    known = new Map();
    knownBackends.set(facts, known);
  }
  const backends = known.get(route) ?? readBackends(facts, route);
  known.set(route, backends);
  return backends;
}

/** Gateway API: a backend of weight 0 gets no request; one that states none has weight 1. */
function readBackends(facts: Facts, route: OtherObject): Backends {
  // What a route of Envoy AI Gateway names without a kind is an AIServiceBackend.
  const plain = route.ref.kind === "AIGatewayRoute" ? aiBackend : plainBackend;
  const named = fieldsOf(route)
    .object("spec")
    .objects("rules")
    .flatMap((rule) => rule.objects("backendRefs"));
  const [weightless = [], served = []] = [true, false].map((isWeightless) =>
    named
      .filter((backend) => (backend.whole("weight") === 0) === isWeightless)
      .map((ref): Served => ({ ref, keys: servicesBehind(facts, backendKey(ref, route.ref.namespace, plain)) })),
  );
  return { serving: keysOf(served), served, weightless: keysOf(weightless) };
}

function keysOf(served: readonly Served[]): readonly ObjectKey[] {
  return served.flatMap(({ keys }) => keys);
}

interface BackendKind {
  readonly group: string;
  readonly kind: string;
}

const plainBackend: BackendKind = { group: "", kind: "Service" };
const aiBackend: BackendKind = { group: "aigateway.envoyproxy.io", kind: "AIServiceBackend" };

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

/** Gateways it is attached to. */
function parentsOf(facts: Facts, route: OtherObject): readonly ObjectRef[] {
  return parentsAsked(facts, route).flatMap(({ gateway }) => gateway ?? []);
}

/** What came of one parent a route names: the Gateway it is attached to, also by a ListenerSet of it, or why it is not. */
interface Asked {
  readonly gateway?: ObjectRef;
  readonly unheeded?: Unheeded;
}

function parentsAsked(facts: Facts, route: OtherObject): readonly Asked[] {
  const { namespace } = route.ref;
  return fieldsOf(route)
    .object("spec")
    .objects("parentRefs")
    .map((parent): Asked => {
      const kind = parent.optionalText("kind") ?? "Gateway";
      const near = parent.optionalText("namespace") ?? namespace;
      const name = parent.text("name");
      const groups = kind === "Gateway" ? [gatewayGroup] : listenerSetGroups;
      const found = groups.map((group) => facts.other(kind, group, near, name)).find((one) => one !== undefined);
      if (!isListenedTo(parent, found)) {
        const asked = [parent.optionalText("sectionName"), parent.whole("port")].filter((part) => part !== null);
        return { unheeded: { route: route.ref, source: route.source, asked: asked.join(":"), of: found?.ref ?? null } };
      }
      if (kind === "Gateway") return { gateway: gatewayRef(near, name) };
      if (found === undefined) return {};
      const above = fieldsOf(found).object("spec").object("parentRef");
      return { gateway: gatewayRef(above.optionalText("namespace") ?? near, above.text("name")) };
    });
}

/** A listener of the parent has the name and the port asked for; of what is not in the input that is taken for granted. */
function isListenedTo(parent: Fields, to: OtherObject | undefined): boolean {
  const name = parent.optionalText("sectionName");
  const port = parent.whole("port");
  if (to === undefined || (name === null && port === null)) return true;
  return fieldsOf(to)
    .object("spec")
    .objects("listeners")
    .some(
      (listener) =>
        (name === null || listener.text("name") === name) && (port === null || listener.whole("port") === port),
    );
}

/** ListenerSet, and XListenerSet before it. */
const listenerSetGroups = [gatewayGroup, "gateway.networking.x-k8s.io"] as const;

function gatewayRef(namespace: string, name: string): ObjectRef {
  return { apiVersion: `${gatewayGroup}/v1`, kind: "Gateway", namespace, name };
}

function ingressBackends(ingress: OtherObject): readonly ObjectKey[] {
  return ingressServices(fieldsOf(ingress).object("spec")).map((name) => serviceKey(ingress.ref.namespace, name));
}
