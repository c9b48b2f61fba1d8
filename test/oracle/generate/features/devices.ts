import type { KubeObject } from "../../decision.ts";
import {
  type Feature,
  type Fields,
  mainOf,
  once,
  type PodDraft,
  push,
  requestOf,
  type World,
  zoneKey,
} from "../world.ts";

export const driver = "gpu.example.com";

/** Devices handed out through claims: GPUs on nodes, shared devices of a zone or of everybody, parts of devices. */
export const devices: Feature = {
  name: "devices",
  weight: 6,
  prepare(world) {
    if (!once(world, "devices")) return;
    const { draw } = world;
    deviceClass(world, "gpu", [`device.driver == "${driver}"`]);
    deviceClass(world, "big-gpu", [`device.driver == "${driver}" && device.attributes["${driver}"].model == "h100"`]);
    deviceClass(world, "nic", [`device.driver == "nic.example.com"`]);
    deviceClass(world, "any", []);
    for (const node of world.nodes) if (draw.chance(0.75)) gpuSlice(world, node.name);
    if (draw.chance(0.5)) sharedSlice(world);
    if (world.minor >= 37 && draw.chance(0.5)) taintRule(world);
    for (const pod of world.placed) if (draw.chance(0.35)) holdDevice(world, pod);
  },
  pending(world, pod) {
    const { draw } = world;
    for (
      let i = draw.weighted([
        [5, 1],
        [2, 2],
      ]);
      i > 0;
      i--
    )
      addClaim(world, pod);
  },
};

export function deviceClass(world: World, name: string, expressions: readonly string[], spec: Fields = {}): void {
  world.others.push({
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: { name },
    spec: {
      ...(expressions.length === 0 ? {} : { selectors: expressions.map((expression) => ({ cel: { expression } })) }),
      ...spec,
    },
  });
}

interface Slice {
  readonly name: string;
  readonly driver: string;
  readonly pool: string;
  readonly slices: number;
  readonly fields: Fields;
}

export function resourceSlice(slice: Slice): KubeObject {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name: slice.name },
    spec: {
      driver: slice.driver,
      pool: { name: slice.pool, generation: 1, resourceSliceCount: slice.slices },
      ...slice.fields,
    },
  };
}

export function gpu(world: World, node: string, name: string, index: number): Fields {
  const { draw } = world;
  const model = draw.pick(["h100", "h100", "a100", "l4"]);
  const shared = world.minor >= 36 && draw.chance(0.15);
  if (shared) world.made.add(`shared ${node}/${name}`);
  return {
    name,
    attributes: {
      model: { string: model },
      index: { int: index },
      numa: { int: index % 2 },
      mig: { bool: draw.chance(0.3) },
      driverVersion: { version: draw.pick(["1.2.3", "2.0.0"]) },
      "resource.kubernetes.io/pcieRoot": { string: `pci-${index % 2}` },
    },
    capacity: {
      memory: {
        value: { h100: "80Gi", a100: "40Gi", l4: "24Gi" }[model] ?? "8Gi",
        ...(shared ? sharingPolicy(world) : {}),
      },
    },
    ...(shared ? { allowMultipleAllocations: true } : {}),
    ...(world.minor >= 36 && draw.chance(0.15)
      ? {
          taints: [
            {
              key: "example.com/unhealthy",
              value: "yes",
              effect: draw.pick(["NoSchedule", "NoExecute", "NoSchedule"]),
              timeAdded: "2026-01-05T08:00:00Z",
            },
          ],
        }
      : {}),
  };
}

/** An administrator's taint on devices that their driver knows nothing of. */
function taintRule(world: World): void {
  const { draw } = world;
  const selector: Fields = {};
  if (draw.chance(0.7)) selector["driver"] = draw.pick([driver, "nic.example.com"]);
  if (draw.chance(0.5)) selector["pool"] = draw.pick(world.nodes).name;
  if (draw.chance(0.4)) selector["device"] = `gpu-${draw.int(0, 2)}`;
  world.others.push({
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceTaintRule",
    metadata: { name: "maintenance", uid: "taint-rule" },
    spec: {
      deviceSelector: selector,
      taint: {
        key: "example.com/unhealthy",
        value: "yes",
        effect: draw.pick(["NoSchedule", "NoExecute", "None"]),
        timeAdded: "2026-01-05T08:00:00Z",
      },
    },
  });
}

