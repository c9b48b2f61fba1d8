import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { OtherObject } from "../model/cluster.ts";
import type { ObjectKey } from "../model/key.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import { systems } from "../systems/registry.ts";
import { isNeeded, type RouteKind, type Ways } from "../systems/system.ts";
import { partHop, serviceOf } from "./part-hop.ts";

export interface OtherRoutesFound {
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

interface Leading {
  readonly kind: RouteKind;
  readonly route: OtherObject;
  /** Its place among all such routes. */
  readonly at: number;
}

/** Routes of their makers' own kinds that lead to one of these Services, in one order whatever is asked. */
function leadingTo(facts: Facts, backends: readonly ObjectKey[]): readonly Leading[] {
  const known = underKey(byBackend, facts, leadingOf);
  return [...new Set(backends.flatMap((key) => known.get(key) ?? []))].sort((a, b) => a.at - b.at);
}

/** Asked several times for every endpoint. */
const byBackend = new WeakMap<Facts, ReadonlyMap<ObjectKey, readonly Leading[]>>();

function leadingOf(facts: Facts): ReadonlyMap<ObjectKey, readonly Leading[]> {
  const found = new Map<ObjectKey, Leading[]>();
  const all = systems
    .flatMap((system) => system.routes ?? [])
    .flatMap((kind) => facts.others(kind.kind, kind.group).map((route) => ({ kind, route })));
  for (const [at, { kind, route }] of all.entries()) {
    const leading = { kind, route, at };
    const keys = kind.backends(fieldsOf(route).object("spec"), route.ref.namespace);
    for (const key of new Set(keys)) listed(found, key, leading);
  }
  return found;
}

/** Whether such a route sends requests there, by whatever proxies. */
export function isLedTo(facts: Facts, backends: readonly ObjectKey[]): boolean {
  return leadingTo(facts, backends).length > 0;
}

/** Where requests come in that such routes' proxies pass on. */
export function waysTo(facts: Facts, backends: readonly ObjectKey[]): readonly Ways[] {
  return leadingTo(facts, backends).flatMap(({ kind, route }) => kind.ways?.(facts, route) ?? []);
}

/** How long an answer may take, as these routes write it. */
export function timeoutsOfOthers(facts: Facts, backends: readonly ObjectKey[]): readonly string[] {
  return leadingTo(facts, backends).flatMap(
    ({ kind, route }) => kind.timeouts?.(fieldsOf(route).object("spec")).filter((text) => text !== "") ?? [],
  );
}

/** Hosts meet: either side may leave them open. */
export function meets(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((host) => b.includes(host));
}

/** What such routes put in front of an endpoint's Services, first what leads to others of them. */
export function otherRouteHops(facts: Facts, backends: readonly ObjectKey[]): OtherRoutesFound {
  const hops = new Map<ObjectKey, Hop>();
  const notModelled: Endpoint["notModelled"][number][] = [];
  const behind = waysTo(facts, backends).flatMap((ways) =>
    leadingTo(facts, ways.backends).filter(({ kind, route }) =>
      meets(ways.hosts, kind.hosts?.(fieldsOf(route).object("spec")) ?? []),
    ),
  );
  for (const { kind, route } of [...behind, ...leadingTo(facts, backends)]) {
    const proxies = kind.proxies(facts, route);
    if (proxies === null) continue;
    for (const part of proxies) {
      const place = { hop: "gateway", role: "", need: isNeeded, service: serviceOf(facts, part) };
      hops.set(part.workload.key, partHop(facts, part, place));
    }
    if (proxies.length > 0) continue;
    notModelled.push({
      what: `the proxies behind ${kind.kind}.${kind.group} are not known here`,
      ref: `${kind.kind} ${route.ref.namespace}/${route.ref.name}`,
      couldChange: "whether requests reach the model",
    });
  }
  return { hops: [...hops.values()], notModelled };
}
