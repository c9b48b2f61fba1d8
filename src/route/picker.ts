import type { OtherObject } from "../model/cluster.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
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
  const service = facts.service(namespace, name);
  if (service === undefined) {
    const ref = `Service ${namespace}/${name}`;
    return {
      hops: [],
      notModelled: [
        { what: "the picker's Service is not in the input", ref, couldChange: "whether requests find an engine" },
      ],
    };
  }
  const need = needOf(named.optionalText("failureMode") ?? "FailClose", gateways);
  const place = { hop: "picker", role: "", need, service: `${namespace}/${name}` };
  const hops = facts.selectedBy(service).map((part) => partHop(facts, part, place));
  if (hops.length > 0) return { hops, notModelled: [] };
  return {
    hops: [
      {
        ...emptyPicker(service.ref),
        ...neededOf(need),
        service: place.service,
        pods: { by: "selector", namespace, selector: selectorOf(service.selector ?? new Map()) },
      },
    ],
    notModelled: [],
  };
}

export function needOf(failureMode: string, gateways: readonly FailOpen[]): Need {
  if (failureMode !== "FailOpen")
    return { needed: true, because: "The pool fails closed: without a picker requests fail." };
  const against = gateways.find(({ honoured }) => !honoured);
  if (against !== undefined) return { needed: true, because: against.because };
  if (gateways.length === 0) return { needed: true, because: "No gateway is known to grant the pool's FailOpen." };
  return { needed: false, because: gateways[0]?.because ?? "" };
}

/** A Service that selects nothing: whatever it selects later is the picker. */
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
