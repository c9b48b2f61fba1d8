import assert from "node:assert/strict";
import { test } from "node:test";
import { Play } from "../../test/support/play.ts";
import { cluster, daemonSet, labels, node, pod, template } from "../../test/support/tiny.ts";
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
