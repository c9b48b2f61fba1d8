import assert from "node:assert/strict";
import { test } from "node:test";
import { found, remediesAfter, type Shows, type World } from "../../../test/support/findings.ts";
import { kubectlDrain } from "../../maintenance/actors/kubectl-drain.ts";
import { nebius } from "../../maintenance/actors/nebius.ts";
import type { FindingRule } from "../finding-rule.ts";
import { noRoomForReplicas } from "./no-room-for-replicas.ts";
import { noSpareAccelerator } from "./no-spare-accelerator.ts";
import { rolloutCannotFinish } from "./rollout-cannot-finish.ts";
import { sameNode } from "./same-node.ts";
import { sameZone } from "./same-zone.ts";
import { singleReplica } from "./single-replica.ts";
import { smallPool } from "./small-pool.ts";
import { spreadDoesNotSpread } from "./spread-does-not-spread.ts";

type Row = readonly [about: string, change: (world: World) => void, shows: Shows, expected: readonly string[]];

/** Each row changes one thing of a cluster in which nothing is found; nothing else may be found then. */
const table: readonly Row[] = [
  ["one replica that survives everything in time", (w) => alone(w), {}, ["single-replica/onlyOne note epp"]],
  ["one replica that does not", (w) => alone(w), { picker: "broke" }, ["single-replica/onlyOne error epp"]],

  ["both replicas on one node", (w) => setNodes(w, "s1", "s1"), {}, ["same-node/together note epp"]],
  ["… which takes both", (w) => setNodes(w, "s1", "s1"), { picker: "broke" }, ["same-node/together error epp"]],
  ["both in one zone, other zones free", (w) => addNode(w, "c", "s1", "s3"), {}, ["same-zone/oneZone note epp"]],
  ["both in the only zone there is", (w) => oneZone(w), {}, []],

  ["a spread that selects other pods", (w) => misselect(w), {}, ["spread-does-not-spread/selectsOthers warning epp"]],
  [
    "anti-affinity that selects other pods",
    (w) => antiAffinity(w, "required", "other"),
    {},
    ["spread-does-not-spread/selectsOthers warning epp"],
  ],
  ["… and breaks", (w) => misselect(w), { picker: "broke" }, ["spread-does-not-spread/selectsOthers error epp"]],
  [
    "a wish",
    (w) => setSpread(w, { whenUnsatisfiable: "ScheduleAnyway" }),
    {},
    ["spread-does-not-spread/soft note epp"],
  ],
  [
    "… that was not granted",
    (w) => {
      setSpread(w, { whenUnsatisfiable: "ScheduleAnyway" });
      setNodes(w, "s1", "s1");
    },
    {},
    ["same-node/together note epp"],
  ],
  [
    "two wishes are told once",
    (w) => {
      setSpread(w, { whenUnsatisfiable: "ScheduleAnyway" });
      w.gateway.spread = w.gateway.spread.map((spread) => ({ ...spread, whenUnsatisfiable: "ScheduleAnyway" }));
    },
    {},
    ["spread-does-not-spread/soft note several"],
  ],
  [
    "a hard spread that counts tainted nodes, and stalls",
    (w) => setSpread(w, { nodeTaintsPolicy: "Ignore" }),
    { picker: "stalled" },
    ["spread-does-not-spread/countsClosed error epp"],
  ],
  [
    "… and a cordoned one",
    (w) => {
      setSpread(w, { nodeTaintsPolicy: "Ignore" });
      w.cordoned.push("s2");
    },
    { picker: "stalled" },
    ["spread-does-not-spread/countsClosed error epp"],
  ],
  [
    "… which does not",
    (w) => setSpread(w, { nodeTaintsPolicy: "Ignore" }),
    {},
    ["spread-does-not-spread/countsClosed note epp"],
  ],
  [
    "engines' spread that counts nodes without accelerators",
    (w) => {
      w.engine.spec["nodeSelector"] = {};
    },
    {},
    ["spread-does-not-spread/countsClosed note vllm"],
  ],
  [
    "… and old pods too",
    (w) => {
      w.engine.spec["nodeSelector"] = {};
      w.engine.spread = w.engine.spread.map((spread) => ({ ...spread, matchLabelKeys: [] }));
    },
    {},
    ["rollout-cannot-finish/spread warning vllm"],
  ],
  [
    "… with a node to spare",
    (w) => {
      setSpread(w, { nodeTaintsPolicy: "Ignore" });
      w.nodes.push({ name: "s3", pool: "system", zone: "a", gpus: 0, cpu: "4" });
    },
    {},
    [],
  ],

  [
    "a surge of nothing, which lets one go in its place",
    (w) => {
      antiAffinity(w, "required", "epp");
      w.picker.strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "0%", maxUnavailable: "25%" } };
    },
    {},
    [],
  ],
  [
    "anti-affinity that fills every node",
    (w) => antiAffinity(w, "required", "epp"),
    {},
    ["rollout-cannot-finish/apart warning epp"],
  ],
  ["… but for one, on which such a pod has finished", (w) => spareNode(w, "Succeeded"), {}, []],
  [
    "… for one runs where the pod would go",
    (w) => spareNode(w, "Running"),
    {},
    ["rollout-cannot-finish/apart warning epp"],
  ],
  [
    "… but old pods leave first",
    (w) => {
      antiAffinity(w, "required", "epp");
      w.picker.strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
    },
    {},
    [],
  ],
  [
    "a spread that counts old pods and tainted nodes",
    (w) => setSpread(w, { nodeTaintsPolicy: "Ignore", matchLabelKeys: [] }),
    {},
    ["rollout-cannot-finish/spread warning epp"],
  ],
  ["a spread that counts old pods, tainted nodes left out", (w) => setSpread(w, { matchLabelKeys: [] }), {}, []],
  [
    "no accelerator for a new pod beside the old ones",
    (w) => setGpus(w, "5"),
    {},
    ["rollout-cannot-finish/noRoom warning vllm"],
  ],
  ["a new standby is never Ready", (w) => rollStandbys(w), {}, ["rollout-cannot-finish/standbys warning epp"]],

  [
    "a replica more than its own rule has places for",
    (w) => addPending(w),
    {},
    ["no-room-for-replicas/apart warning epp"],
  ],
  ["… which breaks", (w) => addPending(w), { picker: "broke" }, ["no-room-for-replicas/apart error epp"]],

  [
    "a replica no node has room for",
    (w) => {
      addPending(w);
      w.picker.pending = "0/4 nodes are available: 4 Insufficient cpu.";
    },
    {},
    ["no-room-for-replicas/full warning epp"],
  ],
  [
    "a replica that waits for its volume",
    (w) => {
      addPending(w);
      w.picker.pending = "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
    },
    {},
    ["no-room-for-replicas/volumes warning epp"],
  ],

  ["a pool of one node", (w) => oneNode(w), {}, ["small-pool/oneNode note Pool system"]],
  ["a pool that cannot lose a node", (w) => fill(w), {}, ["small-pool/tooFull note Pool system"]],

  [
    "two engines that fill their nodes, and a maintenance that stalls on them",
    (w) => fillGpus(w),
    { engine: "stalled" },
    ["no-spare-accelerator/noPlaceMeanwhile error vllm"],
  ],
  ["… and one that does not", (w) => fillGpus(w), {}, []],
  [
    "one engine and no accelerator for a second",
    (w) => lastEngine(w),
    {},
    ["single-replica/onlyOne note vllm", "no-spare-accelerator/none note vllm"],
  ],
  [
    "… which breaks",
    (w) => lastEngine(w),
    { engine: "broke" },
    ["single-replica/onlyOne error vllm", "no-spare-accelerator/none note vllm"],
  ],
];

