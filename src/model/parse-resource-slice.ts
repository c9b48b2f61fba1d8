import { type Fields, isJsonObject } from "../wire/fields.ts";
import type { Json } from "../wire/snapshot.ts";
import type { CounterSet, Device, DeviceAttribute, DeviceCapacity, DeviceTaint, ResourceSlice } from "./device.ts";
import type { Meta } from "./parse-meta.ts";
import { parseNodeSelector } from "./parse-selector.ts";
import type { NodeSelectorTerm } from "./pod-template.ts";
import { type Quantity, type QuantityReader, wholeUnits } from "./quantity.ts";

/** resource.k8s.io/v1 and v1beta2; v1beta1 wraps a device's fields in `basic`. */
export function parseResourceSlice(fields: Fields, meta: Meta, quantities: QuantityReader): ResourceSlice {
  const spec = fields.object("spec");
  const pool = spec.object("pool");
  return {
    name: meta.ref.name,
    driver: spec.text("driver"),
    pool: {
      name: pool.text("name"),
      generation: pool.whole("generation") ?? 0,
      sliceCount: pool.whole("resourceSliceCount") ?? 0,
    },
    nodeName: spec.optionalText("nodeName"),
    allNodes: spec.flag("allNodes"),
    nodeSelector: parseOptionalNodeSelector(spec),
    perDeviceNodeSelection: spec.flag("perDeviceNodeSelection"),
    devices: spec.each("devices", (device) => parseDevice(device, quantities)),
    sharedCounters: spec.each("sharedCounters", (set) => parseCounterSet(set, quantities)),
  };
}

function parseOptionalNodeSelector(fields: Fields): readonly NodeSelectorTerm[] | null {
  const selector = fields.optionalObject("nodeSelector");
  return selector === null ? null : parseNodeSelector(selector);
}

function parseDevice(device: Fields, quantities: QuantityReader): Device {
  const body = device.optionalObject("basic") ?? device;
  return {
    name: device.text("name"),
    attributes: parseAttributes(body),
    capacity: parseCapacity(body, quantities),
    consumesCounters: body.each("consumesCounters", (consumed) => ({
      counterSet: consumed.text("counterSet"),
      counters: parseCounters(consumed, quantities),
    })),
    nodeName: body.optionalText("nodeName"),
    nodeSelector: parseOptionalNodeSelector(body),
    allNodes: body.flag("allNodes"),
    taints: body.each("taints", parseDeviceTaint),
    allowMultipleAllocations: body.flag("allowMultipleAllocations"),
    bindsToNode: body.flag("bindsToNode"),
    bindingConditions: body.texts("bindingConditions"),
  };
}

export function parseDeviceTaint(taint: Fields): DeviceTaint {
  return { key: taint.text("key"), value: taint.text("value"), effect: taint.text("effect") };
}

function parseAttributes(body: Fields): ReadonlyMap<string, DeviceAttribute> {
  const attributes = new Map<string, DeviceAttribute>();
  for (const [name, value] of body.entries("attributes")) {
    const attribute = parseAttribute(value);
    if (attribute !== null) attributes.set(name, attribute);
    else body.problem(`attributes.${name}`, "an attribute needs one of int, bool, string or version");
  }
  return attributes;
}

function parseAttribute(value: Json): DeviceAttribute | null {
  if (!isJsonObject(value)) return null;
  const { int, bool, string, version } = value;
  if (typeof int === "number") return { type: "int", value: int };
  if (typeof bool === "boolean") return { type: "bool", value: bool };
  if (typeof string === "string") return { type: "string", value: string };
  if (typeof version === "string") return { type: "version", value: version };
  return null;
}

/** Oldest form: the quantity itself; since v1beta1 an object with `value`. */
function parseCapacity(body: Fields, quantities: QuantityReader): ReadonlyMap<string, DeviceCapacity> {
  const capacities = new Map<string, DeviceCapacity>();
  for (const [name, written] of body.entries("capacity")) {
    const value = isJsonObject(written) ? (written["value"] ?? null) : written;
    const amount = readAmount(value, body, `capacity.${name}`, quantities);
    if (amount === null) continue;
    const requestPolicy = isJsonObject(written) ? (written["requestPolicy"] ?? null) : null;
    capacities.set(name, { value: wholeUnits(amount), requestPolicy });
  }
  return capacities;
}

function parseCounterSet(set: Fields, quantities: QuantityReader): CounterSet {
  return { name: set.text("name"), counters: parseCounters(set, quantities) };
}

function parseCounters(fields: Fields, quantities: QuantityReader): ReadonlyMap<string, number> {
  const counters = new Map<string, number>();
  for (const [name, written] of fields.entries("counters")) {
    const value = isJsonObject(written) ? (written["value"] ?? null) : written;
    const amount = readAmount(value, fields, `counters.${name}`, quantities);
    if (amount !== null) counters.set(name, wholeUnits(amount));
  }
  return counters;
}

function readAmount(value: Json, fields: Fields, path: string, quantities: QuantityReader): Quantity | null {
  return quantities.read(value, (message) => fields.problem(path, message));
}
