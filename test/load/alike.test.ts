import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Door } from "../../src/load/door.ts";
import { defaultLimits } from "../../src/load/limits.ts";
import { parseInput, tellInput } from "../../src/load/parse-bytes.ts";
import { ReadAhead } from "../../src/load/read-ahead.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { isJsonList, isJsonObject } from "../../src/wire/fields.ts";
import type { Json, JsonObject, Snapshot } from "../../src/wire/snapshot.ts";
import { snapshotOver } from "../../src/wire/snapshot-over.ts";
import { plainPods } from "../support/plain-pods.ts";

/** How often a listener was told of objects, and of pods as alike. */
interface Counts {
  items: number;
  alike: number;
}

function snapshotOf(text: Uint8Array, chunkBytes: number, how: "told" | "iterated", counts?: Counts): Snapshot {
  const door = new Door(defaultLimits.problems);
  const chunks = Array.from({ length: Math.ceil(text.length / chunkBytes) }, (_, at) =>
    text.slice(at * chunkBytes, (at + 1) * chunkBytes),
  );
  const own = snapshotOver(door, {
    source: "input",
    [Symbol.iterator]: () => parseInput("input", chunks, door, defaultLimits),
  });
  if (how === "iterated") return own;
  return Object.defineProperties(own, {
    tell: {
      value: (listener: Parameters<NonNullable<Snapshot["tell"]>>[0]) =>
        tellInput(
          "input",
          chunks,
          new ReadAhead({
            door,
            limits: defaultLimits,
            listener: {
              item(item) {
                if (counts !== undefined) counts.items += 1;
                return listener.item(item);
              },
              onTape(tape, source) {
                if (counts !== undefined) counts.items += 1;
                return listener.onTape?.(tape, source) ?? -1;
              },
              alike(pattern, values, source) {
                if (counts !== undefined) counts.alike += 1;
                listener.alike(pattern, values, source);
              },
            },
          }),
        ),
    },
  });
}

function bothWays(text: Uint8Array, chunkBytes: number): readonly [Cluster, Cluster] {
  return [buildCluster(snapshotOf(text, chunkBytes, "told")), buildCluster(snapshotOf(text, chunkBytes, "iterated"))];
}

/** What pods of one owner may differ in. */
interface Own {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: string | null;
  readonly nodeName: string;
  readonly restarts: number;
  readonly readyAt: string | null;
  readonly podIP: string;
  readonly address: string;
}

function podObject(owner: string, own: Own): JsonObject {
  const isDaemon = owner === "agent";
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [own.nodeName] }] }],
      },
    },
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      annotations: { "cni.projectcalico.org/podIP": own.address, "team.example/rate": "3" },
      creationTimestamp: own.createdAt,
      generateName: `${owner}-`,
      labels: { app: owner },
      name: own.name,
      namespace: "team",
      ownerReferences: [
        { apiVersion: "apps/v1", controller: true, kind: isDaemon ? "DaemonSet" : "ReplicaSet", name: owner, uid: "u" },
      ],
      resourceVersion: own.resourceVersion,
      uid: own.uid,
    },
    spec: {
      ...(isDaemon ? { affinity } : {}),
      containers: [
        {
          env: [{ name: "A", value: "b" }],
          image: "engine:1",
          name: "main",
          resources: { requests: { cpu: "500m", memory: "1Gi" } },
          volumeMounts: [{ mountPath: "/t", name: `kube-api-access-${own.name}` }],
        },
      ],
      nodeName: own.nodeName,
      volumes: [{ name: `kube-api-access-${own.name}`, projected: {} }],
    },
    status: {
      conditions: [
        { lastTransitionTime: own.readyAt, status: own.readyAt === null ? "False" : "True", type: "Ready" },
        { lastProbeTime: null, lastTransitionTime: own.createdAt, status: "True", type: "PodScheduled" },
      ],
      containerStatuses: [
        { containerID: `containerd://${own.uid}`, name: "main", restartCount: own.restarts, state: {} },
      ],
      phase: "Running",
      podIP: own.podIP,
      podIPs: [{ ip: own.podIP }],
      startTime: own.createdAt,
    },
  };
}

const time = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("2026-01-26T13:38:44Z", "2026-02-28T00:00:60Z", "2024-02-29T23:59:59Z") },
  fc.constantFrom("2026-13-01T00:00:00Z", "2026-01-26T13:38:44.123Z", "2026-01-26T13:38:44+01:00", "soon", ""),
);

const odd = fc.constantFrom("", 'a"b', "a\\b", "é", "\u0000", "\ud800", "x".repeat(300));

