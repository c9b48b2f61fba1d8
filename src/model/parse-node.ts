import type { Fields } from "../wire/fields.ts";
import type { Node, NodeCondition } from "./node.ts";
import type { Meta } from "./parse-meta.ts";
import type { Taint } from "./pod-template.ts";
import { type QuantityReader, toResources, wholeUnits } from "./quantity.ts";

/** `texts` keeps the names of images, which every node repeats. */
export function parseNode(fields: Fields, meta: Meta, quantities: QuantityReader, texts: Map<string, string>): Node {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const info = status.object("nodeInfo");
  const capacity = quantities.amounts(status, "capacity");
  // The API server's default: what is not set aside can be used.
  const allocatable = status.has("allocatable") ? quantities.amounts(status, "allocatable") : capacity;
  const conditions = status.each("conditions", parseCondition);
  if (allocatable.size === 0) {
    fields.problem("status.allocatable", "this node states no resources: nothing fits on it");
  }
  return {
    name: meta.ref.name,
    labels: meta.labels,
    annotations: meta.annotations,
    taints: spec.each("taints", parseTaint),
    unschedulable: spec.flag("unschedulable"),
    allocatable: toResources(allocatable),
    podsMax: wholeUnits(allocatable.get("pods") ?? 0n),
    capacity: toResources(capacity),
    ready: !isUnready(conditions),
    conditions,
    images: parseImages(status, texts),
    declaredFeatures: status.texts("declaredFeatures"),
    providerId: spec.text("providerID"),
    osImage: info.text("osImage"),
    kubeletVersion: info.text("kubeletVersion"),
    createdAtMs: meta.createdAtMs,
  };
}

function isUnready(conditions: readonly NodeCondition[]): boolean {
  return conditions.some((condition) => condition.type === "Ready" && condition.status !== "True");
}

function parseCondition(condition: Fields): NodeCondition {
  return {
    type: condition.text("type"),
    status: condition.text("status"),
    reason: condition.text("reason"),
    message: condition.text("message"),
  };
}

export function parseTaint(taint: Fields): Taint {
  return {
    key: taint.text("key"),
    value: taint.text("value"),
    effect: taint.choice("effect", ["NoSchedule", "PreferNoSchedule", "NoExecute"], "NoSchedule"),
  };
}

function parseImages(status: Fields, texts: Map<string, string>): ReadonlyMap<string, number> {
  const images = new Map<string, number>();
  for (const image of status.objects("images")) {
    const sizeBytes = image.count("sizeBytes") ?? 0;
    for (const name of image.texts("names")) {
      const known = texts.get(name);
      if (known === undefined) texts.set(name, name);
      images.set(known ?? name, sizeBytes);
    }
  }
  return images;
}
