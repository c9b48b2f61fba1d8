import type { Alike, Fields } from "../wire/fields.ts";
import { Reading } from "../wire/gist.ts";
import { ReadAlike } from "../wire/read-alike.ts";
import { ReadBefore } from "../wire/read-before.ts";
import { sameContent } from "./content-ids.ts";
import type { Node, NodeCondition } from "./node.ts";
import type { Meta } from "./parse-meta.ts";
import type { Taint } from "./pod-template.ts";
import { type QuantityReader, toResources, wholeUnits } from "./quantity.ts";

/** When a kubelet spoke last differs from node to node; what it says seldom does. */
const conditionsRead = new Reading({
  fields: { lastHeartbeatTime: "unread", lastTransitionTime: "unread" },
  others: "whole",
});

/** What nodes repeat: the names of images, mostly all that the one before holds, and conditions. */
export class NodeParts {
  readonly #names = new Map<string, string>();
  #latest: Node["images"] = new Map();
  readonly images = new ReadBefore<Node["images"]>(1 << 20, 1 << 6);
  readonly conditions: Alike<readonly NodeCondition[]> = { before: new ReadAlike(1 << 20), reading: conditionsRead };

  imageName(text: string): string {
    const known = this.#names.get(text);
    if (known === undefined) this.#names.set(text, text);
    return known ?? text;
  }

  sameImages(images: Node["images"]): Node["images"] {
    if (!sameContent(images, this.#latest)) this.#latest = images;
    return this.#latest;
  }
}

export function parseNode(fields: Fields, meta: Meta, quantities: QuantityReader, known: NodeParts): Node {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const info = status.object("nodeInfo");
  const capacity = quantities.amounts(status, "capacity");
  // The API server's default: what is not set aside can be used.
  const allocatable = status.has("allocatable") ? quantities.amounts(status, "allocatable") : capacity;
  const conditions = status.onceAlike("conditions", known.conditions, (own, name) => own.each(name, parseCondition));
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
    images: status.once("images", known.images, (_, name) => known.sameImages(parseImages(status, name, known))),
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

function parseTaint(taint: Fields): Taint {
  return {
    key: taint.text("key"),
    value: taint.text("value"),
    effect: taint.choice("effect", ["NoSchedule", "PreferNoSchedule", "NoExecute"], "NoSchedule"),
  };
}

function parseImages(status: Fields, name: string, known: NodeParts): Node["images"] {
  const images = new Map<string, number>();
  for (const image of status.objects(name)) {
    const sizeBytes = image.count("sizeBytes") ?? 0;
    for (const name of image.texts("names")) images.set(known.imageName(name), sizeBytes);
  }
  return images;
}