const own: fc.Arbitrary<Own> = fc.record({
  name: fc.oneof({ weight: 12, arbitrary: fc.stringMatching(/^[a-z]{1,6}$/) }, odd),
  uid: fc.oneof({ weight: 12, arbitrary: fc.uuid() }, fc.constantFrom("", "U", "ABCDEF00-0000-4000-8000-000000000000")),
  resourceVersion: fc.oneof(
    { weight: 12, arbitrary: fc.nat().map(String) },
    fc.constantFrom("", "007", "x", "99999999999999999999"),
  ),
  createdAt: fc.oneof({ weight: 12, arbitrary: time }, fc.constant(null)),
  nodeName: fc.oneof({ weight: 12, arbitrary: fc.constantFrom("n1", "n2", "n3") }, odd),
  restarts: fc.oneof({ weight: 12, arbitrary: fc.nat({ max: 20 }) }, fc.constantFrom(-1, 1.5, 1e21)),
  readyAt: fc.oneof({ weight: 8, arbitrary: time }, fc.constant(null)),
  podIP: fc.ipV4(),
  address: fc.oneof({ weight: 8, arbitrary: fc.ipV4() }, odd),
});

const pods = fc.array(
  fc.tuple(fc.constantFrom("web", "agent"), own).map(([owner, each]) => podObject(owner, each)),
  { minLength: 1, maxLength: 12 },
);

type Layout = "lines" | "list" | "items" | "array";

function written(objects: readonly JsonObject[], layout: Layout, indent: number): string {
  switch (layout) {
    case "lines":
      return objects.map((object) => JSON.stringify(object)).join("\n");
    case "list":
      return JSON.stringify({ apiVersion: "v1", items: objects, kind: "List" }, null, indent);
    case "items":
      return JSON.stringify({ apiVersion: "v1", items: objects, kind: "PodList" }, null, indent);
    case "array":
      return JSON.stringify(objects, null, indent);
  }
}

const layouts: fc.Arbitrary<Layout> = fc.constantFrom("lines", "list", "items", "array");

test("told or iterated, the same objects make the same cluster", () => {
  fc.assert(
    fc.property(pods, layouts, fc.constantFrom(0, 2, 4), fc.integer({ min: 200, max: 20_000 }), (objects, ...how) => {
      const [layout, indent, chunkBytes] = how;
      const [told, iterated] = bothWays(new TextEncoder().encode(written(objects, layout, indent)), chunkBytes);
      assert.deepEqual(plainPods(told), plainPods(iterated));
    }),
    { numRuns: 300 },
  );
});

test("so they do where bytes are torn out, put in or changed", () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    take: fc.constantFrom(0, 1, 1, 40),
    put: fc.constantFrom(
      "",
      '"',
      "\\",
      "\n",
      "}",
      ",",
      "0",
      " ",
      "é",
      "\ud800",
      '"name":"x",',
      '"uid":1,',
      '"restartCount":9,',
      '"status":{},',
    ),
  });
  fc.assert(
    fc.property(pods, layouts, fc.constantFrom(0, 4), fc.array(change, { maxLength: 3 }), (objects, ...how) => {
      const [layout, indent, changes] = how;
      let text = written(objects, layout, indent);
      for (const { at, take, put } of changes) {
        const from = Math.floor(at * text.length);
        text = text.slice(0, from) + put + text.slice(from + take);
      }
      const [told, iterated] = bothWays(new TextEncoder().encode(text), 1 << 16);
      assert.deepEqual(plainPods(told), plainPods(iterated));
    }),
    { numRuns: 400 },
  );
});

test("so do objects of other kinds, with whatever in their fields", () => {
  const odd = fc.constantFrom(null, true, -1, 1e30, "", "x", "é", "\ud800", [], ["x", 1], {}, { a: 1 }, { name: "y" });
  const change = fc.record({ place: fc.nat({ max: 200 }), value: odd });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), fc.constantFrom(0, 2), (changes, indent) => {
      const objects = otherObjects().map((object) => changes.reduce((changed, one) => withOdd(changed, one), object));
      const [told, iterated] = bothWays(new TextEncoder().encode(written(objects, "list", indent)), 1 << 16);
      assert.deepEqual(told, iterated);
    }),
    // The specs of a Deployment and its ReplicaSet are missing: each is said.
    { numRuns: 400, examples: [[[{ place: 22, value: null }], 0]] },
  );
});

