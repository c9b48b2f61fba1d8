import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, daemonSet, int, labels, node, percent, pod, quota, template } from "../../test/support/tiny.ts";
import type { DaemonSet } from "../model/workload.ts";
import { taintsFor } from "./node-controllers.ts";

/** Read from pkg/controller/daemon/daemon_controller.go, v1.36.3. */

const agents = daemonSet("agent");
const on = (name: string): ReturnType<typeof pod> =>
  pod(`agent-${name}`, { owner: agents.key, nodeName: name, revision: "r1" });
const all = [on("n1"), on("n2"), on("n3")];

test("daemon set: one pod a node, made for that node", () => {
  const play = new Play(cluster({ workloads: [agents], pods: [on("n1")] })).settle();
  assert.deepEqual(play.said(), ["create ns/agent-~1", "create ns/agent-~2"]);
  const made = play.ledger.pod("ns/agent-~2");
  assert.deepEqual(made?.template.requiredNodeAffinity, [
    { matchExpressions: [], matchFields: [{ key: "metadata.name", operator: "In", values: ["n3"] }] },
  ]);
  assert.deepEqual([made?.revision, made?.template.labels.get("controller-revision-hash")], ["r1", "r1"]);
});

test("daemon set: a deleted pod is made again when it is gone", () => {
  const play = new Play(cluster({ workloads: [agents], pods: all })).settle().delete("ns/agent-n2");
  assert.deepEqual(play.said(), []);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/agent-~1"]);
});

test("daemon set: who plays a cluster after another finds what was touched before it first looked", () => {
  const read = cluster({ workloads: [agents], pods: all });
  assert.deepEqual(new Play(read).settle().said(), [], "it is as it should be");
  const gone = new Play(read);
  gone.ledger.removePod("ns/agent-n2");
  assert.deepEqual(gone.settle().said(), ["create ns/agent-~1"]);
  const more = new Play(read);
  more.ledger.addNode(node("n4"));
  assert.deepEqual(more.settle().said(), ["create ns/agent-~1"]);
  const other = new Play(read);
  other.ledger.setSpec(agents.key, {
    ...agents,
    template: template("agent", { nodeSelector: labels({ gpu: "yes" }) }),
  });
  assert.equal(other.settle().said().length > 0, true);
  assert.deepEqual(new Play(read).settle().said(), []);
});

test("daemon set: of nodes that were touched it minds those alone where that was not taken back", () => {
  const read = cluster({ workloads: [agents], pods: all });
  assert.deepEqual(new Play(read).settle().said(), [], "it is as it should be");
  const play = new Play(read);
  const { ledger } = play;
  const mark = ledger.journal.mark();
  ledger.removePod("ns/agent-n1");
  ledger.removePod("ns/agent-n2");
  ledger.journal.undoTo(mark);
  ledger.removePod("ns/agent-n3");
  assert.deepEqual(play.settle().said(), ["create ns/agent-~1"]);
  assert.equal(ledger.pod("ns/agent-~1")?.template.requiredNodeAffinity?.[0]?.matchFields[0]?.values[0], "n3");
});

test("daemon set: a cordoned node gets a new pod; a lost one keeps its pod and gets none", () => {
  const closed = (name: string, ready: boolean): ReturnType<typeof node> =>
    node(name, { taints: taintsFor(node(name), ready, true) });
  const nodes = [closed("n1", false), closed("n2", false), closed("n3", true)];
  const play = new Play(cluster({ workloads: [agents], nodes, pods: [on("n1")] })).settle();
  assert.deepEqual(play.said(), ["create ns/agent-~1"]);
  assert.equal(play.ledger.pod("ns/agent-~1")?.template.requiredNodeAffinity?.[0]?.matchFields[0]?.values[0], "n3");
});

