import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../../test/search/built.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { kubectlDrain } from "../../maintenance/actors/kubectl-drain.ts";
import { kured } from "../../maintenance/actors/kured.ts";
import { nebius } from "../../maintenance/actors/nebius.ts";
import { endpointsOf } from "../../route/build.ts";
import { maintenanceOf } from "../../sim/plan-scenario.ts";
import { timingOf } from "../../sim/timing.ts";
import type { JsonObject, WireObject } from "../../wire/snapshot.ts";
import { judgeTimed, judgeUntimed, type Question } from "../judge.ts";
import { prove } from "./prove.ts";

// Pools without room: whoever leaves a node waits until it is back.

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";

interface Owner {
  readonly name: string;
  readonly gpus: number;
  /** Where its pods stand. */
  readonly on: readonly number[];
  readonly apart?: boolean;
  readonly spread?: { readonly key: string; readonly skew: number };
  readonly volume?: boolean;
  /** Asked for by pods that come next. */
  readonly nextGpus?: number;
  /** Of a StatefulSet. */
  readonly managed?: "OrderedReady" | "Parallel";
  /** The nodes its pods may use; all of them where it is not said. */
  readonly among?: readonly number[];
}

const chat: Owner = { name: "chat", gpus: 8, on: [0, 1] };

const rows: readonly (readonly [string, readonly Owner[], Actor, boolean])[] = [
  ["each comes back to its node", [chat, { name: "o", gpus: 2, on: [2, 2] }], kured, true],
  ["not while all nodes are closed", [chat, { name: "o", gpus: 2, on: [2, 2] }], nebius, false],
  [
    "two that may meet wait for each other",
    [
      { ...chat, gpus: 4, on: [0, 1] },
      { name: "o", gpus: 4, on: [0, 1, 2, 2] },
    ],
    kured,
    false,
  ],
  [
    "unless they keep each other off",
    [
      { ...chat, gpus: 4, apart: true },
      { name: "o", gpus: 4, on: [0, 1, 2, 2] },
    ],
    kured,
    true,
  ],
  [
    "a pod with a volume may wait and take a place later",
    [chat, { name: "o", gpus: 2, on: [2, 2], volume: true }],
    kured,
    false,
  ],
  [
    "one that asks for more next time finds no room at home",
    [chat, { name: "o", gpus: 2, nextGpus: 8, on: [2, 2] }],
    kured,
    false,
  ],
  [
    "one that is still to go may have come to a node with less on it than it was on",
    [
      { ...chat, gpus: 2, nextGpus: 1, apart: true },
      { name: "o", gpus: 4, nextGpus: 8, on: [0, 1] },
      { name: "p", gpus: 5, on: [2] },
    ],
    kured,
    false,
  ],
  [
    "a spread lets each return",
    [
      { ...chat, gpus: 4, spread: { key: zone, skew: 1 } },
      { name: "o", gpus: 4, on: [0, 1, 2, 2] },
    ],
    kured,
    true,
  ],
  [
    "and counts each of them once, though the next ones ask for less",
    [
      { ...chat, gpus: 4, nextGpus: 3, spread: { key: zone, skew: 1 } },
      { name: "o", gpus: 4, on: [0, 1, 2, 2] },
    ],
    kured,
    true,
  ],
];

/** What leaves node-1 takes the room of the second pod on node-0, which then takes that of the one that waits for node-2. */
for (const managed of ["OrderedReady", "Parallel"] as const) {
  test(`pods of a set that are made ${managed}`, () => {
    const asked = question(
      4,
      [
        { ...chat, on: [2, 3], among: [2, 3] },
        { name: "o", gpus: 4, on: [0, 0], among: [0, 2], managed },
        { name: "p", gpus: 4, on: [1], among: [0, 1] },
      ],
      kured,
    );
    const slow = { leastMs: 1_000, mostMs: 3_601_000 };
    const timing = timingOf(asked.cluster, { ...noTiming, podStart: [{ pattern: "some/o-*", span: slow }] });
    const isOrdered = managed === "OrderedReady";
    assert.equal(prove({ ...asked, timing }).size, isOrdered ? 0 : 1);
    assert.equal(judgeTimed({ ...asked, timing }, "feasible").endpoints[0]?.verdict, isOrdered ? "stalls" : "safe");
  });
}

for (const [name, owners, actor, expected] of rows) {
  test(name, () => assert.equal(prove(question(3, owners, actor)).size > 0, expected));
}

test("what is proved of full pools breaks and stalls in no course", () => {
  const counts = { proved: 0, whole: 0 };
  for (let seed = 1; seed <= 60; seed += 1) {
    const asked = randomQuestion(seededRandom(seed));
    const proved = prove(asked);
    if (proved.size === 0) continue;
    counts.proved += 1;
    const { broken, exhaustive } = judgeUntimed(asked);
    if (exhaustive) counts.whole += 1;
    for (const [endpoint, { rests }] of proved) {
      assert.ok(rests.length > 0 || !broken.has(endpoint), `seed ${seed}: untimed`);
      const timed = judgeTimed(asked, "feasible", "alike").endpoints.find((outcome) => outcome.endpoint === endpoint);
      assert.ok(timed?.verdict === "safe" || timed?.verdict === "undecided", `seed ${seed}: ${timed?.verdict}`);
    }
  }
  assert.ok(counts.proved >= 12 && counts.whole >= 6, JSON.stringify(counts));
});