/** How a device that several claims share rounds what they ask for. */
function sharingPolicy(world: World): Fields {
  return world.draw.weighted<Fields>([
    [2, {}],
    [2, { requestPolicy: { default: "8Gi", validRange: { min: "4Gi", step: "4Gi", max: "40Gi" } } }],
    [1, { requestPolicy: { default: "10Gi", validValues: ["10Gi", "20Gi", "40Gi"] } }],
  ]);
}

function gpuSlice(world: World, node: string): void {
  const { draw } = world;
  const count = draw.int(1, 4);
  const items = Array.from({ length: count }, (_, i) => gpu(world, node, `gpu-${i}`, i));
  const partitioned = world.minor >= 36 && draw.chance(0.2);
  // A pool that says it has more slices than there are is not complete and cannot be used.
  const incomplete = draw.chance(0.12);
  if (draw.chance(0.05)) {
    const old = resourceSlice({
      name: `slice-${node}-old`,
      driver,
      pool: node,
      slices: 1,
      fields: { nodeName: node, devices: [gpu(world, node, "gpu-old", 9)] },
    });
    world.others.push({
      ...old,
      spec: { ...(old["spec"] as Fields), pool: { name: node, generation: 0, resourceSliceCount: 1 } },
    });
  }
  if (!partitioned) {
    const split = count > 1 && draw.chance(0.2);
    const parts = split ? [items.slice(0, 1), items.slice(1)] : [items];
    parts.forEach((part, i) => {
      const slices = parts.length + (incomplete ? 1 : 0);
      world.others.push(
        resourceSlice({
          name: `slice-${node}-${i}`,
          driver,
          pool: node,
          slices,
          fields: { nodeName: node, devices: part },
        }),
      );
    });
    return;
  }
  // Two halves and the whole share one counter.
  const counters = {
    sharedCounters: [{ name: "card", counters: { memory: { value: "80Gi" }, engines: { value: "4" } } }],
  };
  const part = (name: string, memory: string, engines: string, index: number): Fields => ({
    ...gpu(world, node, name, index),
    consumesCounters: [{ counterSet: "card", counters: { memory: { value: memory }, engines: { value: engines } } }],
  });
  const list = [
    part("whole", "80Gi", "4", 0),
    part("half-0", "40Gi", "2", 1),
    part("half-1", "40Gi", draw.pick(["2", "3"]), 2),
  ];
  world.others.push(
    resourceSlice({
      name: `slice-${node}-counters`,
      driver,
      pool: node,
      slices: 2,
      fields: { nodeName: node, ...counters },
    }),
    resourceSlice({
      name: `slice-${node}-devices`,
      driver,
      pool: node,
      slices: 2,
      fields: { nodeName: node, devices: list },
    }),
  );
}

/** Devices reachable from a zone, from some nodes by name, or from everywhere. */
function sharedSlice(world: World): void {
  const { draw } = world;
  const list = Array.from(
    { length: draw.int(1, 3) },
    (_, i): Fields => ({ name: `nic-${i}`, attributes: { speed: { int: draw.pick([100, 400]) } } }),
  );
  const where = draw.weighted<() => Fields>([
    [3, () => ({ allNodes: true })],
    [
      3,
      () => ({
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: "In", values: ["zone-a"] }] }],
        },
      }),
    ],
    [
      1,
      () => ({
        nodeSelector: {
          nodeSelectorTerms: [
            { matchFields: [{ key: "metadata.name", operator: "In", values: [draw.pick(world.nodes).name] }] },
          ],
        },
      }),
    ],
  ])();
  const perDevice = world.minor >= 36 && draw.chance(0.2);
  const fields: Fields = perDevice
    ? {
        perDeviceNodeSelection: true,
        devices: list.map((d, i) => ({
          ...d,
          ...(i === 0 ? { allNodes: true } : { nodeName: draw.pick(world.nodes).name }),
        })),
      }
    : { ...where, devices: list };
  world.others.push(resourceSlice({ name: "slice-nics", driver: "nic.example.com", pool: "nics", slices: 1, fields }));
}

