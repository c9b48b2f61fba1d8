import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import type { Plan } from "../../src/report/types.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { aibrix, ray } from "../patch/kept-clusters.ts";
import { budget, node, type Part, service, workload } from "../patch/small-cluster.ts";
import { planReport, snapshotOf } from "../support/fix.ts";

// Clusters in which a plan is easy to get wrong: nowhere to go, budgets that never allow, pods that kubectl refuses.

const selector: JsonObject = { matchLabels: { app: "engine" } };

function engine(on: readonly string[], milliCpu = 1000, more: Partial<Part> = {}): readonly WireObject[] {
  const part = { namespace: "m", name: "engine", on, milliCpu, ...more };
  return [...workload(part), service("m", "engine", { app: "engine" }, "chat")];
}

const [a, b] = [node("a", 4000), node("b", 4000)];
const full = workload({ namespace: "m", name: "other", on: ["b"], milliCpu: 3000 });
const bare: WireObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "bare", namespace: "m" },
  spec: { nodeName: "a", containers: [{ name: "main", image: "x" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
};
const autoscaler: WireObject = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "engine", namespace: "m" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "engine" },
    minReplicas: 1,
    maxReplicas: 1,
  },
};
const pinned = { pod: { nodeSelector: { "kubernetes.io/hostname": "a" } } };

interface Row {
  readonly name: string;
  readonly objects: readonly WireObject[];
  readonly drained: readonly string[];
  /** What is done, without waits; with the gap in seconds where there is no plan. */
  readonly expected: string;
  readonly because?: RegExp;
  readonly help?: RegExp;
}

