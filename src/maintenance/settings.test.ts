import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { rows } from "../../test/support/rows.ts";
import { nodeCount } from "./node-count.ts";
import { poolsOf } from "./pool.ts";
import { actorNamed } from "./registry.ts";
import { settingOf } from "./settings.ts";

interface Said {
  readonly atOnce: number;
  readonly said: readonly string[];
  readonly held: string;
}

/** The setting of an actor for the only pool of ten nodes. */
function setting(actorName: string, metadata: string, objects: string) {
  const nodes = Array.from(
    { length: 10 },
    (_, at) => `apiVersion: v1\nkind: Node\nmetadata: {name: n${at}, ${metadata}}\n`,
  );
  const cluster = clusterFrom([...nodes, objects].join("---\n"), { problemsAllowed: true });
  const [pool] = poolsOf(cluster.nodes);
  const actor = actorNamed(actorName);
  assert.ok(pool !== undefined && actor !== undefined);
  return { ...settingOf(cluster, pool, actor), pool };
}

function inShort(actorName: string, metadata: string, objects: string): Said {
  const { actor, said, held, pool } = setting(actorName, metadata, objects);
  return { atOnce: nodeCount(actor.nodesAtOnce, pool.nodes), said, held };
}

const openshift = "annotations: {machineconfiguration.openshift.io/currentConfig: x}";
const pool = (spec: string): string =>
  `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: worker}\nspec: ${spec}\n`;

rows("a MachineConfigPool", (spec: string) => inShort("openshift-mco", openshift, pool(spec)), [
  ["says nothing: one", "{}", { atOnce: 1, said: [], held: "" }],
  ["a number", "{maxUnavailable: 3}", { atOnce: 3, said: ["MachineConfigPool worker: maxUnavailable 3"], held: "" }],
  [
    "a share rounds down",
    '{maxUnavailable: "25%"}',
    { atOnce: 2, said: ["MachineConfigPool worker: maxUnavailable 25%"], held: "" },
  ],
  [
    "at least one",
    '{maxUnavailable: "5%"}',
    { atOnce: 1, said: ["MachineConfigPool worker: maxUnavailable 5%"], held: "" },
  ],
  [
    "paused",
    "{paused: true}",
    { atOnce: 1, said: ["MachineConfigPool worker is paused"], held: "MachineConfigPool worker is paused" },
  ],
]);

const karpenter = "labels: {karpenter.sh/nodepool: gpu}";
const nodePool = (spec: string): string =>
  `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: gpu}\nspec: ${spec}\n`;

rows("a NodePool", (spec: string) => inShort("karpenter", karpenter, nodePool(spec)), [
  ["says nothing: 10 %, rounded up", "{}", { atOnce: 1, said: [], held: "" }],
  [
    "the tightest budget",
    '{disruption: {budgets: [{nodes: "55%"}, {nodes: "4"}]}}',
    { atOnce: 4, said: ["NodePool gpu: budget of 55% nodes", "NodePool gpu: budget of 4 nodes"], held: "" },
  ],
  [
    "a budget for another reason is not asked",
    '{disruption: {budgets: [{nodes: "3"}, {nodes: "0", reasons: [Underutilized]}]}}',
    { atOnce: 3, said: ["NodePool gpu: budget of 3 nodes"], held: "" },
  ],
  [
    "none at all",
    '{disruption: {budgets: [{nodes: "0"}]}}',
    { atOnce: 0, said: ["NodePool gpu: budget of 0 nodes"], held: "NodePool gpu: its budget is 0 nodes" },
  ],
  [
    "by schedule: told, and left out",
    '{disruption: {budgets: [{nodes: "0", schedule: "@daily", duration: 8h}]}}',
    { atOnce: 1, said: ["NodePool gpu: a budget of 0 nodes by schedule is left out"], held: "" },
  ],
]);

test("a NodePool with terminationGracePeriod: drift goes ahead behind a budget, and ends by then", () => {
  const { actor } = setting("karpenter", karpenter, nodePool("{template: {spec: {terminationGracePeriod: 1h}}}"));
  assert.deepEqual([actor.drain.holdsForMs, actor.drain.then, actor.drain.deletesEarly], [3_600_000, "deletes", true]);
  assert.deepEqual(
    actor.passesOver.map(({ on }) => on),
    ["nodeAnnotation"],
  );
});

const runs = (kind: string, image: string, args: readonly string[]): string => `apiVersion: apps/v1
kind: ${kind}
metadata: {name: it, namespace: ops}
spec:
  selector: {matchLabels: {app: it}}
  template: {metadata: {labels: {app: it}}, spec: {containers: [{name: main, image: "${image}", command: [./it], args: ${JSON.stringify(args)}}]}}
`;

rows(
  "kured",
  (args: readonly string[]) => {
    const { actor } = setting("kured", "labels: {a: b}", runs("DaemonSet", "kured:1", args));
    const { drain } = actor;
    return [
      actor.nodesAtOnce,
      drain.holdsForMs,
      drain.then,
      drain.graceSetMs,
      actor.passesOver.length,
      actor.marks.length,
    ];
  },
  [
    ["as it comes", [], [1, null, "waits", null, 0, 0]],
    ["more at once", ["--concurrency", "3"], [3, null, "waits", null, 0, 0]],
    ["a limit: the node is opened again", ["--drain-timeout=10m"], [1, 600_000, "reopens", null, 0, 0]],
    ["a limit, then force", ["--drain-timeout=10m", "--force-reboot"], [1, 600_000, "stops-machine", null, 0, 0]],
    ["a grace for all", ["--drain-grace-period=20"], [1, null, "waits", 20_000, 0, 0]],
    ["the pods' own grace", ["--drain-grace-period=-1"], [1, null, "waits", null, 0, 0]],
    [
      "pods that hold it, and a soft taint",
      ["--blocking-pod-selector=app=chat", "--prefer-no-schedule-taint=x/y"],
      [1, null, "waits", null, 1, 1],
    ],
  ],
);

