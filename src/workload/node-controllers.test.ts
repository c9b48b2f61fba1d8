import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { cluster, node, pod, template } from "../../test/support/tiny.ts";
import type { Node } from "../model/node.ts";
import type { Taint, Toleration } from "../model/pod-template.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import {
  type EvictionPace,
  evictionPace,
  noExecuteDelayMs,
  noExecuteDeletions,
  podGarbage,
  podsToMarkNotReady,
  taintsFor,
} from "./node-controllers.ts";

/** Read from pkg/controller/nodelifecycle, tainteviction and podgc, v1.36.3. */

const taint = (key: string, effect: Taint["effect"] = "NoExecute", value = ""): Taint => ({ key, value, effect });
const toleration = (fields: Partial<Toleration>): Toleration => ({
  key: "",
  operator: "Exists",
  value: "",
  effect: "",
  tolerationMs: null,
  ...fields,
});

interface Tainting {
  readonly node?: Partial<Node>;
  readonly ready?: boolean;
  readonly unschedulable?: boolean;
}

const condition = (type: string, status: string): Node["conditions"][number] => ({
  type,
  status,
  reason: "",
  message: "",
});
const notReady = [taint("node.kubernetes.io/not-ready", "NoSchedule"), taint("node.kubernetes.io/not-ready")];
const unreachable = [taint("node.kubernetes.io/unreachable", "NoSchedule"), taint("node.kubernetes.io/unreachable")];
const closed = taint("node.kubernetes.io/unschedulable", "NoSchedule");
const gpu = taint("nvidia.com/gpu", "NoSchedule", "present");

rows<Tainting, readonly Taint[]>(
  "node taints",
  (at) => taintsFor(node("n1", at.node ?? {}), at.ready ?? true, at.unschedulable ?? false),
  [
    ["none", {}, []],
    ["other people's stay, and come first", { node: { taints: [gpu] }, unschedulable: true }, [gpu, closed]],
    ["uncordoned, the cordon's taint goes", { node: { taints: [closed, gpu] } }, [gpu]],
    ["a node that goes silent", { ready: false }, unreachable],
    [
      "a node that was read as not ready",
      { node: { ready: false, conditions: [condition("Ready", "False")] }, ready: false },
      notReady,
    ],
    [
      "a node that was read as unknown",
      { node: { ready: false, conditions: [condition("Ready", "Unknown")] }, ready: false },
      unreachable,
    ],
    [
      "a node that came back",
      { node: { ready: false, taints: notReady, conditions: [condition("Ready", "False")] }, ready: true },
      [],
    ],
    [
      "pressure",
      { node: { conditions: [condition("DiskPressure", "True"), condition("MemoryPressure", "False")] } },
      [taint("node.kubernetes.io/disk-pressure", "NoSchedule")],
    ],
    [
      "a preference with the controllers' key is somebody else's",
      { node: { taints: [taint("node.kubernetes.io/unschedulable", "PreferNoSchedule")] } },
      [taint("node.kubernetes.io/unschedulable", "PreferNoSchedule")],
    ],
  ],
);

rows<readonly [readonly Toleration[], readonly Taint[]], number | null>(
  "NoExecute delay",
  ([tolerations, taints]) => noExecuteDelayMs(tolerations, taints),
  [
    ["no such taint", [[], [gpu]], null],
    ["not tolerated", [[], [taint("a")]], 0],
    ["tolerated for ever", [[toleration({ key: "a" })], [taint("a")]], null],
    ["tolerated for a time", [[toleration({ key: "a", tolerationMs: 300_000 })], [taint("a")]], 300_000],
    ["for no time", [[toleration({ key: "a", tolerationMs: -5 })], [taint("a")]], 0],
    [
      "the shortest of several taints",
      [
        [toleration({ key: "a", tolerationMs: 9 }), toleration({ key: "b", tolerationMs: 5 })],
        [taint("a"), taint("b")],
      ],
      5,
    ],
    [
      "the first fitting toleration of a taint",
      [[toleration({ tolerationMs: 9 }), toleration({ key: "a", tolerationMs: 5 })], [taint("a")]],
      9,
    ],
    ["one of two taints not tolerated", [[toleration({ key: "a" })], [taint("a"), taint("b")]], 0],
    ["a toleration of another effect", [[toleration({ key: "a", effect: "NoSchedule" })], [taint("a")]], 0],
    [
      "an equal value",
      [[toleration({ key: "a", operator: "Equal", value: "x" })], [taint("a", "NoExecute", "x")]],
      null,
    ],
    ["another value", [[toleration({ key: "a", operator: "Equal", value: "y" })], [taint("a", "NoExecute", "x")]], 0],
  ],
);