test("daemon set: a NoSchedule taint keeps new pods away, a NoExecute taint removes old ones", () => {
  const tainted = (name: string, effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule"): ReturnType<typeof node> =>
    node(name, { taints: [{ key: "gpu", value: "", effect }] });
  const nodes = [
    tainted("n1", "NoSchedule"),
    tainted("n2", "NoExecute"),
    tainted("n3", "PreferNoSchedule"),
    tainted("n4", "NoSchedule"),
  ];
  const play = new Play(cluster({ workloads: [agents], nodes, pods: [on("n1"), on("n2")] })).settle();
  assert.deepEqual(play.said(), ["delete ns/agent-n2 by daemonset-controller", "create ns/agent-~1"]);
});

test("daemon set: node selector and affinity choose the nodes", () => {
  const gpu = daemonSet("agent", { template: template("agent", { nodeSelector: labels({ gpu: "yes" }) }) });
  const nodes = [node("n1"), node("n2", { labels: labels({ gpu: "yes" }) })];
  const play = new Play(cluster({ workloads: [gpu], nodes, pods: [on("n1")] })).settle();
  assert.deepEqual(play.said(), ["delete ns/agent-n1 by daemonset-controller", "create ns/agent-~1"]);
});

test("daemon set: a new node gets its pod; a pod for a node that is gone goes", () => {
  const play = new Play(cluster({ workloads: [agents], pods: all })).settle();
  play.ledger.addNode(node("n4"));
  // Nothing of its own changed: whoever adds a node has every DaemonSet looked at.
  play.settle();
  assert.deepEqual(play.said(), ["create ns/agent-~1"]);
  play.ledger.removeNode("n4");
  play.settle();
  assert.deepEqual(play.said(), ["delete ns/agent-~1 by daemonset-controller"]);
});

test("daemon set: finished pods are deleted, and the younger of two", () => {
  const pods = [
    { ...on("n1"), phase: "Failed" as const, ready: false },
    on("n2"),
    pod("agent-late", { owner: agents.key, nodeName: "n2" }),
    on("n3"),
  ];
  const play = new Play(cluster({ workloads: [agents], pods })).settle();
  assert.deepEqual(play.said(), [
    "delete ns/agent-n1 by daemonset-controller",
    "delete ns/agent-late by daemonset-controller",
  ]);
});

test("daemon set: its tolerations replace the short ones every pod is given", () => {
  const short = {
    key: "node.kubernetes.io/not-ready",
    operator: "Exists",
    value: "",
    effect: "NoExecute",
    tolerationMs: 300_000,
  } as const;
  const set = daemonSet("agent", { template: template("agent", { tolerations: [short] }) });
  const play = new Play(cluster({ workloads: [set], nodes: [node("n1")] })).settle();
  const made = play.ledger.pod("ns/agent-~1")?.template.tolerations.filter(({ key }) => key === short.key);
  assert.deepEqual(
    made?.map(({ tolerationMs }) => tolerationMs),
    [null],
  );
});

/** Three nodes with a Ready pod each, whose template then changes. */
function changed(fields: Partial<DaemonSet>): Play {
  const set = daemonSet("agent", fields);
  const play = new Play(cluster({ workloads: [set], pods: all })).settle();
  assert.deepEqual(play.said(), []);
  play.ledger.setSpec(set.key, { ...set, template: template("agent", { annotations: labels({ touched: "1" }) }) });
  return play.settle();
}

/** Binds every new pod to the node it is meant for, where it is Ready at once. */
function start(play: Play): Play {
  for (const waiting of [...play.ledger.pods]) {
    const meant = waiting.template.requiredNodeAffinity?.[0]?.matchFields[0]?.values[0];
    if (waiting.node === null && meant !== undefined) play.start(waiting.key, meant);
  }
  return play.settle();
}

test("daemon set: a rollout deletes one pod, makes it anew, and waits for it", () => {
  const play = changed({});
  assert.deepEqual(play.said(), ["delete ns/agent-n1 by daemonset-controller"]);
  play.stopAll();
  assert.deepEqual(play.said(), ["create ns/agent-~1"]);
  start(play);
  assert.deepEqual(play.said(), ["delete ns/agent-n2 by daemonset-controller"]);
  start(start(play.stopAll()).stopAll());
  assert.deepEqual(
    [...play.ledger.pods].map(({ revision }) => revision),
    ["~1", "~1", "~1"],
  );
});

test("daemon set: maxUnavailable rounds up, and old pods that are down go beyond it", () => {
  const two = { type: "RollingUpdate", maxUnavailable: percent(50), maxSurge: int(0) } as const;
  assert.equal(changed({ updateStrategy: two }).said().length, 2);
  const set = daemonSet("agent");
  const play = new Play(
    cluster({ workloads: [set], pods: [on("n1"), { ...on("n2"), ready: false }, { ...on("n3"), ready: false }] }),
  ).settle();
  play.ledger.setSpec(set.key, { ...set, template: template("agent", { annotations: labels({ touched: "1" }) }) });
  assert.deepEqual(play.settle().said(), [
    "delete ns/agent-n2 by daemonset-controller",
    "delete ns/agent-n3 by daemonset-controller",
  ]);
});

test("daemon set: with surge the new pod comes first, and the old one goes when it is available", () => {
  const play = changed({ updateStrategy: { type: "RollingUpdate", maxUnavailable: int(0), maxSurge: int(1) } });
  assert.deepEqual(play.said(), ["create ns/agent-~1"]);
  start(play);
  assert.deepEqual(play.said(), ["delete ns/agent-n1 by daemonset-controller", "create ns/agent-~2"]);
});

test("daemon set: OnDelete leaves the old pods; a new one has the new template", () => {
  const play = changed({ updateStrategy: { type: "OnDelete" } });
  assert.deepEqual(play.said(), []);
  play.delete("ns/agent-n1").stopAll();
  assert.equal(play.ledger.pod("ns/agent-~1")?.template.annotations.get("touched"), "1");
});

test("daemon set: minReadySeconds holds the next node back", () => {
  const play = start(changed({ minReadyMs: 20_000 }).stopAll());
  assert.equal(play.said().length, 2);
  assert.equal(play.wakes.at(-1)?.atMs, 20_000);
  play.at(20_000);
  assert.deepEqual(play.said(), ["delete ns/agent-n2 by daemonset-controller"]);
});

test("daemon set: a pod that is refused is reported and tried again", () => {
  const play = new Play(cluster({ workloads: [agents], quotas: [quota("few", { pods: 2 })] })).settle();
  assert.deepEqual(play.said(), [
    "create ns/agent-~1",
    "create ns/agent-~2",
    'pod-rejected DaemonSet agent: Error creating: pods "agent-<suffix>" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
  ]);
  play.ledger.setQuotas([]);
  assert.deepEqual(play.at(5).said(), ["create ns/agent-~3"]);
  assert.equal(play.ledger.workload(agents.key)?.memory, null);
});
