import assert from "node:assert/strict";
import { test } from "node:test";
import { claim, disk, mounts } from "../../test/support/disks.ts";
import { rows } from "../../test/support/rows.ts";
import {
  amounts,
  budget,
  cluster,
  deployment,
  int,
  labels,
  node,
  type Parts,
  percent,
  pod,
  podsOf,
  quota,
  replicaSetOf,
  selects,
  service,
  status,
  template,
  webhook,
} from "../../test/support/tiny.ts";
import { budgetStatus } from "../eviction/budget-status.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Node } from "../model/node.ts";
import type { Pod } from "../model/pod.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import { cordon } from "../scheduler/filters/node-unschedulable.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import type { DrainRecord } from "../sim/trace.ts";
import { stallsOf } from "./stall-chain.ts";

const web = deployment("web", { template: template("web", { requests: amounts({ milliCpu: 6000 }) }) });
const set = replicaSetOf(web, "1");
const [first = pod("web")] = podsOf(set, 1, { requests: amounts({ milliCpu: 6000 }) });
const homeless = { ...first, key: "ns/new", name: "new", nodeName: "", ready: false, phase: "Pending" as const };
const evenly = template("web", {
  requests: homeless.template.requests,
  topologySpread: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      selector: selects({ app: "other" }),
      minDomains: null,
      nodeAffinityPolicy: "Honor",
      nodeTaintsPolicy: "Honor",
      matchLabelKeys: [],
    },
  ],
});
const homelessOf = (own: PodTemplate): Pod => ({ ...homeless, template: own, requests: own.requests });
const mounting = (own: Pod): Pod => ({ ...own, template: { ...own.template, volumes: mounts } });
const other = (nodeName: string, at: number): Pod => pod(`other-${at}`, { nodeName, template: template("other") });
const closedNode = (name: string): Node => node(name, { unschedulable: true, taints: [cordon] });
const wider = deployment("web", { template: web.template, replicas: 2 });
const widerSet = replicaSetOf(wider, "1", { replicas: 2 });
const large = amounts({ milliCpu: 6000 });
const filler = pod("filler", {
  nodeName: "n2",
  template: template("filler", { requests: large }),
  requests: large,
  owner: "ReplicaSet.apps/ns/filler",
});
const hook = pod("hook", { template: template("hook"), ready: false });
const covers = { selector: selects({ app: "web" }), status: status({}) };

const stalled = (blocked: string, fields: Partial<DrainRecord> = {}): DrainRecord => ({
  node: "n1",
  outcome: "stalled",
  fromMs: 0,
  toMs: null,
  blockedBy: [{ pod: blocked, code: 429, message: "no", cause: "" }],
  refusedFor: [],
  ...fields,
});