test("NoExecute deletions: what is due goes, what stays names the next time", () => {
  const short = template("web", { tolerations: [toleration({ key: "a", tolerationMs: 1000 })] });
  const long = template("web", { tolerations: [toleration({ key: "a", tolerationMs: 300_000 })] });
  const pods = [
    pod("now"),
    pod("soon", { template: short }),
    pod("late", { template: long }),
    pod("going", { deleting: true }),
  ];
  const ledger = new Ledger(cluster({ pods }), new Journal());
  ledger.setTaints("n1", [taint("a")]);
  ledger.setTime(1000);
  const [n1] = ledger.nodes;
  assert.ok(n1);
  const taken = (since: Readonly<Record<string, number | null>>): unknown => {
    const { due, nextAtMs } = noExecuteDeletions(ledger, n1, ({ name }) => since[name] ?? (name in since ? null : 0));
    return [due.map(({ key }) => key), nextAtMs];
  };
  assert.deepEqual(taken({}), [["ns/now", "ns/soon"], 300_000]);
  assert.deepEqual(taken({ soon: 500 }), [["ns/now"], 1500], "it came later than the taint");
  assert.deepEqual(taken({ now: null, late: null }), [["ns/soon"], null], "nobody takes these");
});

test("pods of a lost node are marked not ready", () => {
  const ledger = new Ledger(
    cluster({ pods: [pod("a"), pod("b", { ready: false }), pod("c", { nodeName: "n2" })] }),
    new Journal(),
  );
  const marked = (): readonly string[] => ledger.nodes.flatMap((view) => [...podsToMarkNotReady(view)]);
  assert.deepEqual(marked(), []);
  ledger.setNodeReady("n1", false);
  assert.deepEqual(marked(), ["ns/a"]);
});

test("pod garbage: pods of a removed node go after a minute, without grace", () => {
  const ledger = new Ledger(cluster({ pods: [pod("a"), pod("b", { nodeName: "n2" })] }), new Journal());
  ledger.removeNode("n1");
  const at = (nowMs: number): unknown => {
    ledger.setTime(nowMs);
    return podGarbage(ledger, new Map([["n1", 0]])).map(
      (effect) => effect.do === "deletePod" && [effect.pod, effect.graceMs, effect.reason],
    );
  };
  assert.deepEqual([at(59_999), at(60_000)], [[], [["ns/a", 0, "DeletionByPodGC"]]]);
});

test("pod garbage: out-of-service frees terminating pods of a node that is not ready", () => {
  const ledger = new Ledger(cluster({ pods: [pod("a", { deleting: true }), pod("b")] }), new Journal());
  const garbage = (): readonly unknown[] =>
    podGarbage(ledger, new Map()).map((effect) => effect.do === "deletePod" && effect.pod);
  ledger.setTaints("n1", [taint("node.kubernetes.io/out-of-service")]);
  assert.deepEqual(garbage(), []);
  ledger.setNodeReady("n1", false);
  assert.deepEqual(garbage(), ["ns/a"]);
});

/** How many nodes of each zone are ready and lost; the pace for a lost one of zone a. */
const zones = (counts: { readonly [zone: string]: readonly [ready: number, lost: number] }): EvictionPace => {
  const nodes = Object.entries(counts).flatMap(([zone, [ready, lost]]) =>
    Array.from({ length: ready + lost }, (_, index) =>
      node(`${zone}${index}`, { ready: index < ready, labels: new Map([["topology.kubernetes.io/zone", zone]]) }),
    ),
  );
  const view = new Ledger(cluster({ nodes }), new Journal());
  const of = view.nodes.find(({ name, ready }) => name.startsWith("a") && !ready);
  assert.ok(of !== undefined);
  return evictionPace(view.zones, of);
};

rows<Parameters<typeof zones>[0], EvictionPace>("pace of evictions from lost nodes", zones, [
  ["one of two", { a: [1, 1] }, { zone: "/a", everyMs: 10_000 }],
  ["two of three are not many", { a: [1, 2] }, { zone: "/a", everyMs: 10_000 }],
  ["three of four", { a: [1, 3] }, { zone: "/a", everyMs: null }],
  ["three of six are less than 55 %", { a: [3, 3] }, { zone: "/a", everyMs: 10_000 }],
  ["most of a large zone", { a: [10, 50] }, { zone: "/a", everyMs: 100_000 }],
  ["a whole zone beside a healthy one", { a: [0, 5], b: [1, 0] }, { zone: "/a", everyMs: 10_000 }],
  ["everything", { a: [0, 2], b: [0, 2] }, "all-lost"],
]);
