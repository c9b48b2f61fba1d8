import type { Source } from "../base/problem.ts";
import { type Fields, quoted } from "../wire/fields.ts";
import { groupOf, kindKey, type ObjectKey, type ObjectRef } from "./key.ts";
import { type Labels, templateHashLabel } from "./labels.ts";
import { parseTime } from "./parse-time.ts";
import { plainTime } from "./plain-time.ts";
import type { Uids } from "./uids.ts";

/** A controlling owner as an object names it; resolved against the whole input later. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** 0: it states none. */
  readonly uid: number;
}

/** What every object has. */
export interface Meta {
  readonly ref: ObjectRef;
  readonly key: ObjectKey;
  /** Of its kind: what its key begins with. */
  readonly kindKey: string;
  /** Its number; 0: it has none, and is no server's. */
  readonly uid: number;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The reference with controller: true; null: none. */
  readonly owner: OwnerReference | null;
  readonly createdAtMs: number | null;
  readonly deleting: boolean;
  readonly source: Source;
}

/** Kinds without a namespace among those read here; custom kinds are told by their CRD or by having none stated. */
const clusterScoped: ReadonlySet<string> = new Set([
  "Node.",
  "Namespace.",
  "PersistentVolume.",
  "PriorityClass.scheduling.k8s.io",
  "RuntimeClass.node.k8s.io",
  "StorageClass.storage.k8s.io",
  "CSINode.storage.k8s.io",
  "CSIDriver.storage.k8s.io",
  "VolumeAttachment.storage.k8s.io",
  "ResourceSlice.resource.k8s.io",
  "DeviceClass.resource.k8s.io",
  "DeviceTaintRule.resource.k8s.io",
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
  "CustomResourceDefinition.apiextensions.k8s.io",
  "APIService.apiregistration.k8s.io",
  "ClusterRole.rbac.authorization.k8s.io",
  "ClusterRoleBinding.rbac.authorization.k8s.io",
  "GatewayClass.gateway.networking.k8s.io",
  "IngressClass.networking.k8s.io",
]);

/** Kinds that always live in a namespace: `default` when a manifest leaves it out. */
const namespacedGroups: ReadonlySet<string> = new Set([
  "",
  "apps",
  "batch",
  "policy",
  "autoscaling",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "gateway.networking.k8s.io",
  "leaderworkerset.x-k8s.io",
  "inference.networking.k8s.io",
  "inference.networking.x-k8s.io",
  "serving.kserve.io",
  "networking.k8s.io",
  "resource.k8s.io",
]);

/** Null when the object has no name, or one no server would take: it cannot be used, and that is a problem. */
export function parseMeta(fields: Fields, source: Source, uids: Uids): Meta | null {
  const metadata = fields.object("metadata");
  const apiVersion = fields.text("apiVersion");
  const kind = fields.text("kind");
  const name = metadata.text("name");
  if (name === "") {
    const generated = metadata.text("generateName");
    fields.problem(
      "metadata.name",
      generated === ""
        ? `this ${kind} has no name and is left out`
        : `this ${kind} has only generateName ${quoted(generated)} and is left out`,
    );
    return null;
  }
  const own = kindOf(kind, apiVersion);
  const namespace = namespaceOf(metadata, own);
  if (namespace.includes("/")) {
    // No server has one, and pods are named namespace/name everywhere.
    fields.problem("metadata.namespace", `${quoted(namespace)} is no namespace; this ${kind} is left out`);
    return null;
  }
  const isNode = own.key === "Node.";
  return {
    ref: { apiVersion, kind, namespace, name },
    key: `${own.key}/${namespace}/${name}`,
    kindKey: own.key,
    uid: uidOf(metadata, uids),
    // A node's have its name in them.
    labels: isNode ? metadata.ownTextMap("labels") : metadata.textMap("labels"),
    annotations: isNode ? metadata.ownTextMap("annotations") : metadata.textMap("annotations"),
    owner: controllingOwner(metadata, uids),
    createdAtMs: parseTimeField(metadata, "creationTimestamp"),
    deleting: metadata.has("deletionTimestamp"),
    source,
  };
}

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly key: string;
  readonly scope: "cluster" | "namespace" | "unknown";
}

/** Most objects are of the kind of the one before. */
function kindOf(kind: string, apiVersion: string): Kind {
  if (latestKind.kind === kind && latestKind.apiVersion === apiVersion) return latestKind;
  const key = kindKey(kind, apiVersion);
  const scope = clusterScoped.has(key)
    ? "cluster"
    : namespacedGroups.has(groupOf(apiVersion))
      ? "namespace"
      : "unknown";
  latestKind = { kind, apiVersion, key, scope };
  return latestKind;
}

let latestKind: Kind = { kind: "", apiVersion: "", key: ".", scope: "namespace" };

function namespaceOf(metadata: Fields, { scope }: Kind): string {
  if (scope === "cluster") return "";
  const stated = metadata.text("namespace");
  return stated === "" && scope === "namespace" ? "default" : stated;
}

function uidOf(fields: Fields, uids: Uids): number {
  return fields.ofPlain("uid", uids.ofPlain) ?? uids.of(fields.text("uid"));
}

function controllingOwner(metadata: Fields, uids: Uids): OwnerReference | null {
  for (const owner of metadata.objects("ownerReferences")) {
    if (!owner.flag("controller")) continue;
    return {
      apiVersion: owner.text("apiVersion"),
      kind: owner.text("kind"),
      name: owner.text("name"),
      uid: uidOf(owner, uids),
    };
  }
  return null;
}

/** Unix ms; null when missing or unreadable (a problem). */
export function parseTimeField(fields: Fields, name: string): number | null {
  const plain = fields.ofPlain(name, plainTime);
  if (plain !== null) return plain;
  const text = fields.optionalText(name);
  if (text === null) return null;
  const time = parseTime(text);
  if (time === null) fields.problem(name, `${quoted(text)} is not a time such as 2026-11-01T08:00:00Z`);
  return time;
}

/** Seconds on the wire, ms in the model; null when missing. */
export function secondsField(fields: Fields, name: string): number | null {
  const seconds = fields.whole(name);
  return seconds === null ? null : seconds * 1000;
}

/**
 * What a Deployment, its ReplicaSets and their pods have in common: the Deployment's name. Only a guess, good enough to find
 * specs that are much alike.
 */
export function familyOf({ ref, labels, owner }: Meta): string {
  const name = owner?.name ?? ref.name;
  const hash = labels.get(templateHashLabel);
  const isOfSet = hash !== undefined && owner?.kind === "ReplicaSet" && name.endsWith(`-${hash}`);
  return `${ref.namespace}/${isOfSet ? name.slice(0, -hash.length - 1) : name}`;
}
