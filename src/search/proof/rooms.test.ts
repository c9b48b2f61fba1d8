import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../../test/support/cluster.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView, PodView } from "../../model/view.ts";
import { timingOf } from "../../sim/timing.ts";
import { limiting } from "./amounts.ts";
import type { Rooms } from "./rooms.ts";
import { type Standing, standingOf } from "./standing.ts";

// What is said of room is held to every way the pods could stand.

const seeds = Array.from({ length: 150 }, (_, index) => index + 1);

test("no way of standing fills more places than are said to be fillable", () => {
  let exact = 0;
  for (const seed of seeds) {
    const standing = small(seededRandom(seed));
    const { view } = standing;
    const rooms = allMoving(standing);
    const pod = oneOf(standing, "mine");
    let most = 0;
    eachWay(standing, pod, (held) => {
      const filled = view.nodes.filter(
        (node) => rooms.usable(pod.template).has(node.name) && !fits(held, node, pod.template),
      );
      if (filled.some((node) => isApart(held, node, pod.template))) return;
      most = Math.max(most, filled.length);
    });
    const said = rooms.filledAtMost(pod.template);
    assert.ok(said >= most, `seed ${seed}: ${most} can be filled, said were ${said}`);
    if (said === most) exact += 1;
  }
  assert.ok(exact >= 75, `only ${exact} of ${seeds.length} were exact`);
});

test("a pod said to find a place finds one in every way of standing, always or in a drain of another like it", () => {
  let [always, inDrain] = [0, 0];
  for (const seed of seeds) {
    const standing = small(seededRandom(seed));
    const { view } = standing;
    const rooms = allMoving(standing);
    const pod = oneOf(standing, "mine");
    const { template } = pod;
    const isAlways = rooms.alwaysFinds(template, 1);
    const drain = { nodes: view.nodes.map(({ name }) => name), closedAtMost: 1, drainedAtMost: 1 };
    const isInDrain = rooms.findsInDrain(template, allOf(standing, "mine"), drain);
    assert.ok(isInDrain || !isAlways, `seed ${seed}: always, but not in a drain`);
    if (isAlways) always += 1;
    if (isInDrain) inDrain += 1;
    if (!isInDrain) continue;
    eachWay(standing, pod, (held) => {
      for (const closed of view.nodes) {
        if (!isAlways && !waits(held, closed)) continue;
        const found = view.nodes.some(
          (node) =>
            node !== closed &&
            rooms.usable(template).has(node.name) &&
            fits(held, node, template) &&
            !isApart(held, node, template),
        );
        assert.ok(found, `seed ${seed}: nothing is left beside ${closed.name}`);
      }
    });
  }
  assert.ok(always >= 5 && inDrain >= always + 20, `always ${always}, in a drain ${inDrain}`);
});

test("a pod takes as much as its next one, where that asks for more", () => {
  const finds = (nextCpu: number): boolean => {
    const standing = standingAs([
      node("a", { cpu: 1000, memory: 9, pods: 9 }, ["x"]),
      node("b", { cpu: 1000, memory: 9, pods: 9 }, ["x"]),
      ...workload("mine", { cpu: 400, memory: 1, label: "x", places: ["a"], apart: false }),
      ...workload("other", { cpu: 300, nextCpu, memory: 1, label: "x", places: ["b"], apart: false }),
    ]);
    return allMoving(standing).alwaysFinds(oneOf(standing, "mine").template, 1);
  };
  assert.equal(finds(300), true);
  assert.equal(finds(700), false);
});

test("who cannot gather on one node fills none, however much there is of them", () => {
  const finds = (cpu: number): boolean => {
    const places = ["a", "b", "c", "a", "b", "c"];
    const standing = standingAs([
      ...["a", "b", "c"].map((name) => node(name, { cpu: 1000, memory: 9, pods: 9 }, ["x"])),
      ...workload("mine", { cpu: 0, memory: 1, label: "x", places: ["a"], apart: false }),
      ...workload("other", { cpu, memory: 3, label: "x", places, apart: false }),
    ]);
    return allMoving(standing).alwaysFinds(oneOf(standing, "mine").template, 1);
  };
  assert.equal(finds(10), false);
  assert.equal(finds(450), true);
});

