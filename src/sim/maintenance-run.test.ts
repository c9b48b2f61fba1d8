import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import type { Actor } from "../maintenance/actor.ts";
import { eksAuto } from "../maintenance/actors/eks-auto.ts";
import { gardener } from "../maintenance/actors/gardener.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { talos } from "../maintenance/actors/talos.ts";
import { actors } from "../maintenance/registry.ts";
import type { Cluster } from "../model/cluster.ts";
import { maintenanceOf } from "./plan-scenario.ts";
import type { ScenarioTiming } from "./scenario.ts";
import { optionCount, Simulation } from "./simulation.ts";
import { StateKeys } from "./state-key.ts";
import { timingOf } from "./timing.ts";

const scenarios = join(import.meta.dirname, "..", "..", "test", "scenarios");
const read = (name: string): string => readFileSync(join(scenarios, name), "utf8");
const three = clusterFrom(read("actors.yaml"), { problemsAllowed: true });

const timing: ScenarioTiming = {
  nodeDown: null,
  podStart: [{ pattern: "*", span: { leastMs: 30_000, mostMs: 30_000 } }],
  podReady: [],
  podStop: [],
  drainTimeoutMs: null,
  retryMs: null,
};

function simulationOf(cluster: Cluster, actor: Actor, timed = true): Simulation {
  return new Simulation(
    cluster,
    [maintenanceOf(cluster, actor, cluster.nodes.slice(0, 2), "any")],
    { endpoints: [], supporting: [] },
    {
      timed,
      startUps: "that-matter",
      evictions: "by-name",
      placement: "top",
      timing: timingOf(cluster, timing),
      span: "most",
      horizonMs: 48 * 3_600_000,
    },
  );
}

/** Plays to the end by first options, or the last ones. */
function playOut(sim: Simulation, last: boolean): void {
  for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) {
    const { choice } = stop;
    const options = optionCount(choice);
    sim.choose(last ? options - 1 : 0);
  }
}

for (const timed of [true, false]) {
  for (const actor of actors) {
    test(`${actor.name} leaves nothing behind when it is taken back${timed ? "" : ", untimed"}`, () => {
      const sim = simulationOf(three, actor, timed);
      const keys = new StateKeys(three);
      sim.run();
      const mark = sim.journal.mark();
      const before = keys.of(sim);
      playOut(sim, false);
      const first = JSON.stringify(sim.timeline);
      sim.journal.undoTo(mark);
      assert.equal(keys.of(sim), before);
      playOut(sim, true);
      sim.journal.undoTo(mark);
      assert.equal(keys.of(sim), before);
      playOut(sim, false);
      assert.equal(JSON.stringify(sim.timeline), first);
    });
  }
}

const said = (sim: Simulation): readonly string[] =>
  sim.timeline.map(({ atMs, fact }) => {
    const { type, ...rest } = fact;
    return `${atMs / 1000} ${type} ${Object.values(rest).slice(0, 3).join(" ")}`;
  });

test("the only node to take next is no choice; of several any may be next", () => {
  const sim = simulationOf(three, kubectlDrain);
  const stop = sim.run();
  assert.deepEqual(stop, { kind: "choice", choice: { kind: "next-node", nodes: ["n1", "n2"] } });
});

test("a node of Gardener that is not ready is emptied at once, without grace", () => {
  const lost = {
    ...three,
    nodes: three.nodes.map((node) =>
      node.name === "n1"
        ? { ...node, ready: false, conditions: [{ type: "Ready", status: "Unknown", reason: "", message: "" }] }
        : node,
    ),
  };
  const sim = simulationOf(lost, { ...gardener, surge: null });
  playOut(sim, false);
  const deletions = said(sim).filter((line) => line.includes("pod-deleted") && line.includes("gardener"));
  assert.deepEqual(deletions, [
    "0 pod-deleted demo/one-a n1 gardener",
    "0 pod-deleted demo/solo n1 gardener",
    "0 pod-deleted demo/web-a n1 gardener",
  ]);
});