function selectors(world: World): Fields {
  const { draw } = world;
  const attribute = `device.attributes["${driver}"]`;
  const expression = draw.weighted<string>([
    [3, `${attribute}.model == "${draw.pick(["h100", "a100", "l4"])}"`],
    [2, `device.capacity["${driver}"].memory.compareTo(quantity("${draw.pick(["40Gi", "80Gi", "30000Mi"])}")) >= 0`],
    [1, `${attribute}.index < ${draw.int(0, 3)}`],
    [1, `!${attribute}.mig`],
    [1, `${attribute}.model in ["h100", "l4"] && ${attribute}.numa == ${draw.int(0, 1)}`],
    [1, `${attribute}.model != "l4" || ${attribute}.index > 1`],
    [0.7, `${attribute}.driverVersion.isGreaterThan(semver("1.5.0"))`],
    [0.5, `${attribute}.model.startsWith("h")`],
    [0.3, `"model" in ${attribute} && ${attribute}.model == "a100"`],
    [0.15, `${attribute}.noSuchThing == "x"`],
  ]);
  return { selectors: [{ cel: { expression } }] };
}

function exactRequest(world: World, name: string, subrequest: boolean): Fields {
  const { draw } = world;
  const className = draw.weighted([
    [8, "gpu"],
    [3, "big-gpu"],
    [2, "nic"],
    [1, "any"],
    [1.7, "no-such-class"],
  ]);
  const all = draw.chance(0.18);
  const exact: Fields = {
    deviceClassName: className,
    allocationMode: all ? "All" : "ExactCount",
    ...(all
      ? {}
      : {
          count: draw.weighted([
            [6, 1],
            [3, 2],
            [1, 3],
          ]),
        }),
    ...(className !== "nic" && className !== "any" && draw.chance(0.45) ? selectors(world) : {}),
    ...(!subrequest && draw.chance(0.06) ? { adminAccess: true } : {}),
    ...(world.minor >= 36 && draw.chance(0.15)
      ? { capacity: { requests: { memory: draw.pick(["3Gi", "10Gi", "18Gi", "60Gi"]) } } }
      : {}),
    ...(world.minor >= 36 && draw.chance(0.2)
      ? {
          tolerations: [
            { key: "example.com/unhealthy", operator: draw.pick(["Exists", "Exists", "Equal"]), value: undefined },
          ],
        }
      : {}),
  };
  for (const toleration of (exact["tolerations"] as Fields[] | undefined) ?? []) {
    if (toleration["operator"] === "Equal") toleration["value"] = draw.pick(["yes", "no"]);
  }
  return subrequest ? { name, ...exact } : { name, exactly: exact };
}

function claimSpec(world: World): Fields {
  const { draw } = world;
  const requests = Array.from(
    {
      length: draw.weighted([
        [5, 1],
        [2, 2],
      ]),
    },
    (_, i): Fields => {
      if (draw.chance(0.2)) {
        return {
          name: `request-${i}`,
          firstAvailable: [0, 1, 2].slice(0, draw.int(2, 3)).map((j) => exactRequest(world, `sub-${j}`, true)),
        };
      }
      return exactRequest(world, `request-${i}`, false);
    },
  );
  const attribute = draw.pick(["resource.kubernetes.io/pcieRoot", `${driver}/model`, `${driver}/numa`]);
  const constraint = world.minor >= 36 && draw.chance(0.3) ? "distinctAttribute" : "matchAttribute";
  const constraints = draw.chance(0.4)
    ? [{ [constraint]: attribute, ...(draw.chance(0.5) ? { requests: [requests[0]?.["name"]] } : {}) }]
    : undefined;
  return { devices: { requests, ...(constraints === undefined ? {} : { constraints }) } };
}

export function claimObject(
  pod: PodDraft,
  name: string,
  fields: { readonly spec: Fields; readonly owned: boolean; readonly status?: Fields; readonly metadata?: Fields },
): KubeObject {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      name,
      namespace: pod.namespace,
      uid: `claim-${pod.namespace}-${name}`,
      ...(fields.owned
        ? {
            ownerReferences: [
              {
                apiVersion: "v1",
                kind: "Pod",
                name: pod.name,
                uid: pod.uid,
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          }
        : {}),
      ...fields.metadata,
    },
    spec: fields.spec,
    ...(fields.status === undefined ? {} : { status: fields.status }),
  };
}

export function refer(pod: PodDraft, claimName: string, name: string, fromTemplate: boolean): void {
  push(
    pod.spec,
    "resourceClaims",
    fromTemplate ? { name, resourceClaimTemplateName: `template-${name}` } : { name, resourceClaimName: claimName },
  );
  if (fromTemplate) push(pod.status, "resourceClaimStatuses", { name, resourceClaimName: claimName });
  const main = mainOf(pod);
  main.resources.claims = [...(main.resources.claims ?? []), { name }];
}

