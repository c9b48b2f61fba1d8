import { budget, deployment, type Fields, type Item, nodes, service, uid } from "../../scripts/recordings/objects.ts";
import type { Items } from "../../scripts/recordings/recording.ts";
import { testAll } from "./judged.ts";

// Devices by claims: one a node. A claim of a pod's own goes with it; a shared one stays where its devices are while anybody uses it.

const api = "resource.k8s.io/v1";
const driver = "gpu.example.com";
const deviceClass: Item = {
  apiVersion: api,
  kind: "DeviceClass",
  metadata: { name: "gpu" },
  spec: { selectors: [{ cel: { expression: `device.driver == '${driver}'` } }] },
};
const slices = (names: string): Items =>
  names.split(" ").map((name) => ({
    apiVersion: api,
    kind: "ResourceSlice",
    metadata: { name: `slice-${name}` },
    spec: {
      ...{ driver, nodeName: name, devices: [{ name: "gpu-0" }] },
      pool: { name, generation: 1, resourceSliceCount: 1 },
    },
  }));
const asks = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } };
const template: Item = {
  apiVersion: api,
  kind: "ResourceClaimTemplate",
  metadata: { name: "gpu", namespace: "serving" },
  spec: { spec: asks },
};

/** A claim with the device of a node, in use by these pods. */
function claim(name: string, on: string, users: readonly Item[], meta: Fields = {}): Item {
  const here = { matchFields: [{ key: "metadata.name", operator: "In", values: [on] }] };
  const results = [{ request: "gpu", driver, pool: on, device: "gpu-0" }];
  const reservedFor = users.map(({ metadata }) => ({ resource: "pods", name: metadata.name, uid: metadata["uid"] }));
  return {
    apiVersion: api,
    kind: "ResourceClaim",
    metadata: { name, namespace: "serving", uid: uid(`claim ${name}`), ...meta },
    spec: asks,
    status: {
      allocation: { devices: { results }, nodeSelector: { nodeSelectorTerms: [here] } },
      reservedFor,
    },
  };
}

const isPod = ({ kind }: Item): boolean => kind === "Pod";
const engines = (places: string, by: Fields): readonly Item[] =>
  deployment("m1", places, {
    spec: { resourceClaims: [{ name: "gpu", ...by }] },
    container: { resources: { requests: { cpu: "1" }, claims: [{ name: "gpu" }] } },
  });

function withOwnClaims(places: string): readonly Item[] {
  const on = places.split(" ");
  const items = engines(places, { resourceClaimTemplateName: "gpu" });
  const claims = items.filter(isPod).map((pod, index) => {
    const { name } = pod.metadata;
    const owner = { apiVersion: "v1", kind: "Pod", name, uid: pod.metadata["uid"], controller: true };
    const annotations = { "resource.kubernetes.io/pod-claim-name": "gpu" };
    return claim(`${name}-gpu`, on[index] ?? "", [pod], { ownerReferences: [owner], annotations });
  });
  const told = (pod: Item): Item => {
    const resourceClaimStatuses = [{ name: "gpu", resourceClaimName: `${pod.metadata.name}-gpu` }];
    return { ...pod, status: { ...Object(pod["status"]), resourceClaimStatuses } };
  };
  return [template, ...items.map((item) => (isPod(item) ? told(item) : item)), ...claims];
}

function withOneClaim(): readonly Item[] {
  const items = engines("g1 g1", { resourceClaimName: "shared" });
  return [...items, claim("shared", "g1", items.filter(isPod))];
}

const oneAtATime: Items = [service("m1"), budget("m1", { max: 1, status: [2, 2] })];

testAll([
  {
    name: "a claim a pod, and a node with a free device",
    why: "The claim made from the template goes with its pod; the new one is allocated where a device is free.",
    cluster: [nodes("g1 g2 g3"), slices("g1 g2 g3"), deviceClass, withOwnClaims("g1 g2"), oneAtATime],
    verdict: "safe",
  },
  {
    name: "two pods of one claim: the second keeps it on the drained node, and the first finds no place",
    why: "plugins/dynamicresources: an allocated claim's nodeSelector filters nodes; it is not deallocated while reservedFor names a pod.",
    cluster: [nodes("g1 g2 g3"), slices("g1 g2 g3"), deviceClass, withOneClaim(), oneAtATime],
    verdict: "stalls",
    told: ["HF008", "HF025"],
  },
]);
