import { type Feature, mainOf, type PodDraft, requestOf, type World, zoneKey } from "../world.ts";

const betaZone = "failure-domain.beta.kubernetes.io/zone";

/** Nodes as clusters have them on a bad day: lost, half labelled, cordoned a moment ago, short of a resource. */
export const oddNodes: Feature = {
  name: "oddNodes",
  weight: 2,
  prepare(world) {
    const { draw } = world;
    for (const node of world.nodes) {
      if (draw.chance(0.2)) {
        const key = `node.kubernetes.io/${draw.pick(["not-ready", "unreachable", "disk-pressure", "out-of-service"])}`;
        node.taints.push({ key, effect: "NoSchedule" });
        if (!key.endsWith("pressure")) node.taints.push({ key, effect: "NoExecute" });
      }
      if (draw.chance(0.15)) node.unschedulable = !node.unschedulable;
      if (draw.chance(0.15)) node.lagging = true;
      const zone = node.labels[zoneKey];
      if (zone !== undefined && draw.chance(0.25)) {
        node.labels[betaZone] = zone;
        if (draw.chance(0.5)) delete node.labels[zoneKey];
      }
      if (draw.chance(0.15)) node.labels["topology.kubernetes.io/region"] = draw.pick(["region-1", "region-2"]);
      if (draw.chance(0.06)) delete node.allocatable[draw.pick(["pods", "cpu", "memory", "ephemeral-storage"])];
      if (draw.chance(0.04)) node.allocatable[draw.pick(["cpu", "memory"])] = "0";
    }
    for (const pod of world.placed) if (draw.chance(0.05)) pod.nodeName = "gone-node";
  },
  pending(world, pod) {
    const { draw } = world;
    if (draw.chance(0.3)) {
      pod.tolerations.push({
        key: `node.kubernetes.io/${draw.pick(["not-ready", "unreachable", "disk-pressure"])}`,
        operator: "Exists",
        ...(draw.chance(0.5) ? { effect: draw.pick(["NoSchedule", "NoExecute"]) } : {}),
      });
    }
    if (draw.chance(0.3)) requestOf(pod)[draw.pick(["example.com/none", "example.com/widget", "cpu"])] = "0";
    if (draw.chance(0.1)) requestOf(pod)["example.com/none"] = "1";
  },
};

/** Pods of other owners than the usual ones: bare, of a DaemonSet, of a Job, static ones. */
export const otherOwners: Feature = {
  name: "otherOwners",
  weight: 2,
  prepare(world) {
    for (const pod of world.placed) if (world.draw.chance(0.4)) reown(world, pod, pod.nodeName);
  },
  pending(world, pod) {
    if (world.draw.chance(0.7)) reown(world, pod, world.draw.pick(world.nodes).name);
  },
};

function reown(world: World, pod: PodDraft, node: string): void {
  const { draw } = world;
  const owner = (apiVersion: string, kind: string): void => {
    pod.metadata["ownerReferences"] = [{ apiVersion, kind, name: "owner", uid: `${kind}-owner`, controller: true }];
  };
  draw.weighted<() => void>([
    [3, () => Object.assign(pod.metadata, { ownerReferences: undefined })],
    [2, () => owner("batch/v1", "Job")],
    [
      1,
      () => {
        owner("v1", "Node");
        pod.metadata["annotations"] = { "kubernetes.io/config.mirror": "0123" };
      },
    ],
    [
      3,
      () => {
        owner("apps/v1", "DaemonSet");
        for (const state of ["not-ready", "unreachable"])
          pod.tolerations.push({ key: `node.kubernetes.io/${state}`, operator: "Exists", effect: "NoExecute" });
        for (const state of ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"])
          pod.tolerations.push({ key: `node.kubernetes.io/${state}`, operator: "Exists", effect: "NoSchedule" });
        pod.spec["affinity"] = {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
            },
          },
        };
      },
    ],
  ])();
}

