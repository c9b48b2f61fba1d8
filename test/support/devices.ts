import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";

/** Devices and claims for tests, as the API server would list them. Claims are in namespace `ns`, devices of driver `gpu.test`. */

export function device(name: string, fields: JsonObject = {}): JsonObject {
  return { name, attributes: { index: { int: Number(name.replace(/\D/g, "")) } }, ...fields };
}

/** A pool of its own, whole, on the node it is named after unless the fields say otherwise. */
export function slice(pool: string, devices: readonly JsonObject[], fields: JsonObject = {}, name = pool): WireObject {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name, uid: `slice-${name}` },
    spec: {
      driver: "gpu.test",
      pool: { name: pool, generation: 1, resourceSliceCount: 1 },
      ...("nodeName" in fields || "nodeSelector" in fields || "allNodes" in fields || "perDeviceNodeSelection" in fields
        ? {}
        : { nodeName: pool }),
      devices,
      ...fields,
    },
  };
}

export function deviceClass(name: string, spec: JsonObject = {}): WireObject {
  return { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name, uid: `class-${name}` }, spec };
}

/** One exact request `r` for a device of class `gpu`. */
export function exactly(fields: JsonObject = {}, name = "r"): JsonObject {
  return { name, exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1, ...fields } };
}

export interface ClaimFields {
  readonly constraints?: readonly JsonObject[];
  readonly status?: JsonObject;
  readonly deleting?: boolean;
  readonly owner?: string;
}

export function claim(name: string, requests: readonly JsonObject[], fields: ClaimFields = {}): WireObject {
  const { constraints = [], status = {}, deleting = false, owner } = fields;
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      name,
      namespace: "ns",
      uid: `claim-${name}`,
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:10:00Z", finalizers: ["test/hold"] } : {}),
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: owner, uid: `ns-${owner}`, controller: true }] }),
    },
    spec: { devices: { requests, constraints } },
    status,
  };
}

/** The status of a claim that holds one device of a node's pool. */
export function holding(node: string, name: string, pods: readonly string[] = []): JsonObject {
  const onNode = { key: "metadata.name", operator: "In", values: [node] };
  return {
    allocation: {
      devices: { results: [{ request: "r", driver: "gpu.test", pool: node, device: name }] },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [onNode] }] },
    },
    reservedFor: pods.map((pod) => ({ resource: "pods", name: pod, uid: `ns-${pod}` })),
  };
}

/** A pod spec with these claims. */
export function claims(...names: readonly string[]): JsonObject {
  return { resourceClaims: names.map((name) => ({ name, resourceClaimName: name })) };
}
