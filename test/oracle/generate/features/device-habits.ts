import { type Feature, type Fields, mainOf, once, type PodDraft, push, requestOf, type World } from "../world.ts";
import { claimObject, deviceClass, devices, driver, gpu, heldHow, refer, resourceSlice } from "./devices.ts";

/**
 * Beside usual devices: pools that contradict themselves, many devices at once, selectors of all kinds, claims that pods share,
 * two classes behind one resource, extended resources beside claims.
 */
export const deviceHabits: Feature = {
  name: "deviceHabits",
  weight: 4.4,
  prepare(world) {
    devices.prepare?.(world);
    if (!once(world, "device habits")) return;
    const { draw } = world;
    deviceClass(world, "card", [`device.driver == "card.example.com"`]);
    for (const node of world.nodes) {
      if (draw.chance(0.25)) brokenPool(world, node.name);
      if (draw.chance(0.15)) cards(world, node.name);
    }
    if (world.minor < 36) return;
    for (const name of draw.some(["first", "second"], 1, 2)) {
      deviceClass(world, name, [`device.driver == "${driver}"`], { extendedResourceName: "example.com/accelerator" });
      const made = world.others.at(-1);
      if (made !== undefined)
        Object.assign(made.metadata, { creationTimestamp: `2026-01-05T08:00:0${draw.int(0, 3)}Z` });
    }
    for (const node of world.nodes)
      if (draw.chance(0.3)) node.allocatable["example.com/accelerator"] = String(draw.int(0, 2));
  },
  pending(world, pod) {
    const { draw } = world;
    draw.weighted<() => void>([
      [4, () => own(world, pod, [exactly(world, "request-0")])],
      [3, () => own(world, pod, manyCards(world))],
      [2, () => own(world, pod, [firstOf(world)])],
      [2, () => shared(world, pod)],
      [4.5, () => everything(world, pod)],
      [5, () => idle(world, pod)],
      ...(world.minor < 36 ? [] : [[3, () => accelerator(world, pod)] as const]),
    ])();
  },
};

/** Devices of one name in two slices, or counters that nobody has. */
function brokenPool(world: World, node: string): void {
  const { draw } = world;
  const pool = `broken-${node}`;
  const part = (name: string, device: Fields, slices: number): void => {
    const fields = { nodeName: node, devices: [device] };
    world.others.push(resourceSlice({ name, driver: "card.example.com", pool, slices, fields }));
  };
  if (world.minor >= 36 && draw.chance(0.4)) {
    const counters = [{ counterSet: draw.pick(["card", "nobody"]), counters: { engines: { value: "1" } } }];
    part(`${pool}-0`, { ...gpu(world, node, "card-0", 0), consumesCounters: counters }, 2);
    const sets = [{ name: "card", counters: { [draw.pick(["engines", "memory"])]: { value: "4" } } }];
    const fields = { nodeName: node, sharedCounters: sets };
    world.others.push(resourceSlice({ name: `${pool}-1`, driver: "card.example.com", pool, slices: 2, fields }));
    return;
  }
  part(`${pool}-0`, gpu(world, node, "card-0", 0), 2);
  part(`${pool}-1`, gpu(world, node, draw.chance(0.7) ? "card-0" : "card-1", 1), 2);
}

/** More devices than one claim may hold. */
function cards(world: World, node: string): void {
  const list = Array.from(
    { length: world.draw.pick(world.minor < 36 ? [4, 40] : [4, 10, 40]) },
    (_, i): Fields => ({ name: `card-${i}` }),
  );
  const fields = { nodeName: node, devices: list };
  world.others.push(
    resourceSlice({ name: `cards-${node}`, driver: "card.example.com", pool: node, slices: 1, fields }),
  );
}

function manyCards(world: World): readonly Fields[] {
  const { draw } = world;
  // 1.34 tries every order of as many devices as there are before it says that there are too few.
  const counts = draw.pick(
    world.minor < 36 ? [[1], [4], [20, 20], [30, 3]] : [[1], [4], [20], [32], [20, 20], [30, 3], [16, 16]],
  );
  return counts.map((count, i) => ({
    name: `request-${i}`,
    exactly: { deviceClassName: "card", allocationMode: "ExactCount", count },
  }));
}

function exactly(world: World, name: string): Fields {
  return { name, exactly: asked(world) };
}

function firstOf(world: World): Fields {
  const { draw } = world;
  return {
    name: "request-0",
    firstAvailable: [0, 1, 2, 3].slice(0, draw.int(1, 4)).map((i) => ({ name: `sub-${i}`, ...asked(world) })),
  };
}

function asked(world: World): Fields {
  const { draw } = world;
  const selectors = Array.from({ length: draw.int(0, 2) }, () => ({ cel: { expression: expression(world) } }));
  return {
    deviceClassName: draw.pick(["gpu", "gpu", "any", "card", "big-gpu"]),
    allocationMode: "ExactCount",
    count: draw.int(1, 2),
    ...(selectors.length === 0 ? {} : { selectors }),
  };
}

