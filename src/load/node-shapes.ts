import { isJsonList, isJsonObject } from "../wire/fields.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { ReadValue } from "./door.ts";

/** More nodes of one shape than any cluster has. */
const countMax = 20_000;

/**
 * Node shapes (`--nodes`): Node-like objects with a `count`, and `zones` the nodes are spread over in turn. A value with
 * a count becomes that many Nodes, `<name>-1` and on; what a kubelet would fill in is filled in. Null: not a shape.
 */
export function expandShape(read: ReadValue): readonly ReadValue[] | { readonly problem: string } | null {
  const { value } = read;
  if (!isJsonObject(value) || !Object.hasOwn(value, "count")) return null;
  if (value["kind"] !== undefined && value["kind"] !== "Node") return null;
  const count = value["count"];
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > countMax) {
    return { problem: `count of a node shape must be a whole number from 1 to ${countMax}` };
  }
  const zones = isJsonList(value["zones"]) ? value["zones"].filter((zone) => typeof zone === "string") : [];
  return Array.from({ length: count }, (_, index) => ({
    ...read,
    value: nodeOf(value, index, zones[index % Math.max(1, zones.length)]),
    listKind: "Node",
    listApiVersion: "v1",
  }));
}

function nodeOf(shape: JsonObject, index: number, zone: string | undefined): JsonObject {
  const metadata = objectOf(shape["metadata"]);
  const base = typeof metadata["name"] === "string" ? metadata["name"] : "node";
  const name = `${base}-${index + 1}`;
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
