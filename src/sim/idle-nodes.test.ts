import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { bareDrainFlags } from "../eviction/drain-flags.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { nodesThatMatter } from "./idle-nodes.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";

const nodes = ["busy", "empty", "agent-only", "served", "open"];

const node = (name: string): string => `
---
{ apiVersion: v1, kind: Node, metadata: { name: ${name} }, spec: { unschedulable: ${name !== "open"} },
  status: { allocatable: { cpu: "4", memory: 8Gi, pods: "110" }, conditions: [{ type: Ready, status: "True" }] } }`;

const pod = (name: string, on: string, owner: string, spec = ""): string => `
---
{ apiVersion: v1, kind: Pod,
  metadata: { namespace: ns, name: ${name}, labels: { app: ${owner} },
    ownerReferences: [{ apiVersion: apps/v1, kind: ${owner === "web" ? "ReplicaSet" : "DaemonSet"}, name: ${owner}, uid: ${owner}, controller: true }] },
  spec: { nodeName: ${on}, containers: [{ name: c, image: i }]${spec} },
  status: { phase: Running, conditions: [{ type: Ready, status: "True" }] } }`;

const daemonSet = (name: string): string => `
---
{ apiVersion: apps/v1, kind: DaemonSet, metadata: { namespace: ns, name: ${name}, uid: ${name} },
  spec: { selector: { matchLabels: { app: ${name} } },
    template: { metadata: { labels: { app: ${name} } }, spec: { containers: [{ name: c, image: i }] } } } }`;

function mattering(web = ""): readonly string[] {
  const yaml = [
    ...nodes.map(node),
    daemonSet("agent"),
    daemonSet("proxy"),
    `
---
{ apiVersion: v1, kind: Service, metadata: { namespace: ns, name: proxy }, spec: { selector: { app: proxy }, ports: [{ port: 80 }] } }`,
    pod("web-1", "busy", "web", web),
    pod("agent-1", "agent-only", "agent"),
    pod("proxy-1", "served", "proxy"),
  ].join("");
  const ledger = new Ledger(clusterFrom(yaml, { problemsAllowed: true }), new Journal());
  return nodesThatMatter(ledger, nodes, kubectlDrain, { ...bareDrainFlags, ignoreDaemonsets: true });
}

test("a closed node that nobody leaves, with pods that nobody counts, may be drained at any time", () => {
  assert.deepEqual(mattering(), ["busy", "served", "open"]);
});

test("unless a pod minds nodes that it cannot use", () => {
  const spread =
    ", topologySpreadConstraints: [{ maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: web } } }]";
  assert.deepEqual(mattering(spread), nodes);
  const tolerates = ", tolerations: [{ key: node.kubernetes.io/unschedulable, operator: Exists }]";
  assert.deepEqual(mattering(tolerates), nodes);
});
