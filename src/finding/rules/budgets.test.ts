import assert from "node:assert/strict";
import { test } from "node:test";
import { found, running, type Shows, twoOf, type World } from "../../../test/support/findings.ts";
import { gateway, object, pool, service } from "../../../test/support/serving.ts";
import type { FindingRule } from "../finding-rule.ts";
import { budgetLetsTooMany } from "./budget-lets-too-many.ts";
import { budgetNeverAllows } from "./budget-never-allows.ts";
import { budgetSelectsNothing } from "./budget-selects-nothing.ts";
import { budgetTooWide } from "./budget-too-wide.ts";
import { budgetWillBeDeleted } from "./budget-will-be-deleted.ts";
import { noBudget } from "./no-budget.ts";
import { pickerStandbyBudget } from "./picker-standby-budget.ts";
import { twoBudgets } from "./two-budgets.ts";

type Row = readonly [about: string, change: (world: World) => void, shows: Shows, expected: readonly string[]];

/** Each row changes one thing of a cluster in which nothing is found; nothing else may be found then. */
const table: readonly Row[] = [
  ["a cluster set up well has nothing to tell", () => {}, {}, []],

  ["no budget over two replicas", (w) => w.gateway.budgets.pop(), {}, ["no-budget/unguarded note proxy"]],
  ["… which breaks", (w) => w.gateway.budgets.pop(), { gateway: "broke" }, ["no-budget/unguarded error proxy"]],

  [
    "two workloads of one engine each, under no budget together",
    (w) => twoOfOne(w),
    {},
    ["no-budget/unguardedTogether note several"],
  ],
  ["… which break", (w) => twoOfOne(w), { engine: "broke" }, ["no-budget/unguardedTogether error several"]],
  [
    "… under one budget",
    (w) => {
      twoOfOne(w);
      addBudget(w, "both", { model: "m" });
    },
    {},
    [],
  ],

  [
    "a budget of one of one over what supports the path",
    (w) => addWebhook(w),
    {},
    ["budget-never-allows/allNeeded warning hook"],
  ],
  [
    "… over pods that have nothing to do with it, on the same nodes",
    (w) => addOther(w, "s1"),
    {},
    ["budget-never-allows/notOnPath note other"],
  ],
  [
    "… and on nodes that have nothing to do with it",
    (w) => {
      w.nodes.push({ name: "o1", pool: "others", zone: "a", gpus: 0, cpu: "4" });
      addOther(w, "o1");
    },
    {},
    [],
  ],

  [
    "a budget that wants all",
    (w) => setBudget(w, { minAvailable: 2 }),
    {},
    ["budget-never-allows/allNeeded warning epp"],
  ],
  [
    "… and stalls",
    (w) => setBudget(w, { minAvailable: 2 }),
    { picker: "stalled" },
    ["budget-never-allows/allNeeded error epp"],
  ],
  [
    "a budget that allows none",
    (w) => setBudget(w, { maxUnavailable: 0 }),
    {},
    ["budget-never-allows/allNeeded warning epp"],
  ],
  [
    "a percentage that rounds against you",
    (w) => setBudget(w, { minAvailable: "51%" }),
    {},
    ["budget-never-allows/roundsUp warning epp"],
  ],
  [
    "a percentage of one pod, which is all of it",
    (w) => {
      w.picker.replicas = 1;
      w.picker.nodes.pop();
      setBudget(w, { minAvailable: "51%" });
    },
    {},
    ["budget-never-allows/allNeeded warning epp", "single-replica/onlyOne note epp"],
  ],
  [
    "all of them, in percent",
    (w) => setBudget(w, { minAvailable: "100%" }),
    {},
    ["budget-never-allows/allNeeded warning epp"],
  ],
  [
    "none, in percent",
    (w) => setBudget(w, { maxUnavailable: "0%" }),
    {},
    ["budget-never-allows/allNeeded warning epp"],
  ],
  [
    "a budget that lets both go",
    (w) => setBudget(w, { maxUnavailable: 2 }),
    {},
    ["budget-lets-too-many/tooMany note epp"],
  ],
  [
    "… in percent, which break",
    (w) => setBudget(w, { maxUnavailable: "51%" }),
    { picker: "broke" },
    ["budget-lets-too-many/tooMany error epp"],
  ],
  ["a percentage that leaves one", (w) => setBudget(w, { minAvailable: "50%" }), {}, []],
  [
    "nothing is healthy enough to let anything go",
    (w) => setUnready(w, {}),
    {},
    ["budget-never-allows/unhealthyHold warning epp"],
  ],
  ["… unless unready pods may always go", (w) => setUnready(w, { unhealthyPodEvictionPolicy: "AlwaysAllow" }), {}, []],

  [
    "one is Ready, and one is wanted",
    (w) => {
      setUnready(w, {});
      w.picker.unready = 1;
    },
    {},
    ["budget-never-allows/noneToSpare note epp"],
  ],
  [
    "… which stalls, whatever unready pods may",
    (w) => {
      setUnready(w, { unhealthyPodEvictionPolicy: "AlwaysAllow" });
      w.picker.unready = 1;
    },
    { picker: "stalled" },
    ["budget-never-allows/noneToSpare error epp"],
  ],

  ["two budgets on one pod", (w) => addBudget(w, "second", { app: "epp" }), {}, ["two-budgets/both warning epp"]],
  [
    "… which fail the drain",
    (w) => addBudget(w, "second", { app: "epp" }),
    { picker: "stalled" },
    ["two-budgets/both error epp"],
  ],

  [
    "a budget that selects nothing",
    (w) => addBudget(w, "lost", { app: "no-such" }),
    {},
    ["budget-selects-nothing/nothing warning lost"],
  ],
  [
    "… while a part it may be meant for breaks",
    (w) => {
      addBudget(w, "lost", { app: "no-such" });
      w.engine.budgets.pop();
    },
    { engine: "broke" },
    ["budget-selects-nothing/nothing error lost"],
  ],
  [
    "… of a part that has another, while one breaks that has none",
    (w) => {
      addBudget(w, "proxy-old", { app: "proxy-v1" });
      w.engine.budgets.pop();
    },
    { engine: "broke" },
    ["no-budget/unguarded error vllm", "budget-selects-nothing/nothing warning proxy-old"],
  ],
  [
    "… whose own budget has a slip in its selector",
    (w) => {
      for (const budget of w.picker.budgets)
        budget.spec = { maxUnavailable: 1, selector: { matchLabels: { app: "ep" } } };
    },
    {},
    ["budget-selects-nothing/nothing warning epp"],
  ],
  [
    "a budget elsewhere is nobody's business",
    (w) =>
      w.more.push(
        object(
          "policy/v1",
          "PodDisruptionBudget",
          "lost",
          { maxUnavailable: 1, selector: { matchLabels: { app: "x" } } },
          { namespace: "other" },
        ),
      ),
    {},
    [],
  ],

  [
    "a budget over the whole namespace, whose parts have their own",
    (w) => w.picker.budgets.push({ name: "all", spec: { maxUnavailable: 1, selector: {} }, labels: {} }),
    {},
    ["two-budgets/broad warning several"],
  ],
  [
    "… which is the only one, and lets one go at a time",
    (w) => {
      for (const part of [w.engine, w.gateway]) part.budgets.pop();
      for (const budget of w.picker.budgets) budget.spec = { maxUnavailable: 1, selector: {} };
    },
    {},
    ["budget-too-wide/waits note vllm"],
  ],
  ["one budget over engines and picker", (w) => share(w), {}, ["budget-too-wide/shared warning vllm"]],
  ["… which breaks", (w) => share(w), { engine: "broke" }, ["budget-too-wide/shared error vllm"]],

  ["a budget over leader-elected pickers", (w) => electLeader(w), {}, ["picker-standby-budget/leaderHeld warning epp"]],
  ["… which stalls", (w) => electLeader(w), { picker: "stalled" }, ["picker-standby-budget/leaderHeld error epp"]],
  [
    "leader-elected pickers whose handover is too long",
    (w) => {
      electLeader(w);
      w.picker.budgets.pop();
    },
    { picker: "broke" },
    ["picker-standby-budget/handover error epp"],
  ],
  [
    "leader-elected pickers without a budget are right",
    (w) => {
      electLeader(w);
      w.picker.budgets.pop();
    },
    {},
    [],
  ],

  [
    "a budget that carries Envoy Gateway's labels",
    (w) => mark(w),
    {},
    ["budget-will-be-deleted/looksOwned warning proxy"],
  ],
  [
    "… which Envoy Gateway made itself",
    (w) => {
      mark(w);
      byEnvoyGateway(w);
    },
    {},
    ["fix-reverted/putBack note proxy"],
  ],
];