/** Those that depend on who maintains the nodes have tests of their own below. */
const elsewhere: readonly string[] = ["small-pool/allAtOnce", "small-pool/closesAll", "small-pool/opensNone"];
const rules: readonly FindingRule[] = [
  singleReplica,
  sameNode,
  sameZone,
  spreadDoesNotSpread,
  rolloutCannotFinish,
  noRoomForReplicas,
  smallPool,
  noSpareAccelerator,
];

test("every message of these rules is seen", () => {
  const seen = table.flatMap(([, , , lines]) => lines.map((line) => line.split(" ")[0]));
  const ids = rules.flatMap(({ name, messages }) => Object.keys(messages).map((id) => `${name}/${id}`));
  assert.deepEqual(
    ids.filter((id) => !seen.includes(id) && !elsewhere.includes(id)),
    [],
  );
});

for (const [about, change, shows, expected] of table)
  test(about, () => assert.deepEqual(found(change, shows), expected));

test("a pool that its actor closes whole", () => {
  // A part that is set up well breaks because of it; one that is not, because of what is wrong with it.
  assert.deepEqual(
    found(() => {}, { picker: "broke" }, [nebius]),
    ["small-pool/allAtOnce error Pool system", "small-pool/closesAll note Pool gpu"],
  );
  assert.deepEqual(
    found((w) => w.picker.budgets.pop(), { picker: "broke" }, [nebius]),
    ["no-budget/unguarded error epp", "small-pool/closesAll note Pool gpu, system"],
  );
  assert.deepEqual(found(alone, { picker: "broke" }, [nebius]), [
    "single-replica/onlyOne error epp",
    "small-pool/allAtOnce error Pool system",
    "small-pool/closesAll note Pool gpu",
  ]);
});