const gap = "no plan, gap 215: drain a";
const rows: readonly Row[] = [
  { name: "one node", objects: [a, ...engine(["a"])], drained: ["a"], expected: gap, help: /^One more node like a/ },
  { name: "a second node", objects: [a, b, ...engine(["a"])], drained: ["a"], expected: "scale, drain a, stepBack" },
  {
    name: "both drained",
    objects: [a, b, ...engine(["a"])],
    drained: ["a", "b"],
    expected: "scale, guard, drain a, drain b, stepBack, stepBack",
  },
  {
    name: "no room",
    objects: [a, b, ...engine(["a"], 3500), ...full],
    drained: ["a"],
    expected: gap,
    help: /^One more/,
  },
  {
    name: "bound to its node",
    objects: [a, b, ...engine(["a"], 1000, pinned)],
    drained: ["a"],
    expected: gap,
    help: /^No help/,
  },
  {
    name: "Recreate scales like any other",
    objects: [a, b, ...engine(["a"], 1000, { strategy: { type: "Recreate" } })],
    drained: ["a"],
    expected: "scale, drain a, stepBack",
  },
  {
    name: "an autoscaler's minimum",
    objects: [a, b, ...engine(["a"]), autoscaler],
    drained: ["a"],
    expected: "scale, drain a, stepBack",
  },
  {
    name: "three on one node",
    objects: [a, b, ...engine(["a", "a", "a"])],
    drained: ["a"],
    expected: "guard, drain a, stepBack",
  },
  { name: "two apart", objects: [a, b, ...engine(["a", "b"])], drained: ["a"], expected: "drain a" },
  { name: "no endpoint", objects: [a, b], drained: ["a"], expected: "drain a" },
  {
    name: "a budget that never allows",
    objects: [a, b, ...engine(["a"]), budget("m", "none", { maxUnavailable: 0, selector })],
    drained: ["a"],
    expected: "no plan: scale, drain a, stepBack",
    because: /^the drain of a waits for ever on m\/engine-1-0$/,
    help: /budget/,
  },
  {
    name: "two budgets",
    objects: [
      a,
      b,
      ...engine(["a", "b"]),
      budget("m", "one", { maxUnavailable: 1, selector }),
      budget("m", "two", { minAvailable: 1, selector }),
    ],
    drained: ["a"],
    expected: "no plan: drain a",
    because: /^the drain of a fails on m\/engine-1-0 \(This pod has more than one PodDisruptionBudget/,
    help: /^It is refused for good/,
  },
  {
    name: "a pod nobody makes again",
    objects: [a, b, ...engine(["a", "b"]), bare],
    drained: ["a"],
    expected: "no plan: drain a",
    because: /^the drain of a is refused \(.*m\/bare/,
    help: /by hand/,
  },
];

function shown({ possible, steps, gaps }: Plan): string {
  const done = steps.flatMap(({ do: what, ref }) => {
    if (what === "drain") return [`drain ${ref.replaceAll("Node ", "")}`];
    return ["scale", "guard", "stepBack"].includes(what) ? [what] : [];
  });
  const gapped = gaps.map(({ seconds }) => `, gap ${String(seconds)}`).join("");
  return `${possible ? "" : `no plan${gapped}: `}${done.join(", ")}`;
}

for (const { name, objects, drained, expected, because, help } of rows) {
  test(name, () => {
    const plan = planReport(snapshotOf(objects), { nodes: { by: "names", names: drained }, actor: null });
    assert.equal(shown(plan), expected);
    if (because !== undefined) assert.match(plan.because, because);
    if (help !== undefined) assert.match(plan.leastHelp, help);
  });
}

test("a number that a controller takes over later is waited for before its pods are", () => {
  const plan = planReport(snapshotOf([a, b, ...engine(["a"]), autoscaler]), {
    nodes: { by: "names", names: ["a"] },
    actor: null,
  });
  const wait = plan.steps.find(({ do: what }) => what === "waitReady");
  assert.match(
    wait?.command ?? "",
    /^kubectl wait -n m deployment engine --for=jsonpath='\{\.spec\.replicas\}'=2 --timeout=120s &&\nkubectl rollout status/,
  );
});

test("what is down before anything is done is said, and is no fault of the plan", () => {
  const waiting = workload({ namespace: "m", name: "large", on: ["a"], milliCpu: 9000 }).map((object) =>
    object.kind === "Pod"
      ? { ...object, spec: { ...specOf(object), nodeName: "" }, status: { phase: "Pending" } }
      : object,
  );
  const objects = [a, b, ...engine(["a", "b"]), ...waiting, service("m", "large", { app: "large" }, "large")];
  const plan = planReport(snapshotOf(objects), { nodes: { by: "names", names: ["a"] }, actor: null });
  assert.equal(plan.possible, true);
  assert.deepEqual(
    plan.downBefore.map(({ endpoint, hop }) => [endpoint, hop]),
    [["m/large", "Engine"]],
  );
  assert.deepEqual(
    plan.capacity.map(({ endpoint, overTime }) => [endpoint, overTime.map(({ capacity }) => capacity)]),
    [["m/chat", [1, 0.5, 1]]],
  );
});

function specOf({ spec }: WireObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

test("workers of a RayCluster are made two for the time, by operations on their group, and counted by their pods", () => {
  const objects = ray({ workers: ["n-1"], nodes: ["n-1", "n-2", "n-3"] });
  const plan = planReport(snapshotOf(objects), { nodes: { by: "names", names: ["n-1"] }, actor: null });
  assert.equal(shown(plan), "scale, drain n-1, stepBack");
  const [scale, wait] = plan.steps;
  assert.match(
    scale?.command ?? "",
    /^kubectl patch -n models raycluster\.ray\.io serve-a --type=json -p '\[\{"op":"test"/,
  );
  assert.match(wait?.command ?? "", /get pods -n models -l ray\.io\/group=gpu -o name \| wc -l\)" -ge 2 \]/);
});

test("a StormService is made two sets for the time, under one budget over all of them", () => {
  const objects = aibrix({ roles: { prefill: ["n-1"], decode: ["n-2"] }, nodes: ["n-1", "n-2", "n-3", "n-4"] });
  const plan = planReport(snapshotOf(objects), { nodes: { by: "names", names: ["n-1"] }, actor: null });
  assert.equal(shown(plan), "scale, guard, drain n-1, stepBack, stepBack");
  assert.match(plan.steps[2]?.command ?? "", /"minAvailable": 3,/);
  // One more set is one more of every role: each is waited for, not only the one it was scaled for.
  const waited = plan.steps.find(({ do: what }) => what === "waitReady")?.command ?? "";
  assert.match(waited, /role-name=decode,[^|]*\| wc -l\)" -ge 2 /);
  assert.match(waited, /role-name=prefill,[^|]*\| wc -l\)" -ge 2 /);
});

test("a plan says what its steps were played without", () => {
  const nodes = ["n-1", "n-2", "n-3"];
  const kept = planReport(snapshotOf(ray({ workers: ["n-1", "n-2"], nodes })), {
    nodes: { by: "names", names: ["n-1"] },
    actor: null,
  });
  assert.deepEqual(
    kept.notModelled.map(({ what }) => what),
    ["RayCluster is played as making its pods again, one for one"],
  );
  const known = planReport(snapshotOf([a, b, ...engine(["a", "b"])]), {
    nodes: { by: "names", names: ["a"] },
    actor: null,
  });
  assert.deepEqual(known.notModelled, []);
});

test("a number that stands in an annotation is written as text, under the annotation's whole name", () => {
  const text = readFileSync(join(import.meta.dirname, "../systems/knative-kourier/cluster.yaml"), "utf8");
  const plan = planReport(loadText(text, "cluster.yaml"), { nodes: { by: "names", names: ["gpu-1"] }, actor: null });
  const patch = (least: number): string =>
    `kubectl patch -n ml service.serving.knative.dev qwen --type=json -p '[{"op":"add","path":"/spec/template/metadata/annotations/autoscaling.knative.dev~1min-scale","value":"${least}"}]'`;
  assert.deepEqual([plan.steps[0]?.command, plan.steps[0]?.undo], [patch(2), patch(1)]);
});