const rules: readonly FindingRule[] = [
  noBudget,
  budgetNeverAllows,
  twoBudgets,
  budgetSelectsNothing,
  budgetTooWide,
  budgetLetsTooMany,
  pickerStandbyBudget,
  budgetWillBeDeleted,
];

test("every message of these rules is seen", () => {
  const seen = table.flatMap(([, , , lines]) => lines.map((line) => line.split(" ")[0]));
  const ids = rules.flatMap(({ name, messages }) => Object.keys(messages).map((id) => `${name}/${id}`));
  assert.deepEqual(
    ids.filter((id) => !seen.includes(id)),
    [],
  );
});

for (const [about, change, shows, expected] of table)
  test(about, () => assert.deepEqual(found(change, shows), expected));

/** The engines as two Deployments of one replica. */
function twoOfOne({ engine, more }: World): void {
  engine.replicas = 1;
  engine.nodes = ["g1"];
  engine.budgets.pop();
  engine.labels["model"] = "m";
  const second = structuredClone(engine);
  second.nodes = ["g2"];
  second.labels["app"] = "vllm-2";
  second.spread = [];
  more.push(...running("vllm-2", second), pool("m", { model: "m" }, "epp", "FailClose"));
}

/** A webhook in the way of the engines: two pods, and a budget that wants both. */
function addWebhook({ more }: World): void {
  const part = twoOf("hook", "hooks", ["s1", "s2"]);
  for (const budget of part.budgets) budget.spec = { minAvailable: 2, selector: { matchLabels: { app: "hook" } } };
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const clientConfig = { service: { namespace: "hooks", name: "hook", port: 443 } };
  more.push(...running("hook", part), service("hook", { app: "hook" }, { namespace: "hooks" }), {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "hook" },
    webhooks: [{ name: "h.example.com", failurePolicy: "Fail", clientConfig, rules }],
  });
}