function expression(world: World): string {
  const { draw } = world;
  const own = `device.attributes["${driver}"]`;
  const memory = `device.capacity["${driver}"].memory`;
  return draw.pick([
    `${own}.?model.orValue("none") == "h100"`,
    `"${driver}" in device.attributes && has(${own}.model) && ${own}.model.matches("^[ha]1?00$")`,
    `device.driver.startsWith("gpu.") && ${own}.index % 2 == 0`,
    `cel.bind(m, ${own}.model, m == "a100" || m == "l4")`,
    `["h100", "a100"].exists(m, ${own}.model == m)`,
    `["h100", "a100"].all(m, ${own}.model != m)`,
    `${memory}.isGreaterThan(quantity("30Gi")) && ${memory}.isLessThan(quantity("80.5Gi"))`,
    `${memory}.add(quantity("1Gi")).compareTo(quantity("41Gi")) == 0`,
    `${memory}.asApproximateFloat() > 4.0e10`,
    `${own}.mig ? ${own}.index == 0 : ${own}.index > 0`,
    `${own}.driverVersion.major() >= 2`,
    `${own}.driverVersion.compareTo(semver("1.2.3")) == 0`,
    `${own}.model.size() == 4 && ${own}.model.contains("00")`,
    `${own}.model.upperAscii() == "H100"`,
    `string(${own}.index) == "1"`,
    `${own}.model in {"h100": 1, "l4": 2}`,
    `device.attributes["resource.kubernetes.io"].pcieRoot == "pci-0"`,
    `!(${own}.index in [0, 2]) || ${own}.numa == 0`,
    `${own}.model + "x" == "l4x"`,
    `double(${own}.index) / 2.0 < 1.0`,
    `${own}.nothing == 3 || ${own}.model == "h100"`,
    `${own}.model == "h100" || ${own}.nothing == 3`,
    `${own}.index / 0 == 1`,
    `device.allowMultipleAllocations == false`,
    `true`,
  ]);
}

function own(world: World, pod: PodDraft, requests: readonly Fields[], more: Fields = {}): void {
  const name = `habits-${world.serial()}`;
  refer(pod, name, name, false);
  world.others.push(claimObject(pod, name, { spec: { devices: { requests, ...more } }, owned: false }));
}

/** All devices, that often do not go together. */
function everything(world: World, pod: PodDraft): void {
  const { draw } = world;
  const attribute = draw.pick([`${driver}/model`, `${driver}/numa`, `${driver}/index`]);
  const all = { deviceClassName: draw.pick(["card", "gpu", "any"]), allocationMode: "All" };
  const constraints = draw.chance(0.7) ? { constraints: [{ matchAttribute: attribute }] } : {};
  own(world, pod, [{ name: "all", exactly: all }], constraints);
}

/** Allocated where the pod cannot go, and in nobody's use: the scheduler takes it back. */
function idle(world: World, pod: PodDraft): void {
  const name = `idle-${world.serial()}`;
  const node = world.draw.chance(0.6) ? "gone-node" : world.draw.pick(world.nodes).name;
  const selector = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  const results = [{ request: "request-0", driver, pool: "gone", device: "gpu-0" }];
  const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [selector] } };
  refer(pod, name, name, false);
  const spec = { devices: { requests: [exactly(world, "request-0")] } };
  world.others.push(claimObject(pod, name, { spec, owned: false, status: { allocation } }));
}

/** One claim for all pods of a namespace, in use by some already or by none. */
function shared(world: World, pod: PodDraft): void {
  const { draw } = world;
  const name = "together";
  const users = world.placed.filter((other) => other.namespace === pod.namespace && draw.chance(0.2));
  refer(pod, name, "together", false);
  if (!once(world, `claim ${pod.namespace}/${name}`)) return;
  const node = users[0]?.nodeName;
  const requests = [exactly(world, "request-0")];
  const device = `gpu-${draw.int(0, 1)}`;
  const result = { request: "request-0", driver, pool: node, device, ...heldHow(world, node, device) };
  const selector = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  const status =
    node === undefined
      ? undefined
      : {
          allocation: { devices: { results: [result] }, nodeSelector: { nodeSelectorTerms: [selector] } },
          reservedFor: users.map((user) => ({ resource: "pods", name: user.name, uid: user.uid })),
        };
  const spec = { devices: { requests } };
  world.others.push(claimObject(pod, name, { spec, owned: false, ...(status === undefined ? {} : { status }) }));
}

/** An extended resource that devices or a device plugin give, beside one nobody gives, with a claim or without. */
function accelerator(world: World, pod: PodDraft): void {
  const { draw } = world;
  const requests = requestOf(pod);
  requests["example.com/accelerator"] = String(draw.int(1, 2));
  if (draw.chance(0.3)) requests["deviceclass.resource.kubernetes.io/card"] = "1";
  if (draw.chance(0.2)) requests["example.com/widget"] = "1";
  if (draw.chance(0.3)) {
    const more = {
      name: "more",
      image: "registry.test/side:v2",
      resources: { requests: { "example.com/accelerator": "1" } },
    };
    if (draw.chance(0.5)) pod.containers.push(more);
    else pod.initContainers.push({ ...more, ...(draw.chance(0.5) ? { restartPolicy: "Always" } : {}) });
  }
  if (draw.chance(0.4)) own(world, pod, [exactly(world, "request-0")]);
  else if (draw.chance(0.2)) {
    push(pod.spec, "resourceClaims", { name: "unused", resourceClaimTemplateName: "never-made" });
    const main = mainOf(pod);
    main.resources.claims = [...(main.resources.claims ?? []), { name: "unused" }];
  }
}
