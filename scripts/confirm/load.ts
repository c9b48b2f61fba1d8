import { groupOf, objectKey } from "../../src/model/key.ts";
import { refOf } from "../../src/patch/kept-objects.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "./plane.ts";

/** What nobody serves here, or what the plane makes itself. */
export const leftOut: ReadonlySet<string> = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "EndpointSlice",
  "Endpoints",
  "Event",
  "Lease",
]);

const first = ["Namespace", "PriorityClass", "RuntimeClass", "Node"];
const clusterScoped: ReadonlySet<string> = new Set([
  ...first,
  "PersistentVolume",
  "StorageClass",
  "CSINode",
  "DeviceClass",
  "ResourceSlice",
  "GatewayClass",
  "MachineConfigPool",
  "ClusterVersion",
  "CustomResourceDefinition",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);
const ownGroups =
  /^$|^(apps|batch|policy|autoscaling|storage\.k8s\.io|scheduling\.k8s\.io|resource\.k8s\.io|networking\.k8s\.io|coordination\.k8s\.io|node\.k8s\.io|apiextensions\.k8s\.io)$/;

/** Puts a cluster with placed pods into an API server that runs alone: owners by their new uids, status afterwards. */
export async function loadCluster(plane: Plane, objects: readonly WireObject[]): Promise<void> {
  const wanted = objects.filter(({ kind }) => !leftOut.has(kind));
  await defineKinds(plane, wanted);
  const rank = (object: WireObject): number => (first.indexOf(object.kind) + 1 || 99) + (object.kind === "Pod" ? 1 : 0);
  const uids = new Map<string, string>();
  for (const object of [...wanted].sort((a, b) => rank(a) - rank(b))) await put(plane, object, uids);
}

async function put(plane: Plane, object: WireObject, uids: Map<string, string>): Promise<void> {
  const { status: written, ...rest } = object;
  // The server works the class out itself.
  const { qosClass: _____, ...status } = isJsonObject(written) ? written : {};
  const {
    uid,
    resourceVersion: _,
    generation: __,
    creationTimestamp: ___,
    managedFields: ____,
    ...metadata
  } = object.metadata;
  const owners = metadata["ownerReferences"];
  const mapped = Array.isArray(owners)
    ? owners.flatMap((owner) => {
        const known = isJsonObject(owner) ? uids.get(String(owner["uid"])) : undefined;
        return known === undefined || !isJsonObject(owner) ? [] : [{ ...owner, uid: known }];
      })
    : [];
  const body: JsonObject = {
    ...rest,
    metadata: { ...metadata, ...(mapped.length > 0 ? { ownerReferences: mapped } : { ownerReferences: [] }) },
    ...(object.kind === "Service" ? { spec: withoutAddresses(object["spec"]) } : {}),
  };
  const path = pathOf(object);
  let made = await plane.call("POST", `${path.slice(0, path.lastIndexOf("/"))}?fieldManager=kubectl-create`, body);
  if (made.status === 409) made = await plane.call("GET", path);
  if (made.status >= 300) throw new Error(`${objectKey(refOf(object))}: ${JSON.stringify(made.body).slice(0, 400)}`);
  const madeMetadata = made.body["metadata"];
  if (typeof uid === "string" && isJsonObject(madeMetadata)) uids.set(uid, String(madeMetadata["uid"]));
  if (!isJsonObject(written) || object.kind === "Namespace") return;
  const told = await plane.call("PATCH", `${path}/status`, { status }, "application/merge-patch+json");
  if (told.status >= 300 && told.status !== 404)
    throw new Error(`status of ${objectKey(refOf(object))}: ${JSON.stringify(told.body).slice(0, 400)}`);
}

function withoutAddresses(spec: Json | undefined): JsonObject {
  if (!isJsonObject(spec)) return {};
  const { clusterIP, clusterIPs: _, ...rest } = spec;
  return clusterIP === "None" ? { ...rest, clusterIP } : rest;
}

/** Every kind that Kubernetes does not bring, taken as it comes. */
async function defineKinds(plane: Plane, objects: readonly WireObject[]): Promise<void> {
  const kinds = new Map(
    objects
      .filter(({ apiVersion }) => !ownGroups.test(groupOf(apiVersion)))
      .map((object) => [`${object.kind}.${groupOf(object.apiVersion)}`, object]),
  );
  for (const object of kinds.values()) {
    const group = groupOf(object.apiVersion);
    const name = `${pluralOf(object.kind)}.${group}`;
    const known = await plane.call("GET", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
    if (known.status === 200) continue;
    const version = {
      name: object.apiVersion.slice(object.apiVersion.indexOf("/") + 1),
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      subresources: { status: {} },
    };
    const made = await plane.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name,
        ...(group.endsWith(".k8s.io")
          ? { annotations: { "api-approved.kubernetes.io": "unapproved, for a test" } }
          : {}),
      },
      spec: {
        group,
        scope: clusterScoped.has(object.kind) ? "Cluster" : "Namespaced",
        names: { kind: object.kind, plural: pluralOf(object.kind), singular: object.kind.toLowerCase() },
        versions: [version],
      },
    });
    if (made.status >= 300) throw new Error(`${name}: ${JSON.stringify(made.body).slice(0, 300)}`);
    const path = pathOf(object);
    for (let tries = 0; tries < 100; tries += 1) {
      const { status } = await plane.call("GET", path.slice(0, path.lastIndexOf("/")));
      if (status === 200) break;
      await pause(100);
    }
  }
}

export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  return /(?:s|x|ch)$/.test(lower) ? `${lower}es` : `${lower}s`;
}

export function pathOf(object: WireObject): string {
  const { apiVersion, kind, namespace, name } = refOf(object);
  const inside = clusterScoped.has(kind) ? "" : `/namespaces/${namespace === "" ? "default" : namespace}`;
  return `${rootOf(apiVersion)}${inside}/${pluralOf(kind)}/${name}`;
}

/** All of a kind, in every namespace. */
export function listPathOf({ apiVersion, kind }: Pick<WireObject, "apiVersion" | "kind">): string {
  return `${rootOf(apiVersion)}/${pluralOf(kind)}`;
}

function rootOf(apiVersion: string): string {
  return groupOf(apiVersion) === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
}