/** Somebody else's single pod under a budget that wants it. */
function addOther({ more }: World, node: string): void {
  const part = twoOf("other", "others", [node]);
  part.replicas = 1;
  for (const budget of part.budgets) budget.spec = { minAvailable: 1, selector: { matchLabels: { app: "other" } } };
  more.push(...running("other", part));
}

function setBudget({ picker }: World, spec: Record<string, unknown>): void {
  for (const budget of picker.budgets) budget.spec = { selector: budget.spec["selector"], ...spec };
}

function setUnready({ picker }: World, more: Record<string, unknown>): void {
  picker.unready = 2;
  for (const budget of picker.budgets) budget.spec = { ...budget.spec, ...more };
}

function addBudget({ picker }: World, name: string, matchLabels: Record<string, string>): void {
  picker.budgets.push({ name, spec: { maxUnavailable: 1, selector: { matchLabels } }, labels: {} });
}

/** One budget instead of two, by a label that both parts carry. */
function share({ engine, picker }: World): void {
  picker.budgets.pop();
  for (const part of [engine, picker]) part.labels["service"] = "m";
  for (const budget of engine.budgets) budget.spec = { minAvailable: 1, selector: { matchLabels: { service: "m" } } };
}

function electLeader({ picker }: World): void {
  picker.args = ["--ha-enable-leader-election"];
  picker.strategy = { type: "Recreate" };
  picker.unready = 1;
}

function mark({ gateway }: World): void {
  for (const budget of gateway.budgets) budget.labels["gateway.envoyproxy.io/owning-gateway-name"] = "g";
}

/** The proxies are Envoy Gateway's, and its EnvoyProxy asks for a budget. */
function byEnvoyGateway(world: World): void {
  Object.assign(world.gateway.labels, {
    "app.kubernetes.io/managed-by": "envoy-gateway",
    "gateway.envoyproxy.io/owning-gateway-name": "g",
    "gateway.envoyproxy.io/owning-gateway-namespace": "ns",
  });
  const ref = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "proxies" };
  const kubernetes = { envoyPDB: { maxUnavailable: 1 } };
  world.gateway.spec["terminationGracePeriodSeconds"] = 360;
  world.more.push(
    object("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", "proxies", { provider: { type: "Kubernetes", kubernetes } }),
    gateway("g", "eg", { infrastructure: { parametersRef: ref } }),
  );
}