rows(
  "cluster-autoscaler",
  ([tag, args]: readonly [string, readonly string[]]) => {
    const image = `registry.k8s.io/autoscaling/cluster-autoscaler:${tag}@sha256:0`;
    const { actor, held } = setting("cluster-autoscaler", "labels: {a: b}", runs("Deployment", image, args));
    const { drain } = actor;
    return [actor.close.cordon, actor.nodesAtOnce, drain.graceMaxMs, drain.holdsForMs, held];
  },
  [
    ["1.34 cordons", ["v1.34.1", []], [true, 1, 600_000, 120_000, ""]],
    ["1.33 does not", ["v1.33.2", []], [false, 1, 600_000, 120_000, ""]],
    ["1.33 told to", ["v1.33.2", ["--cordon-node-before-terminating"]], [true, 1, 600_000, 120_000, ""]],
    [
      "its limits",
      ["v1.36.0", ["--max-graceful-termination-sec=900", "--max-drain-parallelism=2", "--max-pod-eviction-time=5m"]],
      [true, 2, 900_000, 300_000, ""],
    ],
    [
      "told to scale nothing down",
      ["v1.36.0", ["--scale-down-enabled=false"]],
      [true, 1, 600_000, 120_000, "Deployment ops/it scales nothing down"],
    ],
  ],
);

test("Machines in the same cluster say how long a drain may take", () => {
  const machines = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: m, namespace: fleet}
spec: {deletion: {nodeDrainTimeoutSeconds: 900}}
`;
  const { actor, said } = setting("cluster-api", "annotations: {cluster.x-k8s.io/machine: m}", machines);
  assert.deepEqual([actor.drain.holdsForMs, actor.drain.then], [900_000, "stops-machine"]);
  assert.deepEqual(said, ["Machine fleet/m: nodeDrainTimeout 900s"]);
});

rows(
  "a Nebius node group's strategy, the one in force first",
  (body: string) => {
    const group = `apiVersion: mk8s.nebius.example/v1\nkind: NodeGroup\nmetadata: {name: gpu}\n${body}\n`;
    const { actor } = setting("nebius-rollout", "labels: {nebius.com/node-group-id: gpu}", group);
    return [actor.nodesAtOnce, actor.surge?.when ?? "none", actor.drain.holdsForMs, actor.drain.then];
  },
  [
    ["nothing said", "spec: {}", [1, "none", 600_000, "deletes"]],
    [
      "the old defaults in force",
      "status: {strategy: {maxUnavailable: 0, maxSurge: 1, drainTimeout: 0s}}",
      [1, "before-each", null, "waits"],
    ],
    [
      "shares: unavailable rounds down, surge up",
      "status: {strategy: {maxUnavailable: {percent: 25}, maxSurge: {percent: 15}, drainTimeout: 30m}}",
      [4, "before-each", 1_800_000, "deletes"],
    ],
  ],
);

test("information drains no node", () => {
  assert.equal(setting("scheduler-preemption", "labels: {a: b}", plainPod).held, "scheduler-preemption drains no node");
});

const plainPod =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\nspec: {containers: [{name: c, image: i}]}\n";

const plan = (spec: string): string =>
  `apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata: {name: agents, namespace: system-upgrade}\nspec: ${spec}\n`;

rows(
  "a Plan of the system-upgrade-controller",
  (spec: string) => {
    const { actor, said, pool } = setting("system-upgrade-controller", "labels: {role: agent}", plan(spec));
    const { flags, holdsForMs, graceSetMs } = actor.drain;
    return [nodeCount(actor.nodesAtOnce, pool.nodes), flags.join(" "), holdsForMs, graceSetMs, said.length];
  },
  [
    ["that neither drains nor cordons says nothing", "{concurrency: 3}", [1, ...plainDrain(), 600_000, null, 0]],
    ["that drains, three at once", "{concurrency: 3, drain: {}}", [3, ...plainDrain(), 600_000, null, 1]],
    [
      "with force, a timeout in nanoseconds and a grace",
      "{drain: {force: true, timeout: 120000000000, gracePeriod: 30}}",
      [1, "--ignore-daemonsets --delete-emptydir-data --force", 120_000, 30_000, 3],
    ],
    [
      "of other nodes",
      "{concurrency: 3, drain: {}, nodeSelector: {matchLabels: {role: server}}}",
      [1, ...plainDrain(), 600_000, null, 0],
    ],
    [
      "past budgets",
      "{drain: {disableEviction: true, ignoreDaemonSets: false}}",
      [1, "--delete-emptydir-data --disable-eviction", 600_000, null, 2],
    ],
  ],
);

function plainDrain(): readonly string[] {
  return ["--ignore-daemonsets --delete-emptydir-data"];
}

rows(
  "kOps",
  (providerId: string) => {
    const cluster = clusterFrom(
      `apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kops.k8s.io/instancegroup: nodes}}\nspec: {providerID: "${providerId}"}\n`,
      { problemsAllowed: true },
    );
    const [pool] = poolsOf(cluster.nodes);
    const actor = actorNamed("kops");
    assert.ok(pool !== undefined && actor !== undefined);
    return settingOf(cluster, pool, actor).actor.surge === null ? "no new node first" : "a new node first";
  },
  [
    ["on AWS", "aws:///eu-west-1a/i-0abc", "a new node first"],
    ["on Google", "gce://project/zone/n1", "no new node first"],
    ["that is not said", "", "a new node first"],
  ],
);