/** Kinds and objects of the chain, then what frees it, by its first words. */
function told(parts: Parts, drain = stalled("ns/web-1-a")): readonly (readonly string[])[] {
  const ledger = new Ledger(cluster({ nodes: [node("n1")], workloads: [web, set], ...parts }), new Journal());
  for (const one of ledger.budgets) ledger.setBudgetStatus(one.budget.key, budgetStatus(ledger, one));
  const before = ledger.changes;
  const stalls = stallsOf(ledger, [drain]);
  assert.equal(ledger.changes, before, "looking changes nothing");
  return stalls.flatMap(({ chain, freedBy }) => [
    chain.map(({ kind, ref }) => `${kind} ${ref}`),
    freedBy.map((free) => free.split(/[:,]| \(/)[0] ?? ""),
  ]);
}

const one = budget("web", { ...covers, minAvailable: int(1) });
const known = ["node n1", "pod ns/web-1-a", "budget ns/web"];
const whole = budget("web", { ...covers, minAvailable: int(1) });
const looser = "maxUnavailable 1 instead of minAvailable 1 in budget ns/web";
const anyOther = "one more replica of Deployment ns/web";

rows("who waits for whom", (parts: Parts) => told(parts), [
  [
    "one replica under a budget of one waits for a second, or another budget",
    { pods: [first], budgets: [one] },
    [known, [anyOther, "maxUnavailable 1 instead of minAvailable 1 in budget ns/web"]],
  ],
  [
    "under 100 % no further replica helps",
    { pods: [first], budgets: [budget("web", { ...covers, minAvailable: percent(100) })] },
    [known, ["maxUnavailable 1 instead of minAvailable 100% in budget ns/web"]],
  ],
  [
    "a replacement without room waits for the cordoned node, which is named only where it fits",
    {
      nodes: [node("n1", { unschedulable: true }), node("n2", { unschedulable: true })],
      pods: [first, homeless],
      budgets: [one],
    },
    [
      [...known, "replacement ns/new", "room n2", "room n1"],
      ["n2 open again", "one more node like n1"],
    ],
  ],
  [
    "a spread that leaves closed nodes out counts them once they are open: the emptier one takes it",
    {
      nodes: [node("n1"), closedNode("n2"), closedNode("n3")],
      pods: [first, homelessOf(evenly), ...["n1", "n2", "n2"].map(other)],
      budgets: [one],
    },
    [
      [...known, "replacement ns/new", "room n1", "room n3", "room n2"],
      ["n3 open again", "one more node like n1"],
    ],
  ],
  [
    "where no node would do, opening one is not offered",
    { nodes: [node("n1")], pods: [first, homeless], budgets: [one] },
    [[...known, "replacement ns/new", "room n1"], ["one more node like n1"]],
  ],
  [
    "room that a less important pod takes: a higher priority would do too",
    {
      nodes: [node("n1"), node("n2")],
      pods: [first, homeless, filler],
      budgets: [one],
    },
    [
      [...known, "replacement ns/new", "room n1,n2"],
      ["one more node like n1", "a priority above 0 for ns/new"],
    ],
  ],
  [
    "a quota that lets no other pod be made",
    { pods: [first], workloads: [wider, widerSet], budgets: [whole], quotas: [quota("small", { pods: 1 })] },
    [
      [...known, "admission ns/small"],
      ["more in quota ns/small", looser],
    ],
  ],
  [
    "a webhook that must answer, whose own pod is not Ready",
    {
      pods: [first, hook],
      workloads: [wider, widerSet],
      budgets: [whole],
      services: [service("hook", { selector: labels({ app: "hook" }) })],
      webhooks: [webhook("hook", { service: { namespace: "ns", name: "hook", port: 443 }, onPodCreate: true })],
    },
    [
      [...known, "admission hook.example.com", "replacement ns/hook"],
      ["webhook hook.example.com answering again", "ns/hook Ready", looser],
    ],
  ],
  [
    "a replacement whose disk the pod behind the budget has",
    {
      nodes: [node("n1"), node("n2")],
      pods: [mounting(first), mounting({ ...homeless, nodeName: "n2", phase: "Running" })],
      budgets: [one],
      storage: {
        ...cluster({}).storage,
        volumes: new Map([["disk", disk]]),
        claims: new Map([["ns/cache", claim]]),
      },
    },
    [[...known, "replacement ns/new"], ["ns/web-1-a gone"]],
  ],
  [
    "a pod on its way out that a finalizer keeps",
    {
      nodes: [node("n1"), node("n2")],
      pods: [first, pod("old", { template: web.template, nodeName: "n2", deleting: true, finalizers: ["a.b/c"] })],
      budgets: [one],
    },
    [[...known, "replacement ns/old"], ["finalizer a.b/c off ns/old"]],
  ],
  [
    "a sick one beside it",
    {
      nodes: [node("n1"), node("n2")],
      pods: [first, pod("sick", { template: web.template, nodeName: "n2", ready: false })],
      budgets: [one],
    },
    [[...known, "replacement ns/sick"], ["ns/sick Ready"]],
  ],
  [
    "pods nobody owns are not counted, but by a number",
    {
      nodes: [node("n1"), node("n2")],
      pods: [
        pod("web-1-a", { template: web.template, nodeName: "n1" }),
        pod("web-1-b", { template: web.template, nodeName: "n2" }),
      ],
      budgets: [budget("web", { ...covers, minAvailable: percent(50) })],
    },
    [["node n1", "pod ns/web-1-a", "budget ns/web"], ["minAvailable 1 instead of minAvailable 50% in budget ns/web"]],
  ],
  [
    "two budgets: no eviction at all",
    { pods: [first], budgets: [one, budget("all", { ...covers, minAvailable: int(1) })] },
    [["node n1", "pod ns/web-1-a"], ["a selector of budget ns/web or ns/all that leaves ns/web-1-a out"]],
  ],
]);

test("a drain that is refused names the flag that would do", () => {
  const message = "cannot delete Pods that declare no controller (use --force to override): ns/web-1-a";
  const drain = stalled("", { outcome: "refused", blockedBy: [{ pod: "", code: 0, message, cause: "" }] });
  assert.deepEqual(told({ pods: [first] }, drain), [["node n1", "node "], ["a drain with --force"]]);
});

test("in a namespace that is being deleted it waits until the pod is deleted", () => {
  const refusal = { pod: "ns/web-1-a", code: 403, message: "no", cause: "namespace ns is being terminated" };
  const drain = stalled("ns/web-1-a", { blockedBy: [refusal] });
  const namespaces = (terminating: boolean): Cluster["namespaces"] =>
    new Map([["ns", { name: "ns", labels: new Map(), terminating }]]);
  const freed = ["ns/web-1-a deleted"];
  assert.deepEqual(told({ pods: [first], namespaces: namespaces(true) }, drain), [
    ["node n1", "pod ns/web-1-a"],
    freed,
  ]);
  assert.deepEqual(told({ pods: [first], namespaces: namespaces(false) }, drain), [["node n1", "pod ns/web-1-a"], []]);
});

test("a drain that is through waits for nobody, nor one that gave up on a budget that allows it by now", () => {
  assert.deepEqual(told({ pods: [first], budgets: [one] }, stalled("ns/web-1-a", { outcome: "completed" })), []);
  const second = pod("second", { template: web.template });
  const late = stalled("ns/web-1-a", { outcome: "failed" });
  assert.deepEqual(told({ pods: [first, second], budgets: [one] }, late), []);
});

test("a drain that gave up says after how long", () => {
  const ledger = new Ledger(cluster({ nodes: [node("n1")], workloads: [web, set], pods: [first] }), new Journal());
  const drain = stalled("ns/web-1-a", { outcome: "failed", fromMs: 1_000, toMs: 901_000 });
  const [stall] = stallsOf(ledger, [
    { ...drain, blockedBy: [{ pod: "ns/web-1-a", code: 500, message: "no", cause: "" }] },
  ]);
  assert.equal(stall?.chain[0]?.text, "the drain of n1 fails after 15 min");
});
