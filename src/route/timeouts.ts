import { parseDuration } from "../base/duration.ts";
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
  const [policy] = [route.ref, ...gateways].flatMap((ref) => ofPolicy(facts, ref));
  return policy === undefined ? [] : [policy];
}

/** Mirrors: Envoy Gateway v1.9 BackendTrafficPolicy; a route's own comes before its Gateway's. */
function ofPolicy(facts: Facts, { kind, namespace, name }: ObjectRef): readonly string[] {
  return facts
    .others("BackendTrafficPolicy", "gateway.envoyproxy.io")
    .filter(({ ref }) => ref.namespace === namespace)
    .map((policy) => fieldsOf(policy).object("spec"))
    .filter((spec) =>
      [spec.object("targetRef"), ...spec.objects("targetRefs")].some(
        (target) => target.text("kind") === kind && target.text("name") === name,
      ),
    )
    .map((spec) => spec.object("timeout").object("http").text("requestTimeout"))
    .filter((text) => text !== "");
}
