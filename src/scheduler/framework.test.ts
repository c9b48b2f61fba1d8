import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../test/support/rows.ts";
import { incoming, node, pod, verdicts, viewOf } from "../../test/support/scheduling.ts";
import { newCycle } from "./cycle.ts";
import {
  checkNodes,
  type Filter,
  failed,
  NodeOverlay,
  type Prepared,
  pass,
  perNode,
  rejectAll,
  rejectForGood,
  rejectForNow,
  runPreFilter,
  skip,
} from "./framework.ts";

// Read from framework/runtime/framework.go, Kubernetes 1.36.3.
const view = viewOf({ objects: [node("a"), node("b"), incoming()] });
const waiting = view.pod("ns/new");
assert.ok(waiting);
const cycle = newCycle(view, waiting);
const filter = (name: string, prepared: Prepared): Filter => ({ name, prepare: () => prepared });
const check = perNode(() => pass);

test("PreFilter: node sets are intersected; those that restrict are named", () => {
  const result = runPreFilter(cycle, [
    filter("Z", checkNodes(check, new Set(["a", "b"]))),
    filter("M", checkNodes(check)),
    filter("A", checkNodes(check, new Set(["b", "gone"]))),
  ]);
  assert.equal(result.outcome, "ready");
  assert.deepEqual([...(result.nodes ?? [])], ["b"]);
  assert.deepEqual(result.restrictedBy, ["A", "Z"]);
});

test("PreFilter: no node left of two sets, and of one", () => {
  const none = runPreFilter(cycle, [
    filter("Z", checkNodes(check, new Set(["a"]))),
    filter("A", checkNodes(check, new Set(["b"]))),
  ]);
  assert.deepEqual(none, {
    outcome: "rejected",
    verdict: rejectForGood("node(s) didn't satisfy plugin(s) [A Z] simultaneously"),
    run: null,
  });
  const one = runPreFilter(cycle, [filter("Z", checkNodes(check, new Set()))]);
  assert.ok(one.outcome === "rejected");
  assert.deepEqual(one.verdict.reasons, ["node(s) didn't satisfy plugin Z"]);
});

test("PreFilter: for now lets the others prepare, for good and errors end it", () => {
  const later: string[] = [];
  const counting: Filter = {
    name: "Later",
    prepare() {
      later.push("called");
      return checkNodes(check);
    },
  };
  const forNow = runPreFilter(cycle, [filter("A", rejectAll(rejectForNow("full"))), counting]);
  assert.ok(forNow.outcome === "rejected" && forNow.run !== null);
  assert.equal(forNow.verdict.plugin, "A");
  assert.deepEqual(later, ["called"]);
  const forGood = runPreFilter(cycle, [filter("A", rejectAll(rejectForGood("never"))), counting]);
  assert.ok(forGood.outcome === "rejected" && forGood.run === null);
  assert.deepEqual(runPreFilter(cycle, [filter("A", rejectAll(failed("broken"))), counting]), {
    outcome: "error",
    message: 'running PreFilter plugin "A": broken',
  });
  assert.deepEqual(later, ["called"]);
});

test("Filter: the first that does not pass speaks, one that skips does not, an error names its plugin", () => {
  const result = runPreFilter(cycle, [
    filter("Skips", skip),
    filter("A", checkNodes(perNode(({ name }) => (name === "a" ? rejectForNow("first") : pass)))),
    filter("B", checkNodes(perNode(({ name }) => (name === "a" ? rejectForGood("second") : failed("broken"))))),
  ]);
  assert.ok(result.outcome === "ready");
  assert.deepEqual(result.run.names, ["A", "B"]);
  assert.deepEqual(
    view.nodes.map((one) => result.run.filter(one)),
    [
      { code: "Unschedulable", plugin: "A", reasons: ["first"] },
      { code: "Error", plugin: "B", reasons: ['running "B" filter plugin: broken'] },
    ],
  );
});

test("overlay: pods and sums follow, the node itself does not", () => {
  const crowded = viewOf({
    objects: [node("a"), pod("x", { on: "a", requests: { cpu: "1" } }), incoming({ requests: { cpu: "2" } })],
  });
  const [base] = crowded.nodes;
  const [x, added] = [crowded.pod("ns/x"), crowded.pod("ns/new")];
  assert.ok(base && x && added);
  const overlay = new NodeOverlay(base);
  overlay.add(added);
  overlay.remove(x);
  assert.deepEqual(
    overlay.pods.map(({ name }) => name),
    ["new"],
  );
  assert.equal(overlay.requested.milliCpu, 2000);
  assert.equal(overlay.nonZeroMilliCpu, 2000);
  assert.deepEqual(
    base.pods.map(({ name }) => name),
    ["x"],
  );
  assert.equal(base.requested.milliCpu, 1000);
});

const host = "kubernetes.io/hostname";
const affinity = (kind: string) => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: host, labelSelector: { matchLabels: { app: "db" } } },
      ],
    },
  },
});
const big = { requests: { cpu: "3" }, nominated: "a" };

rows("nominated pods", verdicts, [
  [
    "one of equal priority holds its room",
    { objects: [node("a"), pod("waits", big), incoming({ requests: { cpu: "2" } })] },
    { a: "for now, NodeResourcesFit: Insufficient cpu" },
  ],
  [
    "one of lower priority does not",
    { objects: [node("a"), pod("waits", big), incoming({ requests: { cpu: "2" }, priority: 1 })] },
    { a: "pass" },
  ],
  [
    "one of higher priority repels as if it were there",
    {
      objects: [
        node("a"),
        pod("waits", { labels: { app: "db" }, nominated: "a", priority: 5 }),
        incoming({ spec: affinity("podAntiAffinity") }),
      ],
    },
    { a: "for now, InterPodAffinity: node(s) didn't match pod anti-affinity rules" },
  ],
  [
    "but nobody may lean on it: it may go elsewhere",
    {
      objects: [
        node("a"),
        pod("waits", { labels: { app: "db" }, nominated: "a", priority: 5 }),
        incoming({ spec: affinity("podAffinity") }),
      ],
    },
    { a: "for good, InterPodAffinity: node(s) didn't match pod affinity rules" },
  ],
  [
    "one nominated to another node is out of the way",
    { objects: [node("a"), node("b"), pod("waits", { ...big, nominated: "b" }), incoming({ requests: { cpu: "2" } })] },
    { a: "pass", b: "for now, NodeResourcesFit: Insufficient cpu" },
  ],
]);
