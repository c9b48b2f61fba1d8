import assert from "node:assert/strict";
import { test } from "node:test";
import { incoming, node, object, pod, type Question, viewOf } from "../../test/support/scheduling.ts";
import { anyStart, type ScheduleOptions, schedule } from "./schedule.ts";

// Read from schedule_one.go, Kubernetes 1.36.3.
function decided(question: Question, options: ScheduleOptions = anyStart) {
  const view = viewOf(question);
  const found = view.pod("ns/new");
  assert.ok(found);
  return schedule(view, found, options);
}

function bound(question: Question, options: ScheduleOptions = anyStart) {
  const result = decided(question, options);
  assert.ok(result.outcome === "bind", JSON.stringify(result));
  return { top: result.top.join(" "), feasible: result.feasible.join(" ") };
}

test("schedule: all ties at the best score, in node order", () => {
  const objects = [node("a"), node("b", { allocatable: { cpu: "8" } }), node("c", { allocatable: { cpu: "8" } })];
  const asks = incoming({ requests: { cpu: "1", memory: "1Gi" } });
  assert.deepEqual(bound({ objects: [...objects, asks] }), { top: "b c", feasible: "a b c" });
});

test("schedule: the nominated node is taken when it fits, whatever the scores", () => {
  const objects = [node("a"), node("b", { allocatable: { cpu: "8" } })];
  const asks = { requests: { cpu: "1" }, nominated: "a" };
  assert.deepEqual(bound({ objects: [...objects, incoming(asks)] }), { top: "a", feasible: "a b" });
  const full = pod("full", { on: "a", requests: { cpu: "4" } });
  assert.deepEqual(bound({ objects: [...objects, full, incoming(asks)] }), { top: "b", feasible: "b" });
});

test("schedule: the nominated node speaks for itself, even where PreFilter looks at other nodes only", () => {
  const objects = [node("a"), node("b"), node("c")];
  const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }];
  const spec = {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  };
  const asks = (nominated?: string) =>
    incoming({ requests: { cpu: "5" }, spec, ...(nominated === undefined ? {} : { nominated }) });
  const reasons = (pod: Question["objects"][number]) => {
    const result = decided({ objects: [...objects, pod] });
    return result.outcome === "unschedulable" ? result.message.split(". ")[0] : result.outcome;
  };
  assert.equal(
    reasons(asks()),
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]",
  );
  assert.equal(
    reasons(asks("c")),
    "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]",
  );
  // The plugin that rejects the nominated node is named with those that left nodes out.
  assert.equal(
    reasons(asks("b")),
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity NodeResourcesFit]",
  );
});

test("schedule: another scheduler's pod is not ours", () => {
  assert.deepEqual(decided({ objects: [node("a"), incoming({ spec: { schedulerName: "volcano" } })] }), {
    outcome: "notOurs",
    schedulerName: "volcano",
  });
});

test("schedule: without nodes", () => {
  assert.deepEqual(decided({ objects: [incoming()] }), {
    outcome: "unschedulable",
    message: "no nodes available to schedule pods",
    preemption: [],
    effects: [],
  });
});

test("schedule: nowhere to go, with the scheduler's words", () => {
  const tainted = { taints: [{ key: "gpu", effect: "NoSchedule" }] };
  const result = decided({
    objects: [
      node("gpu-1", tainted),
      node("gpu-2", tainted),
      node("system-1", { unschedulable: true }),
      node("system-2", { unschedulable: true }),
      incoming(),
    ],
  });
  assert.ok(result.outcome === "unschedulable");
  assert.ok(
    result.message.startsWith(
      "0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. ",
    ),
    result.message,
  );
  assert.ok(
    result.message.endsWith("preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."),
    result.message,
  );
  assert.deepEqual(result.preemption, []);
});

test("schedule: preemption names node and victims, and leaves no word about nodes it did not help", () => {
  const result = decided({
    objects: [
      node("a"),
      node("b"),
      pod("low", { on: "a", requests: { cpu: "4" } }),
      pod("high", { on: "b", requests: { cpu: "4" }, priority: 9 }),
      incoming({ requests: { cpu: "1" }, priority: 5 }),
    ],
  });
  assert.ok(result.outcome === "unschedulable");
  assert.equal(result.message, "0/2 nodes are available: 2 Insufficient cpu.");
  assert.deepEqual(result.preemption, [{ node: "a", victims: ["ns/low"], drawn: false }]);
});

