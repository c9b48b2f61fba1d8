import { byCodeUnit } from "../base/ordering.ts";
import type { Fields } from "../wire/fields.ts";
import type { OtherObject } from "./cluster.ts";
import { kindKey } from "./key.ts";
import type { Meta } from "./parse-meta.ts";

/** An object kept whole, but for its owner. */
export type UnownedOther = Omit<OtherObject, "owner">;

export function parseOther(fields: Fields, meta: Meta): UnownedOther {
  return {
    ref: meta.ref,
    key: meta.key,
    labels: meta.labels,
    annotations: meta.annotations,
    body: fields.wire,
    source: meta.source,
  };
}

/** Kinds that say nothing about what a drain does and come in great numbers. */
export const leftOutKinds: ReadonlySet<string> = new Set([
  "Event.",
  "Event.events.k8s.io",
  "PodMetrics.metrics.k8s.io",
  "NodeMetrics.metrics.k8s.io",
  "ControllerRevision.apps",
]);

/** Kind.group → path of the replica count its scale subresource changes. */
export type ScalePaths = ReadonlyMap<string, string>;

/** Kinds known to have a scale subresource even when their CustomResourceDefinition is not in the input. */
export const knownScalePaths: ScalePaths = new Map([
  ["Rollout.argoproj.io", ".spec.replicas"],
  ["DeploymentConfig.apps.openshift.io", ".spec.replicas"],
  ["ModelDeployment.modelplane.ai", ".spec.replicas"],
  ["StormService.orchestration.aibrix.ai", ".spec.replicas"],
  ["PodCliqueSet.grove.io", ".spec.replicas"],
  ["PodClique.grove.io", ".spec.replicas"],
  ["PodCliqueScalingGroup.grove.io", ".spec.replicas"],
]);

/** What a CustomResourceDefinition says of the scale subresource: its path, "" for none; null when it is unreadable. */
export function parseScalePath(fields: Fields): { readonly kind: string; readonly path: string } | null {
  const spec = fields.object("spec");
  const kind = spec.object("names").text("kind");
  if (kind === "") return null;
  const versions = [...spec.objects("versions")].sort((a, b) => byCodeUnit(b.text("name"), a.text("name")));
  let path = "";
  for (const version of versions) {
    if (!version.flag("served")) continue;
    const scale = version.object("subresources").optionalObject("scale");
    if (scale !== null) path = scale.text("specReplicasPath");
  }
  return { kind: `${kind}.${spec.text("group")}`, path };
}

/** The number at a path such as `.spec.replicas`; null when the kind has no scale. A missing number is 1. */
export function scaleReplicasOf(other: UnownedOther, paths: ScalePaths): number | null {
  const path = paths.get(kindKey(other.ref.kind, other.ref.apiVersion)) ?? "";
  if (path === "") return null;
  let at: unknown = other.body;
  for (const segment of path.split(".").filter((each) => each !== "")) at = fieldOf(at, segment);
  return typeof at === "number" && Number.isSafeInteger(at) && at >= 0 ? at : 1;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
