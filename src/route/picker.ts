import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Service } from "../model/policy.ts";
import type { Endpoint, Hop, PodSet } from "../systems/endpoint.ts";
import { type Facts, fieldsOf, selectorOf } from "../systems/facts.ts";
import { outsideKnobs } from "../systems/knobs.ts";
import type { FailOpen, Need } from "../systems/system.ts";
import { neededOf, partHop } from "./part-hop.ts";

export interface PickerFound {
  readonly hops: readonly Hop[];
  readonly notModelled: Endpoint["notModelled"];
}

/**
 * The picker an InferencePool names. FailOpen in the pool is a wish: it holds only where every gateway in front is known
 * to grant it.
 */
export function pickerHops(facts: Facts, pool: OtherObject, gateways: readonly FailOpen[]): PickerFound {
  const spec = fieldsOf(pool).object("spec");
  // The API's first version called it extensionRef.
  const named = spec.optionalObject("endpointPickerRef") ?? spec.optionalObject("extensionRef");
  if (named === null || named.text("name") === "") return { hops: [], notModelled: [] };
  const { namespace } = pool.ref;
  const name = named.text("name");
  const ref: ObjectRef = { apiVersion: "v1", kind: "Service", namespace, name };
  const service = facts.service(namespace, name);
  const gap = gapOf(facts, service);
  if (gap !== "") {
    const couldChange = "whether requests find an engine";
    return { hops: [], notModelled: [{ what: gap, ref: `Service ${namespace}/${name}`, couldChange }] };
  }
  const need = needOf(named.optionalText("failureMode") ?? "FailClose", gateways);
  const place = { hop: "picker", role: "", need, service: `${namespace}/${name}` };
  const hops = service === undefined ? [] : facts.selectedBy(service).map((part) => partHop(facts, part, place));
  if (hops.length > 0) return { hops, notModelled: [] };
  const selector = service?.selector;
  const pods: PodSet =
    selector === null || selector === undefined
      ? { by: "owner", owners: [] }
      : { by: "selector", namespace, selector: selectorOf(selector) };
  return { hops: [{ ...emptyPicker(ref), ...neededOf(need), service: place.service, pods }], notModelled: [] };
}

/** Why nothing can be said of the picker; "" it can. A Service that is not there has no endpoints: that is known where Services were read. */
function gapOf({ services, cluster }: Facts, service: Service | undefined): string {
  if (service !== undefined) return service.selector === null ? "the picker's Service has no selector" : "";
  const wereRead = services.length > 0 && cluster.notSeen.every(({ resource }) => resource !== "services");
  return wereRead ? "" : "the picker's Service is not in the input";
}

export function needOf(failureMode: string, gateways: readonly FailOpen[]): Need {
  if (failureMode !== "FailOpen")
    return { needed: true, because: "The pool fails closed: without a picker requests fail." };
  const against = gateways.find(({ honoured }) => !honoured);
  if (against !== undefined) return { needed: true, because: against.because };
  if (gateways.length === 0) return { needed: true, because: "No gateway is known to grant the pool's FailOpen." };
  return { needed: false, because: gateways[0]?.because ?? "" };
}

/** A Service that selects nothing, or is not there: whatever it selects later is the picker. */
function emptyPicker(ref: Hop["ref"]): Omit<Hop, "needed" | "outlivedMs" | "neededBecause" | "pods" | "service"> {
  return {
    hop: "picker",
    component: "Endpoint picker",
    onPath: true,
    ref,
    owner: null,
    role: "",
    unit: { kind: "pod" },
    desired: null,
    outside: "",
    leaderElected: false,
    knobs: outsideKnobs("No workload makes pods that this Service selects."),
  };
}
