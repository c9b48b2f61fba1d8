import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, type Item, node, nodes, service } from "../../scripts/recordings/objects.ts";
import { noTiming } from "../../src/cli/timing-fields.ts";
import { kubectlDrain } from "../../src/maintenance/actors/kubectl-drain.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { judgeTimed } from "../../src/search/judge.ts";
import { type Argued, argue } from "../../src/search/n-minus-one/argue.ts";
import { groundOf } from "../../src/search/n-minus-one/ground.ts";
import { lossOf } from "../../src/search/n-minus-one/loss.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import { built } from "../search/built.ts";

interface Found {
  readonly because: Argued["because"] | null;
  readonly verdict: string | undefined;
}

test("what one that is driven out elsewhere takes is not room for one that drives out nobody", () => {
  const found = (preemptionPolicy: string): Found =>
    drainOfFirst([
      node("n1", { gpu: 1, cpu: "20", labels: { engines: "yes" } }),
      node("n2", { cpu: "2", labels: { engines: "yes" } }),
      node("n3", { cpu: "11", labels: { engines: "yes", others: "yes" } }),
      node("n4", { gpu: 1, cpu: "8", labels: { others: "yes" } }),
      ...deployment("strong", "n1", { gpu: 1, spec: { priority: 9 } }),
      ...deployment("weak", "n4", { cpu: "8", spec: { priority: 0, nodeSelector: { others: "yes" } } }),
      ...deployment("m1", "n1 n1 n1 n2", {
        cpu: "2",
        spec: { priority: 9, preemptionPolicy, nodeSelector: { engines: "yes" } },
      }),
      budget("m1", { max: 1 }),
    ]);
  assert.deepEqual(found("PreemptLowerPriority"), { because: "held", verdict: "safe" });
  assert.deepEqual(found("Never"), { because: null, verdict: "stalls" });
});

test("what a pod owns is gone with it, wherever it is", () => {
  const boss = deployment("boss", "g1", { gpu: 0 });
  const above = boss.find(({ kind }) => kind === "Pod")?.metadata;
  const owner = { apiVersion: "v1", kind: "Pod", name: above?.name, uid: above?.["uid"], controller: true };
  const found = (more: object): Found =>
    drainOfFirst([
      ...nodes("g1 g2", { gpu: 1 }),
      ...boss,
      ...deployment("m1", "g2", { gpu: 1 }).map((object) =>
        object.kind === "Deployment" ? { ...object, metadata: { ...object.metadata, ...more } } : object,
      ),
    ]);
  assert.deepEqual(found({}), { because: "untouched", verdict: "safe" });
  assert.deepEqual(found({ ownerReferences: [owner] }), { because: null, verdict: "unsafe" });
});

/** Why the endpoint stands while the first node is drained, null where that is not argued; and what is played. */
function drainOfFirst(objects: readonly Item[]): Found {
  const { metadata, ...ofService } = service("m1");
  const marked = { ...ofService, metadata: { ...metadata, annotations: { "holdfast.dev/endpoint": "m1" } } };
  const cluster = built(JSON.parse(JSON.stringify([...objects, marked])));
  const timing = timingOf(cluster, noTiming);
  const watched = { cluster, ...endpointsOf(cluster), timing, states: 2_000, horizonMs: 86_400_000 };
  const { standing, rooms } = groundOf(watched);
  const steps = [maintenanceOf(cluster, kubectlDrain, cluster.nodes.slice(0, 1), "any")];
  const loss = lossOf(standing, steps);
  const [endpoint] = watched.endpoints;
  assert.ok(loss !== null && endpoint !== undefined);
  const played = judgeTimed({ ...watched, steps, choices: [] }, "feasible");
  return { because: argue(standing, rooms, loss, endpoint)?.because ?? null, verdict: played.endpoints[0]?.verdict };
}