/** Two to four nodes, and up to seven pods of two or three kinds. */
function small(random: Random): Standing {
  const names = ["a", "b", "c", "d"].slice(0, 2 + random.below(3));
  const nodes = names.map((name, index) => {
    const labels = ["x", ...["y", "z"].filter(() => random.next() < 0.6), index < 2 ? "v" : "w"];
    return {
      name,
      labels,
      left: { cpu: 600 + 200 * random.below(4), memory: 4 + random.below(4), pods: 3 + random.below(3) },
    };
  });
  const objects = nodes.map(({ name, labels, left }) => node(name, left, labels));
  for (const name of ["mine", "other", "third"]) {
    const kind = {
      cpu: 100 * random.below(6),
      memory: 1 + random.below(3),
      label: random.pick(["x", "x", "y", "z", "v", "w"]),
      apart: random.next() < 0.4,
    };
    const replicas = name === "mine" ? 2 : 1 + random.below(3);
    const places = Array.from({ length: replicas }).flatMap(() => {
      const room = nodes.find(
        ({ labels, left }) =>
          labels.includes(kind.label) && left.cpu >= kind.cpu && left.memory >= kind.memory && left.pods > 0,
      );
      if (room === undefined) return [];
      room.left = { cpu: room.left.cpu - kind.cpu, memory: room.left.memory - kind.memory, pods: room.left.pods - 1 };
      // Those that are kept apart are placed one a node.
      if (kind.apart) nodes.push(...nodes.splice(nodes.indexOf(room), 1));
      return [room.name];
    });
    const distinct = kind.apart ? [...new Set(places)] : places;
    objects.push(
      ...workload(name, { ...kind, places: distinct.length > 0 || name !== "mine" ? distinct : [names[0] ?? ""] }),
    );
  }
  return standingAs(objects);
}

/** Another of them is on the node; where they are kept apart, the node is as it was before its drain. */
function waits(held: Held, node: NodeView): boolean {
  const mine = on(held, node).find(({ name }) => name.startsWith("mine"));
  if (mine === undefined || mine.template.requiredPodAntiAffinity.length === 0) return mine !== undefined;
  return node.pods.every((pod) => on(held, node).includes(pod));
}

function allMoving(standing: Standing): Rooms {
  return standing.roomsWhile(standing.view.nodes.map(({ name }) => name));
}

type Held = ReadonlyMap<string, readonly PodView[]>;

/** Every way in which all pods but this one may stand, some nowhere, as the scheduler would let them. */
function eachWay(standing: Standing, without: PodView, look: (held: Held) => void): void {
  const { view } = standing;
  const rooms = allMoving(standing);
  const pods = [...view.pods].filter((pod) => pod !== without);
  const held = new Map(view.nodes.map(({ name }): [string, PodView[]] => [name, []]));
  const place = (at: number): void => {
    const pod = pods[at];
    if (pod === undefined) {
      look(held);
      return;
    }
    place(at + 1);
    for (const node of view.nodes) {
      if (!rooms.usable(pod.template).has(node.name)) continue;
      if (!fits(held, node, pod.template) || isApart(held, node, pod.template)) continue;
      held.get(node.name)?.push(pod);
      place(at + 1);
      held.get(node.name)?.pop();
    }
  };
  place(0);
}

function fits(held: Held, node: NodeView, { requests }: PodTemplate): boolean {
  return limiting.every((amount) => {
    const taken = on(held, node).reduce((sum, pod) => sum + amount.read(pod.requests), 0);
    const asked = amount.read(requests);
    return asked === 0 || taken + asked <= amount.of(node.node);
  });
}

function isApart(held: Held, node: NodeView, template: PodTemplate): boolean {
  return on(held, node).some((other) => other.template === template && template.requiredPodAntiAffinity.length > 0);
}

function on(held: Held, { name }: NodeView): readonly PodView[] {
  return held.get(name) ?? [];
}

function allOf({ view }: Standing, name: string): readonly PodView[] {
  return [...view.pods].filter((pod) => pod.name.startsWith(name));
}

function oneOf(standing: Standing, name: string): PodView {
  const [pod] = allOf(standing, name);
  assert.ok(pod);
  return pod;
}

function standingAs(objects: readonly object[]): Standing {
  const cluster = clusterFrom(objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  return standingOf(cluster, timingOf(cluster, noTiming));
}

function node(
  name: string,
  { cpu, memory, pods }: { readonly cpu: number; readonly memory: number; readonly pods: number },
  labels: readonly string[],
): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: Object.fromEntries([...labels.map((key) => [key, "yes"]), [hostname, name]]) },
    status: {
      allocatable: { cpu: `${cpu}m`, memory: `${memory}Gi`, pods: String(pods) },
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

const hostname = "kubernetes.io/hostname";

function workload(
  app: string,
  kind: {
    readonly cpu: number;
    readonly nextCpu?: number;
    readonly memory: number;
    readonly label: string;
    readonly places: readonly string[];
    readonly apart: boolean;
  },
): readonly object[] {
  const labels = { app };
  const term = { topologyKey: hostname, labelSelector: { matchLabels: labels } };
  const spec = (cpu: number): object => ({
    nodeSelector: { [kind.label]: "yes" },
    affinity: kind.apart ? { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } : {},
    containers: [
      { name: "main", image: "some", resources: { requests: { cpu: `${cpu}m`, memory: `${kind.memory}Gi` } } },
    ],
  });
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: app, controller: true };
  return [
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { namespace: "some", name: app, uid: app },
      spec: {
        replicas: kind.places.length,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: spec(kind.nextCpu ?? kind.cpu) },
      },
    },
    ...kind.places.map((nodeName, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "some", name: `${app}-${index}`, labels, ownerReferences: [owner] },
      spec: { ...spec(kind.cpu), nodeName },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    })),
  ];
}
