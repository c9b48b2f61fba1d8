import type { Fields } from "../wire/fields.ts";
import type {
  Allocation,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
} from "./device.ts";
import { namespacedName } from "./key.ts";
import type { Meta } from "./parse-meta.ts";
import { parseDeviceTaint } from "./parse-resource-slice.ts";
import { parseNodeSelector } from "./parse-selector.ts";
import { owningPod } from "./parse-storage.ts";
import { parseToleration } from "./parse-toleration.ts";
import { type QuantityReader, wholeUnits } from "./quantity.ts";

export function parseResourceClaim(fields: Fields, meta: Meta, quantities: QuantityReader): ResourceClaim {
  const status = fields.object("status");
  const allocation = status.optionalObject("allocation");
  return {
    namespace: meta.ref.namespace,
    name: meta.ref.name,
    annotations: meta.annotations,
    ...parseClaimSpec(fields.object("spec"), quantities),
    allocation: allocation === null ? null : parseAllocation(allocation, quantities),
    reservedFor: status
      .objects("reservedFor")
      .filter((consumer) => consumer.text("resource") === "pods")
      .map((consumer) => namespacedName(meta.ref.namespace, consumer.text("name"))),
    ownerPod: owningPod(meta),
    deleting: meta.deleting,
  };
}

export function parseResourceClaimTemplate(
  fields: Fields,
  meta: Meta,
  quantities: QuantityReader,
): ResourceClaimTemplate {
  const spec = fields.object("spec").object("spec");
  return { namespace: meta.ref.namespace, name: meta.ref.name, ...parseClaimSpec(spec, quantities) };
}

function parseClaimSpec(
  spec: Fields,
  quantities: QuantityReader,
): { readonly requests: readonly DeviceRequest[]; readonly constraints: readonly DeviceConstraint[] } {
  const devices = spec.object("devices");
  return {
    requests: devices.each("requests", (request) => parseRequest(request, quantities)),
    constraints: devices.each("constraints", (constraint) => ({
      requests: constraint.texts("requests"),
      matchAttribute: constraint.optionalText("matchAttribute"),
      distinctAttribute: constraint.optionalText("distinctAttribute"),
    })),
  };
}

/** v1beta1 writes an exact request's fields beside its name, later versions inside `exactly`. */
function parseRequest(request: Fields, quantities: QuantityReader): DeviceRequest {
  const name = request.text("name");
  const alternatives = request.objects("firstAvailable");
  if (alternatives.length > 0) {
    return {
      name,
      alternatives: alternatives.map((each) => parseSubRequest(each, each.text("name"), quantities)),
      isFirstAvailable: true,
    };
  }
  const exact = request.optionalObject("exactly") ?? request;
  return { name, alternatives: [parseSubRequest(exact, "", quantities)], isFirstAvailable: false };
}

function parseSubRequest(request: Fields, name: string, quantities: QuantityReader): DeviceSubRequest {
  const allocationMode = request.choice("allocationMode", ["ExactCount", "All"], "ExactCount");
  return {
    name,
    deviceClassName: request.text("deviceClassName"),
    selectors: parseSelectors(request),
    allocationMode,
    count: request.count("count") ?? 1,
    adminAccess: request.flag("adminAccess"),
    tolerations: request.each("tolerations", parseToleration),
    capacityRequests: parseWholeAmounts(request.object("capacity"), "requests", quantities),
  };
}

function parseSelectors(fields: Fields): readonly string[] {
  return fields.each("selectors", (selector) => selector.object("cel").text("expression"));
}

function parseWholeAmounts(fields: Fields, name: string, quantities: QuantityReader): ReadonlyMap<string, number> {
  const whole = new Map<string, number>();
  for (const [key, amount] of quantities.amounts(fields, name)) whole.set(key, wholeUnits(amount));
  return whole;
}

function parseAllocation(allocation: Fields, quantities: QuantityReader): Allocation {
  const selector = allocation.optionalObject("nodeSelector");
  return {
    results: allocation
      .object("devices")
      .objects("results")
      .map((result) => ({
        request: result.text("request"),
        driver: result.text("driver"),
        pool: result.text("pool"),
        device: result.text("device"),
        adminAccess: result.flag("adminAccess"),
        consumedCapacity: parseWholeAmounts(result, "consumedCapacity", quantities),
      })),
    nodeSelector: selector === null ? null : parseNodeSelector(selector),
  };
}

export function parseDeviceClass(fields: Fields, meta: Meta): DeviceClass {
  const spec = fields.object("spec");
  return {
    name: meta.ref.name,
    selectors: parseSelectors(spec),
    extendedResourceName: spec.optionalText("extendedResourceName"),
  };
}

export function parseDeviceTaintRule(fields: Fields, meta: Meta): DeviceTaintRule {
  const spec = fields.object("spec");
  const selector = spec.object("deviceSelector");
  return {
    name: meta.ref.name,
    hasSelector: spec.has("deviceSelector"),
    driver: selector.optionalText("driver"),
    pool: selector.optionalText("pool"),
    device: selector.optionalText("device"),
    taint: parseDeviceTaint(spec.object("taint")),
  };
}
