import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Plan } from "../../src/report/types.ts";
import { readExample } from "../support/assess.ts";
import { planReport } from "../support/fix.ts";

function shown({ steps }: Plan): readonly string[] {
  return steps.map((step) => `${step.do} ${step.ref}`.trim());
}

const gpus = ["ip-10-0-51-34.eu-west-1.compute.internal", "ip-10-0-75-166.eu-west-1.compute.internal"];

describe("one replica each", () => {
  const plan = planReport(readExample("openshift-one-replica"), { nodes: { by: "names", names: gpus }, actor: null });

  test("is scaled to two at the services, drained, and stepped back", () => {
    const [first, second] = plan.nodes;
    assert.deepEqual(shown(plan), [
      "scale LLMInferenceService demo-models/chat",
      "waitReady Deployment demo-models/chat-kserve",
      "scale InferenceService demo-models/rank",
      "waitReady Deployment demo-models/rank-predictor",
      ...[first, second].flatMap((node) => [
        `drain Node ${node}`,
        `wait Node ${node}`,
        `uncordon Node ${node}`,
        "waitReady",
      ]),
      "stepBack InferenceService demo-models/rank",
      "stepBack LLMInferenceService demo-models/chat",
    ]);
  });

  test("serves at every moment", () => {
    assert.equal(plan.possible, true);
    assert.deepEqual(plan.gaps, []);
    assert.deepEqual(
      plan.capacity.map(({ endpoint, minCapacity }) => `${endpoint} ${minCapacity}`),
      ["demo-models/chat 1", "demo-models/rank 1"],
    );
    assert.ok((plan.windowSeconds ?? 0) > 600);
  });

  test("says how to get there and back by commands", () => {
    const [scale] = plan.steps;
    assert.equal(
      scale?.command,
      `kubectl patch -n demo-models llminferenceservice.serving.kserve.io chat --type=merge -p '{"spec":{"replicas":2}}'`,
    );
    assert.equal(plan.steps.at(-1)?.command, scale?.undo);
  });
});

test("an actor's own maintenance of a pool is prepared the same way", () => {
  const plan = planReport(readExample("openshift-one-replica"), {
    nodes: { by: "pool", pool: "worker", first: [] },
    actor: "openshift-mco",
  });
  assert.equal(plan.possible, true);
  assert.deepEqual(
    plan.steps.map((step) => step.do),
    ["scale", "waitReady", "scale", "waitReady", "drain", "waitReady", "stepBack", "stepBack"],
  );
});

test("two replicas apart need no preparation", () => {
  const plan = planReport(readExample("openshift-two-replicas"), { nodes: { by: "names", names: gpus }, actor: null });
  assert.equal(plan.possible, true);
  assert.ok(plan.steps.every((step) => step.do !== "scale"));
});

describe("a replica that has no place today", () => {
  const asked = { nodes: { by: "names", names: [gpus[1] ?? ""] }, actor: null } as const;
  const plan = planReport(readExample("openshift-no-room"), asked);

  test("is what one node more helps with: it comes up first", () => {
    assert.equal(plan.possible, false);
    assert.match(
      plan.leastHelp,
      /^One more node like ip-10-0-75-166\S+ while it lasts\. Then all of Deployment demo-models\/chat-kserve/,
    );
  });

  test("counts from the start", () => {
    assert.deepEqual(
      plan.capacity.map(({ overTime }) => Math.round((overTime[0]?.capacity ?? 0) * 100)),
      [67, 67],
    );
  });
});

test("after each node every part is waited for by a command that comes back", () => {
  const plan = planReport(readExample("openshift-two-replicas"), { nodes: { by: "names", names: gpus }, actor: null });
  const waits = plan.steps.filter(({ do: what, ref }) => what === "waitReady" && ref === "");
  assert.equal(waits.length, 2);
  for (const { command } of waits) {
    assert.match(command, /kubectl rollout status -n demo-models deployment\/chat-kserve --timeout=\d+s/);
    assert.ok(
      command
        .split("\n")
        .every((line) => line.startsWith("kubectl rollout status ") || line.startsWith("kubectl wait ")),
    );
  }
});

test("a picker that only the composition can double: no plan, the gap in seconds, and the help", () => {
  const plan = planReport(readExample("modelplane-incident"), {
    nodes: { by: "names", names: ["computeinstance-e00c4m8q1w7zk2d5t1", "computeinstance-e00c4m8q1w7zk2d5t2"] },
    actor: null,
  });
  assert.equal(plan.possible, false);
  assert.match(plan.because, /Endpoint picker \(mp-ml-team-5f2a9c\/chat-0-epp\) cannot be doubled here/);
  assert.ok(plan.gaps.some(({ hop, seconds }) => hop === "Endpoint picker" && (seconds ?? 0) > 0));
  assert.match(plan.leastHelp, /holdfast fix/);
});
