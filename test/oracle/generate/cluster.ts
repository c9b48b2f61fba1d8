import type { Question } from "../decision.ts";
import { drawFrom } from "./draw.ts";
import { deviceHabits } from "./features/device-habits.ts";
import { devices, extendedDevices } from "./features/devices.ts";
import { manyImages, oddNodes, otherOwners, resizes } from "./features/habits.ts";
import {
  declaredFeatures,
  gates,
  hostPorts,
  imageLocality,
  nodeAffinity,
  nodeName,
  taints,
  unschedulable,
} from "./features/nodes.ts";
import { defaultSpread, nominated, podAffinity, preemption, topologySpread } from "./features/pods.ts";
import { baseRequests, resources, spell } from "./features/resources.ts";
import { volumeHabits } from "./features/volume-habits.ts";
import { volumes } from "./features/volumes.ts";
import { type App, type Feature, hostnameKey, makePod, requestOf, type Strings, type World, zoneKey } from "./world.ts";
import { writeObjects } from "./write.ts";

export const features: readonly Feature[] = [
  resources,
  taints,
  unschedulable,
  nodeAffinity,
  hostPorts,
  imageLocality,
  declaredFeatures,
  nodeName,
  gates,
  podAffinity,
  topologySpread,
  defaultSpread,
  nominated,
  preemption,
  volumes,
  devices,
  extendedDevices,
  oddNodes,
  otherOwners,
  manyImages,
  resizes,
  volumeHabits,
  deviceHabits,
];

/** A cluster about a few things, with pods whose fate they decide. */
export function generateCluster(seed: number, minor: number): Question & { readonly about: readonly string[] } {
  const draw = drawFrom(seed);
  let serial = 0;
  const world: World = {
    draw,
    minor,
    namespaces: namespaces(draw.int(1, 3)),
    nodes: [],
    apps: [],
    placed: [],
    pending: [],
    others: [],
    made: new Set(),
    serial: () => ++serial,
  };
  const chosen = chooseFeatures(world);
  const size = draw.weighted<() => number>([
    [50, () => draw.int(3, 9)],
    [38, () => draw.int(10, 24)],
    [9, () => draw.int(25, 60)],
    [4, () => draw.int(101, 150)],
  ])();
  addNodes(world, size);
  addApps(world);
  addPlaced(world);
  for (const feature of chosen) feature.prepare?.(world);
  addPending(world, chosen);
  const sequence = draw.chance(0.12);
  return {
    id: String(seed),
    about: chosen.map((feature) => feature.name),
    objects: writeObjects(world),
    pods: world.pending.map((pod) => `${pod.namespace}/${pod.name}`),
    options: {
      ...(sequence ? { sequence } : {}),
    },
  };
}

function namespaces(count: number): { readonly name: string; readonly labels: Strings }[] {
  return [
    { name: "a", labels: { team: "red" } },
    { name: "b", labels: { team: "blue" } },
    { name: "c", labels: {} },
  ].slice(0, count);
}

function chooseFeatures(world: World): readonly Feature[] {
  const { draw } = world;
  const possible = features.filter((feature) => (feature.since ?? 0) <= world.minor);
  const chosen = new Set<Feature>();
  for (
    let i = draw.weighted([
      [4, 1],
      [5, 2],
      [3, 3],
      [1, 4],
    ]);
    i > 0;
    i--
  ) {
    chosen.add(draw.weighted(possible.map((feature) => [feature.weight, feature] as const)));
  }
  return possible.filter((feature) => chosen.has(feature));
}