test("talosctl restarts all nodes when all are drained, and none when one is not", () => {
  const nodesOf = (cluster: Cluster): readonly string[] => {
    const sim = simulationOf(cluster, talos);
    playOut(sim, false);
    return said(sim).filter((line) => /drain-completed|node-(down|up|uncordoned)/.test(line));
  };
  const blocked = nodesOf(three).map((line) => line.split(" ").slice(0, 4).join(" "));
  assert.deepEqual(blocked, ["35 drain-completed n2 completed", "300 drain-completed n1 failed"]);
  const free = { ...three, budgets: [] };
  assert.deepEqual(
    nodesOf(free).map((line) => line.split(" ").slice(1, 3).join(" ")),
    [
      ...["drain-completed n1", "drain-completed n2", "node-down n1", "node-down n2"],
      ...["node-up n1", "node-uncordoned n1", "node-up n2", "node-uncordoned n2"],
    ],
  );
});

test("a grace longer than what is left of an actor's limit is cut to it", () => {
  const slow = bare("a", "[]")
    .replace("spec: {", "spec: {terminationGracePeriodSeconds: 600, ")
    .replace("image: example/main", "image: example/main, lifecycle: {preStop: {sleep: {seconds: 300}}}");
  const held = slow.replace("namespace: demo", 'namespace: demo, annotations: {karpenter.sh/do-not-disrupt: "true"}');
  const cluster = clusterFrom(oneNode + held, { problemsAllowed: true });
  const endedAt = (minutes: number): readonly string[] => {
    const drain = { ...eksAuto.drain, holdsForMs: minutes * 60_000 };
    const sim = simulationOf(cluster, { ...eksAuto, surge: null, drain });
    playOut(sim, false);
    return said(sim).filter((line) => /pod-deleted|drain-completed/.test(line));
  };
  assert.deepEqual(endedAt(20), ["600 pod-deleted demo/a n1 eks-auto", "905 drain-completed n1 forced"]);
  assert.deepEqual(endedAt(2), ["0 pod-deleted demo/a n1 eks-auto", "120 drain-completed n1 forced"]);
});

test("pods with volumes go one by one where the actor says so", () => {
  const cluster = clusterFrom(withVolumes, { problemsAllowed: true });
  const evictions = (actor: Actor): readonly string[] => {
    const sim = simulationOf(cluster, actor);
    playOut(sim, false);
    return said(sim).filter((line) => line.includes("eviction demo"));
  };
  assert.deepEqual(evictions({ ...gardener, surge: null }), [
    "0 eviction demo/a n1 201",
    "0 eviction demo/c n1 201",
    "5 eviction demo/b n1 201",
  ]);
  assert.deepEqual(evictions({ ...gardener, surge: null, drain: { ...gardener.drain, volumesOneByOne: false } }), [
    "0 eviction demo/a n1 201",
    "0 eviction demo/b n1 201",
    "0 eviction demo/c n1 201",
  ]);
});

const bare = (name: string, volumes: string): string => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: demo}
spec: {nodeName: n1, volumes: ${volumes}, containers: [{name: main, image: example/main}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
`;
const oneNode = `apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
`;
const withVolumes = `${oneNode}${bare("a", "[{name: d, persistentVolumeClaim: {claimName: a}}]")}${bare("b", "[{name: d, persistentVolumeClaim: {claimName: b}}]")}${bare("c", "[]")}`;

test("what could turn an eviction's answer and is not modelled is said", () => {
  const webhook = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
  - name: guard.example.com
    failurePolicy: Fail
    clientConfig: {service: {namespace: guard, name: guard}}
    rules: [{apiGroups: [""], apiVersions: ["v1"], resources: ["pods/eviction"], operations: ["CREATE"]}]
`;
  const sim = simulationOf(clusterFrom(read("actors.yaml") + webhook, { problemsAllowed: true }), kubectlDrain);
  playOut(sim, true);
  assert.deepEqual(
    [...sim.notModelled.keys()],
    [
      'webhook "guard.example.com" of ValidatingWebhookConfiguration guard must answer, and its Service is not in the input',
    ],
  );
});

test("a drain that ends by force names what held it until then", () => {
  const sim = simulationOf(three, { ...gardener, surge: null });
  for (let stop = sim.run(); stop.kind === "choice"; stop = sim.run()) sim.choose(0);
  const forced = sim.drains.filter(({ outcome }) => outcome === "forced");
  assert.ok(forced.length > 0, "one is forced");
  for (const { blockedBy } of forced) assert.ok(blockedBy.length > 0);
});