/** Three or four nodes of eight devices, filled as far as it goes. */
function randomQuestion(random: Random): Question {
  const count = 3 + random.below(2);
  const free = Array.from({ length: count }, () => 8);
  const placed = (gpus: number, replicas: number, isAlone: boolean): readonly number[] => {
    const on: number[] = [];
    const start = random.below(count);
    for (let step = 0; step < 2 * count && on.length < replicas; step += 1) {
      const at = (start + step) % count;
      if ((free[at] ?? 0) < gpus || (isAlone && on.includes(at))) continue;
      free[at] = (free[at] ?? 0) - gpus;
      on.push(at);
    }
    return on;
  };
  const owners = ["chat", "o1", "o2", "o3"].map((name): Owner => {
    const gpus = random.pick([2, 4, 4, 5, 8]);
    const rule = random.next();
    const apart = rule < 0.35;
    const spread = rule > 0.6 ? { key: random.pick([zone, hostname]), skew: 1 + random.below(2) } : null;
    const on = placed(gpus, name === "chat" ? 2 : 1 + random.below(2), apart || spread !== null);
    const more = random.next();
    const nextGpus = more < 0.04 ? 8 : more < 0.2 ? 1 : gpus;
    return { name, gpus, on, apart, nextGpus, ...(spread === null ? {} : { spread }), volume: random.next() < 0.04 };
  });
  return question(count, owners, random.pick([kured, kured, kubectlDrain]));
}

function question(count: number, owners: readonly Owner[], actor: Actor): Question {
  const nodes = Array.from({ length: count }, (_, at) => node(at));
  const cluster = built([...nodes, ...owners.filter(({ on }) => on.length > 0).flatMap(workload)]);
  return {
    cluster,
    steps: [maintenanceOf(cluster, actor, cluster.nodes, "any")],
    ...endpointsOf(cluster),
    timing: timingOf(cluster, noTiming),
    states: 1_000,
    horizonMs: 86_400_000,
    choices: [],
  };
}

function node(at: number): WireObject {
  const name = `node-${at}`;
  const size = { cpu: "64", memory: "512Gi", pods: "110", "nvidia.com/gpu": "8" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { [hostname]: name, [zone]: `zone-${at % 3}` } },
    status: { capacity: size, allocatable: size, conditions: [{ type: "Ready", status: "True" }] },
  };
}

function workload(owner: Owner): readonly WireObject[] {
  const { name, gpus, nextGpus, on, apart, spread, volume, managed, among } = owner;
  const kind = managed === undefined ? "ReplicaSet" : "StatefulSet";
  const labels = { app: name };
  const selector = { matchLabels: labels };
  const spec = (count: number): JsonObject => ({
    containers: [{ name: "main", image: "vllm/vllm-openai:v1", resources: { limits: { "nvidia.com/gpu": count } } }],
    ...(among === undefined ? {} : { affinity: { nodeAffinity: onlyOn(among) } }),
    ...(volume === true ? { volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { spec: {} } } }] } : {}),
    ...(apart === true
      ? {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: hostname, labelSelector: selector }],
            },
          },
        }
      : {}),
    ...(spread === undefined
      ? {}
      : {
          topologySpreadConstraints: [
            {
              topologyKey: spread.key,
              maxSkew: spread.skew,
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: selector,
            },
          ],
        }),
  });
  const isServing = name === "chat";
  const metadata = { namespace: "some", name };
  const service: WireObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, annotations: { "holdfast.dev/endpoint": "chat" } },
    spec: { selector: labels, ports: [{ port: 80 }] },
  };
  const budget: WireObject = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec: { maxUnavailable: 1, selector },
  };
  return [
    ...(isServing ? [service, budget] : []),
    {
      apiVersion: "apps/v1",
      kind,
      metadata: { ...metadata, uid: name },
      spec: {
        replicas: on.length,
        selector,
        template: { metadata: { labels }, spec: spec(nextGpus ?? gpus) },
        ...(managed === undefined ? {} : { podManagementPolicy: managed }),
      },
    },
    ...on.map(
      (at, index): WireObject => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          namespace: "some",
          name: `${name}-${index}`,
          labels,
          ownerReferences: [{ apiVersion: "apps/v1", kind, name, uid: name, controller: true }],
        },
        spec: { ...spec(gpus), nodeName: `node-${at}` },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
    ),
  ];
}

function onlyOn(nodes: readonly number[]): JsonObject {
  const values = nodes.map((at) => `node-${at}`);
  const matchExpressions = [{ key: hostname, operator: "In", values }];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } };
}