function addClaim(world: World, pod: PodDraft): void {
  const { draw } = world;
  const name = `devices-${world.serial()}`;
  const fromTemplate = draw.chance(0.6);
  const spec = claimSpec(world);
  if (fromTemplate) {
    world.others.push({
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaimTemplate",
      metadata: { name: `template-${name}`, namespace: pod.namespace },
      spec: { spec },
    });
    if (draw.chance(0.12)) {
      // The claim controller has not made it yet.
      push(pod.spec, "resourceClaims", { name, resourceClaimTemplateName: `template-${name}` });
      return;
    }
    const claimName = `${pod.name}-${name}-x`;
    refer(pod, claimName, name, true);
    world.others.push(claimObject(pod, claimName, { spec, owned: draw.chance(0.85) }));
    return;
  }
  refer(pod, name, name, false);
  draw.weighted<() => void>([
    [6, () => world.others.push(claimObject(pod, name, { spec, owned: false }))],
    [
      5,
      () =>
        world.others.push(claimObject(pod, name, { spec: simpleSpec(), owned: false, status: sharedStatus(world) })),
    ],
    [2.5, () => {}],
    [
      2.5,
      () =>
        world.others.push(
          claimObject(pod, name, {
            spec,
            owned: false,
            metadata: {
              deletionTimestamp: "2026-01-05T09:00:00Z",
              finalizers: ["resource.kubernetes.io/delete-protection"],
            },
          }),
        ),
    ],
  ])();
}

function simpleSpec(): Fields {
  return {
    devices: {
      requests: [{ name: "request-0", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 } }],
    },
  };
}

function allocation(node: string | undefined, device: string, more: Fields = {}): Fields {
  return {
    devices: { results: [{ request: "request-0", driver, pool: node ?? "elsewhere", device, ...more }] },
    ...(node === undefined
      ? {}
      : {
          nodeSelector: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
          },
        }),
  };
}

/** Allocated already, in use by nobody, by another pod, or by as many as may. */
function sharedStatus(world: World): Fields {
  const { draw } = world;
  const node = draw.chance(0.9) ? draw.pick(world.nodes).name : undefined;
  const device = `gpu-${draw.int(0, 3)}`;
  const users = draw.weighted([
    [8, 0],
    [3, 1],
    [1, 256],
  ]);
  return {
    allocation: allocation(node, device, heldHow(world, node, device)),
    ...(users === 0
      ? {}
      : {
          reservedFor: Array.from({ length: users }, (_, i) => ({
            resource: "pods",
            name: `user-${i}`,
            uid: `user-${i}`,
          })),
        }),
  };
}

/** A device that may be shared is always held by a share of it. */
export function heldHow(world: World, node: string | undefined, device: string): Fields {
  const { draw } = world;
  if (draw.chance(0.08)) return { adminAccess: true };
  if (!world.made.has(`shared ${node}/${device}`)) return {};
  const id = String(world.serial()).padStart(12, "0");
  return { shareID: `00000000-0000-4000-8000-${id}`, consumedCapacity: { memory: draw.pick(["8Gi", "20Gi", "40Gi"]) } };
}

/** A placed pod with a claim of its own takes a device of its node. */
function holdDevice(world: World, pod: PodDraft): void {
  const { draw } = world;
  const name = `held-${world.serial()}`;
  const device = draw.pick(["gpu-0", "gpu-1", "gpu-2", "half-0"]);
  refer(pod, name, "held", false);
  world.others.push(
    claimObject(pod, name, {
      spec: simpleSpec(),
      owned: false,
      status: {
        allocation: allocation(pod.nodeName, device, heldHow(world, pod.nodeName, device)),
        reservedFor: [{ resource: "pods", name: pod.name, uid: pod.uid }],
      },
    }),
  );
}

/** An extended resource that a device class stands behind. */
export const extendedDevices: Feature = {
  name: "extendedDevices",
  weight: 1,
  since: 36,
  prepare(world) {
    devices.prepare?.(world);
    const { draw } = world;
    deviceClass(world, "backed", [`device.driver == "${driver}"`], { extendedResourceName: "example.com/gpu" });
    for (const node of world.nodes) if (draw.chance(0.25)) node.allocatable["example.com/gpu"] = String(draw.int(1, 2));
  },
  pending(world, pod) {
    const { draw } = world;
    requestOf(pod)[draw.chance(0.8) ? "example.com/gpu" : "deviceclass.resource.kubernetes.io/gpu"] = String(
      draw.int(1, 2),
    );
  },
};