function otherObjects(): readonly JsonObject[] {
  const metadata = { labels: { app: "web" }, name: "web", namespace: "team", resourceVersion: "7", uid: "u" };
  const template = { metadata: { labels: { app: "web" } }, spec: podObject("web", plainOwn(1))["spec"] ?? {} };
  const selector = { matchLabels: { app: "web" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };
  const node = {
    spec: { taints: [{ effect: "NoSchedule", key: "gpu", value: "x" }], unschedulable: true },
    status: {
      allocatable: { cpu: "4", memory: "16Gi", pods: "110" },
      conditions: [{ reason: "r", status: "True", type: "Ready" }],
      images: [{ names: ["a", "b"], sizeBytes: 5 }],
    },
  };
  return [
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 3, selector, template } },
    { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas: 3, selector, template } },
    { apiVersion: "v1", kind: "Node", metadata: { ...metadata, name: "n1" }, ...node },
    { apiVersion: "v1", kind: "Node", metadata: { ...metadata, name: "n2" }, ...node },
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80 }], selector: { app: "web" } } },
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { minAvailable: "50%", selector } },
    podObject("web", plainOwn(1)),
  ];
}

/** The object with another value at a place, counted over all values in it, apart from what says what it is. */
function withOdd(object: JsonObject, { place, value }: { readonly place: number; readonly value: Json }): JsonObject {
  let at = -1;
  const changed = (each: Json | undefined): Json => {
    at += 1;
    if (at === place) return value;
    if (isJsonList(each)) return each.map(changed);
    if (!isJsonObject(each)) return each ?? null;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, changed(inner)]));
  };
  const { apiVersion, kind, ...rest } = object;
  return {
    apiVersion,
    kind,
    ...Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, changed(inner)])),
  };
}

test("bytes that are no UTF-8 are found inside of what is not read", () => {
  const text = new TextEncoder().encode(
    written(
      Array.from({ length: 4 }, (_, at) => podObject("web", plainOwn(at))),
      "lines",
      0,
    ),
  );
  const at = text.length - text.toReversed().indexOf(0x3a);
  text[at + 20] = 0xff;
  const [told, iterated] = bothWays(text, 1 << 16);
  assert.deepEqual(plainPods(told), plainPods(iterated));
});

function plainOwn(at: number): Own {
  return {
    name: `web-${at}`,
    uid: `00000000-0000-4000-8000-00000000000${at % 10}`,
    resourceVersion: String(at),
    createdAt: "2026-01-26T13:38:44Z",
    nodeName: `n${at}`,
    restarts: at,
    readyAt: "2026-01-26T13:39:44Z",
    podIP: `10.0.0.${at}`,
    address: `10.0.1.${at}`,
  };
}

for (const [layout, indent] of [
  ["lines", 0],
  ["list", 4],
] as const) {
  test(`pods of one owner are read once and then known, as ${layout}`, () => {
    const objects = Array.from({ length: 30 }, (_, at) => podObject(at % 2 === 0 ? "web" : "agent", plainOwn(at)));
    const counts: Counts = { items: 0, alike: 0 };
    const text = new TextEncoder().encode(`${written(objects, layout, indent)}\n`);
    const cluster = buildCluster(snapshotOf(text, 1 << 20, "told", counts));
    assert.deepEqual(counts, { items: 2, alike: 28 });
    assert.equal(cluster.pods[29]?.nodeName, "n29");
    assert.equal(cluster.pods[28]?.restarts, 28);
    assert.equal(cluster.pods[28]?.readyAtMs, Date.UTC(2026, 0, 26, 13, 39, 44));
    assert.equal(cluster.pods[29]?.template.requiredNodeAffinity?.[0]?.matchFields[0]?.values[0], "n29");
    assert.equal(cluster.pods[28]?.template, cluster.pods[0]?.template);
    assert.deepEqual(plainPods(cluster), plainPods(buildCluster(snapshotOf(text, 1 << 20, "iterated"))));
  });
}

test("a pod that comes again is the newer one, however it is told", () => {
  const first = plainOwn(1);
  const objects = [podObject("web", plainOwn(0)), podObject("web", first)];
  const newer = podObject("web", { ...first, resourceVersion: "900", restarts: 7 });
  for (const order of [
    [...objects, newer],
    [newer, ...objects],
  ]) {
    const text = new TextEncoder().encode(written(order, "lines", 0));
    const [told, iterated] = bothWays(text, 1 << 16);
    assert.deepEqual(plainPods(told), plainPods(iterated));
    assert.equal(told.pods.find(({ name }) => name === "web-1")?.restarts, 7);
  }
});
