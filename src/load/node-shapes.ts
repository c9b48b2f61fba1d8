import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { ReadValue } from "./door.ts";

/** More nodes of one shape than any cluster has. */
const countMax = 20_000;

/** Fields that a shape has beside those of a Node; most are a Node's own that may stand right in it. */
const ofShape = ["count", "zones", "name", "labels", "annotations", "taints", "allocatable", "capacity"];
const known: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status", ...ofShape]);

/**
 * Node shapes (`--nodes`): Node-like objects with a `count`, and `zones` the nodes are spread over in turn; name, labels, taints and
 * allocatable may stand right in them. A value with a count becomes that many Nodes, `<name>-1` and on, over all shapes of
 * one name; what a kubelet would fill in is filled in. Null: not a shape. `made`: how many of each name there are.
 */
export function expandShape(
  read: ReadValue,
  made: Map<string, number>,
): readonly ReadValue[] | { readonly problem: string } | null {
  const { value } = read;
  if (!isJsonObject(value) || !Object.hasOwn(value, "count")) return null;
  if (value["kind"] !== undefined && value["kind"] !== "Node") return null;
  const count = value["count"];
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > countMax) {
    return { problem: `count of a node shape must be a whole number from 1 to ${countMax}` };
  }
  const stranger = Object.keys(value).find((field) => !known.has(field));
  if (stranger !== undefined)
    return {
      problem: `a node shape has no field ${stranger}; it has ${ofShape.join(", ")}, or those of a Node`,
    };
  const zones = isJsonList(value["zones"]) ? value["zones"].filter((zone) => typeof zone === "string") : [];
  const shape = unfolded(value);
  const name = objectOf(shape["metadata"])["name"];
  const base = typeof name === "string" && name !== "" ? name : "node";
  const before = made.get(base) ?? 0;
  made.set(base, before + count);
  return Array.from({ length: count }, (_, index) => ({
    ...read,
    value: nodeOf(shape, `${base}-${before + index + 1}`, zones[index % Math.max(1, zones.length)]),
    listKind: "Node",
    listApiVersion: "v1",
  }));
}

/** As a Node has it; what stands there already wins. */
function unfolded({ name, labels, annotations, taints, allocatable, capacity, ...node }: JsonObject): JsonObject {
  const given = (fields: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...node,
    metadata: { ...given({ name, labels, annotations }), ...objectOf(node["metadata"]) },
    spec: { ...given({ taints }), ...objectOf(node["spec"]) },
    status: { ...given({ allocatable, capacity }), ...objectOf(node["status"]) },
  };
}

function nodeOf(shape: JsonObject, name: string, zone: string | undefined): JsonObject {
  const metadata = objectOf(shape["metadata"]);
  const zoneLabel = zone === undefined ? {} : { "topology.kubernetes.io/zone": zone };
  const labels = { ...objectOf(metadata["labels"]), "kubernetes.io/hostname": name, ...zoneLabel };
  const status = objectOf(shape["status"]);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { ...metadata, name, labels },
    spec: objectOf(shape["spec"]),
    status: { ...status, allocatable: { pods: "110", ...objectOf(status["allocatable"] ?? status["capacity"]) } },
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
