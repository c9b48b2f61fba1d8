import type { OtherObject } from "../model/cluster.ts";
import { groupOf, type ObjectKey, type ObjectRef } from "../model/key.ts";
import type { Endpoint } from "../systems/endpoint.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import type { Entry } from "../systems/system.ts";
import type { Fields } from "../wire/fields.ts";
import { type Front, servedBy } from "./front.ts";
import { isLedTo } from "./other-routes.ts";

/**
 * Gateway API: a gateway may not take a route on, and a route may send requests to another namespace only where a ReferenceGrant there
 * lets it. Named where that is so of every route that leads to the endpoint: then nothing says that a request reaches it.
 */
export function refusedRoutesOf(facts: Facts, { backends }: Entry, front: Front): Endpoint["notModelled"] {
  if (front.ingresses.length + front.openShiftRoutes.length > 0 || isLedTo(facts, backends)) return [];
  const refused = front.routes.map((route) => ({ route, why: refusalOf(facts, route, new Set(backends)) }));
  if (refused.some(({ why }) => why === "")) return [];
  return refused.map(({ route: { ref }, why }) => ({
    what: why,
    ref: `${ref.kind} ${ref.namespace}/${ref.name}`,
    couldChange: "whether requests reach the model",
  }));
}

/** "": it is taken on, as far as is known, and may send requests there. */
function refusalOf(facts: Facts, route: OtherObject, backends: ReadonlySet<ObjectKey>): string {
  const said = conditionsOf(route);
  const accepted = said.filter(({ type }) => type === "Accepted");
  const [first] = accepted;
  if (first !== undefined && accepted.every(({ status }) => status === "False"))
    return `no gateway takes the route on: ${first.reason}`;
  const refs = servedBy(facts, route).filter(({ keys }) => keys.some((key) => backends.has(key)));
  if (refs.length === 0 || refs.some(({ ref }) => mayRefer(facts, route, ref, said))) return "";
  const [namespace] = refs.flatMap(({ ref }) => ref.optionalText("namespace") ?? []);
  return `no ReferenceGrant in ${namespace} lets the route send requests there`;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** What its gateways' controllers say of a route, parent by parent. */
function conditionsOf(route: OtherObject): readonly Condition[] {
  return fieldsOf(route)
    .object("status")
    .objects("parents")
    .flatMap((parent) => parent.objects("conditions"))
    .map((one) => ({ type: one.text("type"), status: one.text("status"), reason: one.text("reason") }));
}

/** Where no grant was read at all, only a controller's word says that one is missing: they may not be in the input. */
function mayRefer(facts: Facts, { ref }: OtherObject, to: Fields, said: readonly Condition[]): boolean {
  const namespace = to.optionalText("namespace") ?? ref.namespace;
  if (namespace === ref.namespace) return true;
  const grants = facts.others("ReferenceGrant", "gateway.networking.k8s.io");
  if (grants.some((grant) => grant.ref.namespace === namespace && isGrantedBy(fieldsOf(grant).object("spec"), ref, to)))
    return true;
  const resolved = said.filter(({ type }) => type === "ResolvedRefs");
  if (resolved.some(({ status }) => status === "True")) return true;
  return grants.length === 0 && !resolved.some(({ reason }) => reason === "RefNotPermitted");
}

function isGrantedBy(grant: Fields, from: ObjectRef, to: Fields): boolean {
  const isFrom = (one: Fields): boolean =>
    one.text("group") === groupOf(from.apiVersion) &&
    one.text("kind") === from.kind &&
    one.text("namespace") === from.namespace;
  const isTo = (one: Fields): boolean =>
    one.text("group") === (to.optionalText("group") ?? "") &&
    one.text("kind") === (to.optionalText("kind") ?? "Service") &&
    (one.optionalText("name") ?? to.text("name")) === to.text("name");
  return grant.objects("from").some(isFrom) && grant.objects("to").some(isTo);
}
