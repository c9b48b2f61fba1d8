import { parseDuration } from "../base/duration.ts";
import { listed } from "../base/listed.ts";
import { underKey } from "../base/under-key.ts";
import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import { type Facts, fieldsOf } from "../systems/facts.ts";
import type { Entry } from "../systems/system.ts";
import type { Front } from "./front.ts";
import { timeoutsOfOthers } from "./other-routes.ts";

/**
 * The longest that a request may take as what leads there states it, ms; `0s` is no limit. Null: none is stated, or some request has
 * no limit. Gateway API: `timeouts.request` of a rule, before what a policy of Envoy Gateway says of its route or Gateway; beside
 * these what other makers' routes say. How long a stream may be silent is something else.
 */
export function longestTimeoutMs(facts: Facts, { backends }: Entry, front: Front): number | null {
  const texts = [
    ...front.routes.flatMap((route) => ofRoute(facts, route, front.gateways)),
    ...timeoutsOfOthers(facts, backends),
  ];
  const stated = texts.map(parseDuration).filter((timeout) => timeout !== null);
  return stated.length === 0 || stated.includes(0) ? null : Math.max(...stated);
}

function ofRoute(facts: Facts, route: OtherObject, gateways: readonly ObjectRef[]): readonly string[] {
  const rules = fieldsOf(route).object("spec").objects("rules");
  const own = rules.map((rule) => rule.object("timeouts").text("request")).filter((text) => text !== "");
  if (own.length > 0) return own;
  const policies = underKey(byTarget, facts, policiesOf);
  const [policy] = [route.ref, ...gateways].flatMap((ref) => policies.get(targetOf(ref)) ?? []);
  return policy === undefined ? [] : [policy];
}

/** By what they are for. Mirrors: Envoy Gateway v1.9 BackendTrafficPolicy; a route's own comes before its Gateway's. */
const byTarget = new WeakMap<Facts, ReadonlyMap<string, readonly string[]>>();

function policiesOf(facts: Facts): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const policy of facts.others("BackendTrafficPolicy", "gateway.envoyproxy.io")) {
    const spec = fieldsOf(policy).object("spec");
    const timeout = spec.object("timeout").object("http").text("requestTimeout");
    if (timeout === "") continue;
    const { namespace } = policy.ref;
    for (const target of [spec.object("targetRef"), ...spec.objects("targetRefs")])
      listed(found, targetOf({ kind: target.text("kind"), namespace, name: target.text("name") }), timeout);
  }
  return found;
}

/** A policy's target is of its own namespace, and named without a version. */
function targetOf({ kind, namespace, name }: Pick<ObjectRef, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}