test("a pool whose nodes only a person opens again", () => {
  assert.deepEqual(
    found(() => {}, {}, [kubectlDrain]),
    [],
  );
  assert.deepEqual(
    found(() => {}, { picker: "stalled" }, [kubectlDrain]),
    ["small-pool/opensNone note Pool system"],
  );
});

function alone({ picker }: World): void {
  picker.replicas = 1;
  picker.nodes = ["s1"];
  picker.budgets.pop();
}

function setNodes({ picker }: World, ...nodes: string[]): void {
  picker.nodes = nodes;
}

function addNode(world: World, zone: string, ...nodes: string[]): void {
  for (const node of world.nodes) if (node.pool === "system") node.zone = node.name === "s1" ? "a" : "b";
  world.nodes.push({ name: "s3", pool: "system", zone: "a", gpus: 0, cpu: "4" });
  world.nodes.push({ name: "s4", pool: "system", zone, gpus: 0, cpu: "4" });
  setNodes(world, ...nodes);
}

function oneZone({ nodes }: World): void {
  for (const node of nodes) node.zone = "a";
}

function setSpread({ picker }: World, change: Record<string, unknown>): void {
  picker.spread = picker.spread.map((spread) => ({ ...spread, ...change }));
}

function misselect(world: World): void {
  setSpread(world, { labelSelector: { matchLabels: { app: "other" } } });
}

function antiAffinity({ picker }: World, kind: "required", app: string): void {
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } };
  picker.spec["affinity"] = { podAntiAffinity: { [`${kind}DuringSchedulingIgnoredDuringExecution`]: [term] } };
}

/** A third node, with a pod that the picker's own anti-affinity keeps away from if it still runs. */
function spareNode(world: World, phase: string): void {
  const away = (app: string) => ({
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { app } },
  });
  const terms = ["epp", "job"].map(away);
  world.picker.spec["affinity"] = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  world.nodes.push({ name: "s3", pool: "system", zone: "a", gpus: 0, cpu: "4" });
  const ofJob = { apiVersion: "batch/v1", kind: "Job", name: "job", uid: "u", controller: true };
  world.more.push({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "job-x", namespace: world.picker.namespace, labels: { app: "job" }, ownerReferences: [ofJob] },
    spec: { nodeName: "s3", containers: [{ name: "c", image: "app:1" }] },
    status: { phase },
  });
}

function setGpus({ engine }: World, gpus: string): void {
  engine.requests["nvidia.com/gpu"] = gpus;
}

function fillGpus(world: World): void {
  setGpus(world, "5");
  world.engine.strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
}

function rollStandbys({ picker }: World): void {
  picker.args = ["--ha-enable-leader-election"];
  picker.unready = 1;
  picker.budgets.pop();
}

function addPending({ picker }: World): void {
  picker.replicas = 3;
  picker.nodes.push(null);
}

/** Everything of the system pool on one node, which its parts' own rules then allow. */
function oneNode(world: World): void {
  world.nodes.splice(1, 1);
  for (const part of [world.dns, world.gateway, world.picker]) part.nodes = ["s1", "s1"];
}

function fill({ gateway }: World): void {
  gateway.strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  gateway.requests = { cpu: "2300m", memory: "128Mi" };
}

function lastEngine(world: World): void {
  world.engine.replicas = 1;
  world.engine.nodes = ["g1"];
  world.engine.budgets.pop();
  setGpus(world, "5");
  world.nodes.splice(3, 1);
  world.engine.strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
}

test("an engine that a nodeSelector keeps off the node with room: it is told which", () => {
  const withRoom = (w: World): void => {
    lastEngine(w);
    w.nodes.push({ name: "h1", pool: "other", zone: "a", gpus: 8, cpu: "64" });
  };
  const [pinned] = remediesAfter(withRoom, "no-spare-accelerator");
  assert.match(pinned ?? "", /^Let it use h1, .*nodeSelector/);
  const [full] = remediesAfter(lastEngine, "no-spare-accelerator");
  assert.match(full ?? "", /^Free the accelerators/);
});