function addNodes(world: World, count: number): void {
  const { draw } = world;
  const zones = draw.weighted([
    [1, 0],
    [2, 1],
    [4, 2],
    [5, 3],
  ]);
  const labelled = draw.chance(0.85) ? 1 : 0.8;
  for (let i = 0; i < count; i++) {
    const name = `node-${String(i).padStart(3, "0")}`;
    const labels: Strings = { [hostnameKey]: name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" };
    if (zones > 0 && draw.chance(labelled)) {
      labels[zoneKey] = `zone-${"abc"[draw.below(zones)] ?? "a"}`;
      labels["topology.kubernetes.io/region"] = "region-1";
    }
    if (draw.chance(0.7)) labels["rack"] = `rack-${draw.below(3)}`;
    labels["pool"] = draw.pick(["system", "gpu", "cpu"]);
    if (draw.chance(0.5)) labels["disk"] = draw.pick(["ssd", "hdd"]);
    if (draw.chance(0.8)) labels["generation"] = draw.chance(0.05) ? "next" : String(draw.int(1, 9));
    if (draw.chance(0.03)) delete labels[hostnameKey];
    const mebibyte = 1024 * 1024;
    world.nodes.push({
      name,
      labels,
      annotations: {},
      taints: [],
      unschedulable: false,
      lagging: false,
      allocatable: {
        cpu: spell(world, "cpu", draw.pick([1000, 2000, 4000, 4000, 8000])),
        memory: spell(world, "memory", draw.pick([2, 4, 8, 16]) * 1024 * mebibyte),
        pods: draw.chance(0.1) ? String(draw.int(1, 3)) : "110",
        "ephemeral-storage": "50Gi",
      },
      images: [],
      declaredFeatures: [],
    });
  }
}

function addApps(world: World): void {
  const { draw } = world;
  for (let i = draw.int(2, 4); i > 0; i--) {
    const name = `app-${i}`;
    const labels: Strings = { app: name, release: draw.pick(["r1", "r2"]) };
    if (draw.chance(0.7)) labels["tier"] = draw.pick(["web", "model"]);
    const app: App = {
      name,
      namespace: draw.pick(world.namespaces).name,
      labels,
      ownerKind: draw.weighted([
        [6, "ReplicaSet"],
        [2, "StatefulSet"],
        [1, "ReplicationController"],
      ]),
    };
    world.apps.push(app);
    const selector = draw.chance(0.9) ? { app: name } : { app: name, release: "r1" };
    world.others.push({
      apiVersion: app.ownerKind === "ReplicationController" ? "v1" : "apps/v1",
      kind: app.ownerKind,
      metadata: { name, namespace: app.namespace, uid: `${app.ownerKind}-${app.namespace}-${name}` },
      spec: {
        replicas: 3,
        selector: app.ownerKind === "ReplicationController" ? selector : { matchLabels: selector },
        ...(app.ownerKind === "StatefulSet" ? { serviceName: name } : {}),
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.test/base:v1" }] } },
      },
    });
  }
}

function addPlaced(world: World): void {
  const { draw } = world;
  const density = draw.pick([0.3, 0.8, 1.2, 2]);
  const count = Math.min(120, Math.round(world.nodes.length * density));
  for (let i = 0; i < count; i++) {
    const pod = makePod(draw.pick(world.apps), `placed-${i}`);
    pod.nodeName = draw.pick(world.nodes).name;
    if (draw.chance(0.3)) pod.labels["release"] = draw.pick(["r1", "r2", "r3"]);
    Object.assign(requestOf(pod), baseRequests(world, 1));
    if (draw.chance(0.04))
      Object.assign(pod.metadata, { deletionTimestamp: "2026-01-05T09:00:00Z", deletionGracePeriodSeconds: 30 });
    if (draw.chance(0.03)) pod.status["phase"] = draw.pick(["Succeeded", "Failed"]);
    world.placed.push(pod);
  }
}

function addPending(world: World, chosen: readonly Feature[]): void {
  const { draw } = world;
  for (let i = draw.int(2, 5); i > 0; i--) {
    const pod = makePod(draw.pick(world.apps), `pending-${i}`);
    Object.assign(requestOf(pod), baseRequests(world, 1));
    for (const feature of chosen) if (draw.chance(0.8)) feature.pending(world, pod);
    world.pending.push(pod);
  }
}