/** Nodes that hold many images, and pods of many containers. */
export const manyImages: Feature = {
  name: "manyImages",
  weight: 1.2,
  prepare(world) {
    const { draw } = world;
    const names = Array.from({ length: 60 }, (_, i) => `registry.test/team/image-${i}:v${i % 3}`);
    const sizes = names.map(() => draw.pick([1, 20, 23, 24, 120, 700, 1000, 1100, 5000, 30_000]) * 1024 * 1024);
    for (const node of world.nodes) {
      node.images = draw.some(names, 5, 50).map((name) => ({
        names: draw.chance(0.2) ? [name, `${name.replace(/:.*/, "")}@sha256:0123`] : [name],
        sizeBytes: sizes[names.indexOf(name)] ?? 1,
      }));
    }
  },
  pending(world, pod) {
    const { draw } = world;
    const image = (): string => `registry.test/team/image-${draw.int(0, 59)}:v${draw.int(0, 2)}`;
    mainOf(pod).image = image();
    for (let i = draw.int(0, 5); i > 0; i--) pod.containers.push({ name: `more-${i}`, image: image(), resources: {} });
    for (let i = draw.int(0, 2); i > 0; i--)
      pod.initContainers.push({ name: `before-${i}`, image: image(), resources: {} });
  },
};

/** Resizes in place of sidecars and of whole pods, finished, asked for and impossible. */
export const resizes: Feature = {
  name: "resizes",
  weight: 1.5,
  prepare(world) {
    for (const pod of world.placed) if (world.draw.chance(0.6)) resize(world, pod);
  },
  pending(world, pod) {
    if (world.draw.chance(0.3)) wholePod(world, pod);
  },
};

function wholePod(world: World, pod: PodDraft): void {
  const { draw } = world;
  for (const container of [...pod.containers, ...pod.initContainers])
    container.resources.requests = { cpu: "50m", memory: "64Mi" };
  pod.spec["resources"] = {
    requests: { cpu: draw.pick(["500m", "1", "3"]), memory: draw.pick(["512Mi", "2Gi", "5Gi"]) },
  };
}

function resize(world: World, pod: PodDraft): void {
  const { draw } = world;
  const amounts = (): { [name: string]: string } => ({
    cpu: draw.pick(["100m", "600m", "1", "2500m"]),
    memory: draw.pick(["128Mi", "700Mi", "3Gi"]),
  });
  mainOf(pod).resources = { requests: amounts() };
  if (draw.chance(0.6)) {
    pod.initContainers.push(
      { name: "sidecar", image: "registry.test/side:v2", restartPolicy: "Always", resources: { requests: amounts() } },
      ...(draw.chance(0.4)
        ? [{ name: "setup", image: "registry.test/side:v2", resources: { requests: amounts() } }]
        : []),
    );
  }
  const whole = draw.chance(0.35);
  if (whole) wholePod(world, pod);
  const status = (name: string, image: string): unknown => ({
    name,
    image,
    imageID: "",
    ready: true,
    restartCount: 0,
    ...(draw.chance(0.8) ? { allocatedResources: amounts() } : {}),
    ...(draw.chance(0.7) ? { resources: { requests: amounts() } } : {}),
  });
  pod.status["containerStatuses"] = pod.containers.map(({ name, image }) => status(name, image));
  pod.status["initContainerStatuses"] = pod.initContainers.map(({ name, image }) => status(name, image));
  if (whole && draw.chance(0.7)) {
    pod.status["allocatedResources"] = amounts();
    if (draw.chance(0.7)) pod.status["resources"] = { requests: amounts() };
  }
  pod.status["conditions"] = [
    { type: "PodScheduled", status: "True" },
    draw.weighted<unknown>([
      [2, { type: "PodResizePending", status: "True", reason: "Deferred", message: "" }],
      [2, { type: "PodResizePending", status: "True", reason: "Infeasible", message: "" }],
      [2, { type: "PodResizeInProgress", status: "True" }],
      [1, { type: "Ready", status: "True" }],
    ]),
  ];
}