/** n000 … with more CPU the later they come, so that the last one is best. */
function many(count: number, full: (index: number) => boolean = () => false): Question["objects"] {
  return Array.from({ length: count }, (_, i) => {
    const cpu = full(i) ? "0" : String(4 + i);
    return node(`n${String(i).padStart(3, "0")}`, { allocatable: { cpu } });
  });
}
const asks = incoming({ requests: { cpu: "1" } });
const startingAt = (start: number): ScheduleOptions => ({ start, percentageOfNodesToScore: 0 });

test("schedule: below 100 nodes all are scored", () => {
  assert.equal(
    bound({ objects: [...many(99), asks] })
      .top.split(" ")
      .at(-1),
    "n098",
  );
});

test("schedule: from 100 on the search ends with the 100th that fits, beginning at its start", () => {
  const objects = [...many(120), asks];
  const last = (start: number) => bound({ objects }, startingAt(start)).top.split(" ").at(-1);
  assert.equal(last(0), "n099");
  assert.equal(last(10), "n109");
  // 30 to 119, then 0 to 9.
  assert.equal(last(30), "n119");
});

test("schedule: nodes that do not fit are passed over and do not count", () => {
  const objects = [...many(120, (i) => i >= 50 && i < 60), asks];
  assert.equal(bound({ objects }, startingAt(0)).top.split(" ").at(-1), "n109");
});

test("schedule: from an unknown start everything some start leads to can be chosen", () => {
  const objects = [...many(103), asks];
  const any = bound({ objects }).top.split(" ");
  const each = new Set(
    Array.from({ length: 103 }, (_, start) => bound({ objects }, startingAt(start)).top.split(" ")).flat(),
  );
  assert.deepEqual([...any].sort(), [...each].sort());
  assert.equal(bound({ objects }).feasible.split(" ").length, 103);
});

test("schedule: a Service's pods are spread by the scores alone", () => {
  const labels = { app: "web" };
  const objects = [
    node("a"),
    node("b"),
    object("Service", "web", { spec: { selector: labels } }),
    pod("w1", { on: "a", labels, requests: { cpu: "100m", memory: "100Mi" } }),
    incoming({ labels, requests: { cpu: "100m", memory: "100Mi" } }),
  ];
  assert.deepEqual(bound({ objects }), { top: "b", feasible: "a b" });
});

test("schedule: asking changes nothing and asking again gives the same", () => {
  const view = viewOf({ objects: [node("a"), node("b"), pod("x", { on: "a" }), asks] });
  const found = view.pod("ns/new");
  assert.ok(found);
  const before = view.changes;
  const ask = () => {
    const result = schedule(view, found, anyStart);
    return result.outcome === "bind" ? [result.top, result.feasible, result.effectsOn("b")] : result.outcome;
  };
  assert.deepEqual(ask(), [["b"], ["a", "b"], []]);
  assert.deepEqual(ask(), [["b"], ["a", "b"], []]);
  assert.equal(view.changes, before);
});

test("schedule: what was cached is not believed after an undo", () => {
  const labels = { app: "web" };
  const spread = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: labels },
      },
    ],
  };
  const view = viewOf({
    objects: [node("a"), node("b"), pod("w1", { labels }), pod("other"), incoming({ labels, spec: spread })],
  });
  const feasible = () => {
    const found = view.pod("ns/new");
    assert.ok(found);
    const result = schedule(view, found, anyStart);
    return result.outcome === "bind" ? result.feasible.join(" ") : result.outcome;
  };
  const mark = view.journal.mark();
  view.bind("ns/w1", "a");
  assert.equal(feasible(), "b");
  view.journal.undoTo(mark);
  view.bind("ns/other", "a");
  assert.equal(feasible(), "a b");
  view.journal.undoTo(mark);
  view.bind("ns/w1", "b");
  assert.equal(feasible(), "a");
  view.markTerminating("ns/w1", false);
  assert.equal(feasible(), "a b");
});
