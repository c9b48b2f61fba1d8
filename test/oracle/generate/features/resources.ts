import { type Feature, mainOf, type PodDraft, requestOf, type Strings, type World } from "../world.ts";

/** The same amount in another spelling. */
export function spell(world: World, name: string, amount: number): string {
  const { draw } = world;
  if (name === "cpu") {
    if (amount % 1000 === 0 && draw.chance(0.6)) return String(amount / 1000);
    return draw.chance(0.15) ? String(amount / 1000) : `${amount}m`;
  }
  const kib = 1024;
  if (amount % (kib * kib) !== 0) return String(amount);
  const mebi = amount / (kib * kib);
  if (mebi % 1024 === 0 && draw.chance(0.6)) return `${mebi / 1024}Gi`;
  if (draw.chance(0.1)) return String(amount);
  if (draw.chance(0.1)) return `${mebi * 1024}Ki`;
  if (mebi % 512 === 0 && draw.chance(0.3)) return `${mebi / 1024}Gi`;
  return `${mebi}Mi`;
}

const mebibyte = 1024 * 1024;

/** A request of the base resources that sits near what nodes have left. */
export function baseRequests(world: World, size: number): Strings {
  const { draw } = world;
  const requests: Strings = {};
  if (draw.chance(0.85))
    requests["cpu"] = spell(world, "cpu", draw.pick([0, 50, 100, 250, 500, 1000, 1500, 2000, 2001]) * size);
  if (draw.chance(0.8)) {
    requests["memory"] = spell(
      world,
      "memory",
      draw.pick([64, 128, 200, 256, 512, 1024, 1536, 3000]) * size * mebibyte,
    );
  }
  return requests;
}

/** Everything a pod's size is made of: init containers, sidecars, overhead, limits without requests, sizes of the whole pod. */
export const resources: Feature = {
  name: "resources",
  weight: 5,
  prepare(world) {
    const { draw } = world;
    for (const node of world.nodes) {
      if (draw.chance(0.4)) node.allocatable["example.com/widget"] = String(draw.int(1, 4));
      if (draw.chance(0.3)) node.allocatable["hugepages-2Mi"] = `${draw.int(1, 4) * 64}Mi`;
      if (draw.chance(0.5)) node.allocatable["ephemeral-storage"] = `${draw.int(2, 20)}Gi`;
      if (draw.chance(0.15)) node.allocatable["pods"] = String(draw.int(1, 4));
      if (draw.chance(0.1)) node.allocatable["cpu"] = draw.pick(["3920m", "0.5", "7910m", "1e1"]);
      if (draw.chance(0.1)) node.allocatable["memory"] = draw.pick(["4G", "7550Mi", "3500000000", "5e9", "129e6"]);
    }
    for (const pod of world.placed) if (draw.chance(0.4)) size(world, pod);
    for (const pod of world.placed) if (draw.chance(0.2)) resize(world, pod);
  },
  pending(world, pod) {
    size(world, pod);
  },
};

function size(world: World, pod: PodDraft): void {
  const { draw } = world;
  const requests = requestOf(pod);
  if (draw.chance(0.25)) requests["example.com/widget"] = String(draw.int(1, 3));
  if (draw.chance(0.15)) {
    const pages = `${draw.int(1, 4) * 64}Mi`;
    requests["hugepages-2Mi"] = pages;
    mainOf(pod).resources.limits = { ...mainOf(pod).resources.limits, "hugepages-2Mi": pages };
  }
  if (draw.chance(0.25)) requests["ephemeral-storage"] = `${draw.pick([100, 1024, 5000, 9000])}Mi`;
  if (draw.chance(0.3)) {
    pod.containers.push({
      name: "side",
      image: "registry.test/side:v2",
      resources: { requests: baseRequests(world, 1) },
    });
  }
  if (draw.chance(0.15))
    mainOf(pod).resources = { limits: { cpu: "750m", memory: "700Mi", ...(requests["cpu"] ? {} : {}) } };
  if (draw.chance(0.35)) {
    for (let i = draw.int(1, 3); i > 0; i--) {
      pod.initContainers.push({
        name: `init-${i}`,
        image: "registry.test/init:v1",
        resources: { requests: baseRequests(world, draw.chance(0.3) ? 2 : 1) },
        ...(draw.chance(0.4) ? { restartPolicy: "Always" } : {}),
      });
    }
  }
  if (draw.chance(0.15)) {
    pod.spec["overhead"] = { cpu: draw.pick(["100m", "250m", "1"]), memory: draw.pick(["120Mi", "1Gi"]) };
    pod.spec["runtimeClassName"] = "sandboxed";
  }
  if (draw.chance(0.15)) {
    const whole: Strings = {};
    if (draw.chance(0.8)) whole["cpu"] = draw.pick(["1", "2500m", "4", "6"]);
    if (draw.chance(0.8)) whole["memory"] = draw.pick(["4Gi", "6Gi", "10Gi"]);
    // Of the sizes below the pod's, cpu and memory must fit into it.
    for (const container of [...pod.containers, ...pod.initContainers]) {
      container.resources.requests = { ...container.resources.requests };
      if (whole["cpu"] !== undefined) container.resources.requests["cpu"] = "100m";
      if (whole["memory"] !== undefined) container.resources.requests["memory"] = "200Mi";
    }
    pod.spec["resources"] = draw.chance(0.3) ? { requests: whole, limits: whole } : { requests: whole };
  }
}

/** A placed pod that was resized: the node still gives what it allocated, asked or infeasible. */
function resize(world: World, pod: PodDraft): void {
  const { draw } = world;
  const main = mainOf(pod);
  const now = main.resources.requests ?? {};
  if (now["cpu"] === undefined || pod.spec["resources"] !== undefined) return;
  const allocated = { ...now, cpu: draw.pick(["100m", "1", "2", "3500m"]) };
  pod.status["containerStatuses"] = [
    {
      name: main.name,
      image: main.image,
      imageID: "",
      ready: true,
      restartCount: 0,
      allocatedResources: allocated,
      ...(draw.chance(0.7) ? { resources: { requests: { ...now, cpu: draw.pick(["100m", "1500m", "3"]) } } } : {}),
    },
  ];
  pod.status["conditions"] = [
    { type: "PodScheduled", status: "True" },
    ...(draw.chance(0.5)
      ? [{ type: "PodResizePending", status: "True", reason: draw.pick(["Infeasible", "Deferred"]), message: "" }]
      : [{ type: "PodResizeInProgress", status: "True" }]),
  ];
}
