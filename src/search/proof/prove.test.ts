import assert from "node:assert/strict";
import { test } from "node:test";
import { poolCluster, type Shape } from "../../../test/search/pool-cluster.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import { loadText } from "../../load/from-files.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { aksUpgrade } from "../../maintenance/actors/aks-upgrade.ts";
import { aksUpgradeQuarantine } from "../../maintenance/actors/aks-upgrade-quarantine.ts";
import { eksManaged } from "../../maintenance/actors/eks-managed.ts";
import { gardener } from "../../maintenance/actors/gardener.ts";
import { gkeBlueGreen } from "../../maintenance/actors/gke-blue-green.ts";
import { gkeSurge } from "../../maintenance/actors/gke-surge.ts";
import { karpenter } from "../../maintenance/actors/karpenter.ts";
import { kured } from "../../maintenance/actors/kured.ts";
import { nebius } from "../../maintenance/actors/nebius.ts";
import { buildCluster } from "../../model/build.ts";
import { endpointsOf } from "../../route/build.ts";
import { maintenanceOf } from "../../sim/plan-scenario.ts";
import { timingOf } from "../../sim/timing.ts";
import { judgeTimed, type Question } from "../judge.ts";
import { prove } from "./prove.ts";

const small: Shape = {
  nodes: 5,
  endpoints: 2,
  others: 6,
  fill: 0.5,
  free: 1,
  budgets: 0.8,
  spread: 0.7,
  alike: false,
  kured: true,
};

function question(
  seed: number,
  shape: Shape,
  inPods = "",
  edited: (object: string) => string = (object) => object,
): Question {
  const text = poolCluster(seed, shape).map((object) =>
    edited(JSON.stringify(object).replaceAll('"containers":', `${inPods}"containers":`)),
  );
  const cluster = buildCluster(loadText(text.join("\n"), "generated.ndjson"));
  const { endpoints, supporting } = endpointsOf(cluster);
  return {
    cluster,
    steps: [maintenanceOf(cluster, kured, cluster.nodes, "any")],
    endpoints,
    supporting,
    timing: timingOf(cluster, noTiming),
    states: 150,
    horizonMs: 86_400_000,
    choices: [],
  };
}

test("nothing that is proved breaks or stalls in any course that is played", () => {
  const shapes: readonly (readonly [Shape, number])[] = [
    [small, 40],
    [{ ...small, budgets: 0, spread: 1 }, 15],
  ];
  for (const [shape, seeds] of shapes) {
    let proofs = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const asked = question(seed, shape);
      const proved = prove(asked);
      if (proved.size === 0) continue;
      const judged = judgeTimed(asked, "feasible");
      for (const { endpoint, verdict } of judged.endpoints) {
        if (!proved.has(endpoint)) continue;
        proofs += 1;
        assert.ok(verdict === "safe" || verdict === "undecided", `seed ${seed}: ${endpoint.namespace} is ${verdict}`);
      }
    }
    assert.ok(proofs >= 10, `only ${proofs} proofs to hold against courses`);
  }
});

const byActor: readonly (readonly [Actor, Partial<Shape>, "proved" | "open"])[] = [
  // A new node is there before an old one is closed: two nodes are enough for two pods that keep apart.
  [gkeSurge, { nodes: 3 }, "proved"],
  [gardener, { nodes: 3 }, "proved"],
  [gkeBlueGreen, { nodes: 3 }, "proved"],
  // All are closed, and the lent ones take what a few nodes hold.
  [eksManaged, {}, "proved"],
  [eksManaged, { nodes: 12, others: 40, fill: 0.98 }, "proved"],
  [aksUpgrade, { nodes: 4 }, "proved"],
  // Those that fail stay closed.
  [aksUpgradeQuarantine, { nodes: 4 }, "open"],
  // It leaves a node alone while a budget does not let all of its pods go: two of one part must never meet.
  [karpenter, { nodes: 8 }, "proved"],
  [karpenter, { nodes: 8, spread: 0 }, "open"],
  // All are closed and none comes beside them.
  [nebius, {}, "open"],
];

for (const [actor, more, expected] of byActor) {
  test(`${actor.name} with ${JSON.stringify(more)}: ${expected}, and what is proved holds in courses that are played`, () => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const asked = question(seed, { ...small, alike: true, budgets: 1, spread: 1, kured: false, ...more });
      const { cluster } = asked;
      const by = { ...asked, states: 40, steps: [maintenanceOf(cluster, actor, cluster.nodes, "any")] };
      const proved = prove(by);
      assert.equal(proved.size > 0 ? "proved" : "open", expected, `seed ${seed}`);
      if (proved.size === 0) continue;
      for (const { endpoint, verdict } of judgeTimed(by, "feasible").endpoints) {
        if (proved.has(endpoint)) assert.ok(verdict === "safe" || verdict === "undecided", `seed ${seed}: ${verdict}`);
      }
    }
  });
}

test("a pod that tolerates the taint a node is closed with is not proved", () => {
  const held = (inPods: string): boolean => {
    const asked = question(1, { ...small, nodes: 8, alike: true, budgets: 1, spread: 1, kured: false }, inPods);
    const { cluster } = asked;
    return prove({ ...asked, steps: [maintenanceOf(cluster, karpenter, cluster.nodes, "any")] }).size > 0;
  };
  const tolerating = (key: string): string =>
    `"tolerations":${JSON.stringify([{ key, operator: "Exists", effect: "NoSchedule" }])},`;
  assert.ok(held(tolerating("kept")));
  assert.ok(!held(tolerating("karpenter.sh/disrupted")));
});

test("without a budget pods that keep apart are proved, while each serves before the next node's turn", () => {
  const apart = { ...small, budgets: 0, spread: 1 };
  const proved = prove(question(1, apart));
  assert.ok(proved.size > 0);
  for (const { rests } of proved.values()) {
    for (const rest of rests) assert.ok(rest.kind === "time" && rest.atMostMs === kured.nodeDownMs - 1);
    assert.ok(rests.length > 0);
  }
  assert.equal(prove(question(1, { ...apart, spread: 0 })).size, 0);
  const asked = question(1, apart);
  const slow = { leastMs: kured.nodeDownMs, mostMs: kured.nodeDownMs };
  const timing = timingOf(asked.cluster, { ...noTiming, podStart: [{ pattern: "*", span: slow }] });
  assert.equal(prove({ ...asked, timing }).size, 0);
  const short = { leastMs: 10_000, mostMs: kured.nodeDownMs };
  assert.equal(prove({ ...asked, timing: timingOf(asked.cluster, { ...noTiming, nodeDown: short }) }).size, 0);
});

test("a spread over nodes keeps pods apart as anti-affinity does, while there are more nodes than pods", () => {
  const provedOf = (shape: Partial<Shape>, maxSkew: number): number => {
    const { cluster, ...asked } = question(1, { ...small, spread: 1, alike: true, ...shape }, "", (pod) =>
      pod.replaceAll(
        /"affinity":\{"podAntiAffinity":\{"requiredDuringSchedulingIgnoredDuringExecution":\[\{"topologyKey":"kubernetes.io\/hostname","labelSelector":(\{"matchLabels":\{[^}]*\}\})\}\]\}\}/g,
        (_, selector) =>
          `"topologySpreadConstraints":[{"maxSkew":${maxSkew},"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","labelSelector":${selector}}]`,
      ),
    );
    return prove({ ...asked, cluster }).size;
  };
  assert.ok(provedOf({ budgets: 1 }, 1) > 0);
  assert.ok(provedOf({ budgets: 1 }, 2) > 0);
  assert.ok(provedOf({ budgets: 0 }, 1) > 0);
  // Two may meet: whoever drains that node takes both.
  assert.equal(provedOf({ budgets: 0 }, 2), 0);
  assert.equal(provedOf({ budgets: 0, nodes: 2 }, 1), 0);
});

test("a node that is drained alone has no next one's turn to wait for", () => {
  const asked = question(1, { ...small, budgets: 0, spread: 1 });
  const one = { ...asked, steps: [maintenanceOf(asked.cluster, kured, asked.cluster.nodes.slice(0, 1), "any")] };
  const proved = prove(one);
  assert.ok(proved.size > 0);
  for (const { rests } of proved.values()) assert.deepEqual(rests, []);
});

test("a full cluster is not proved: a replacement may find no room", () => {
  assert.equal(prove(question(1, { ...small, others: 40, fill: 0.98 })).size, 0);
});

test("pods that tolerate the cordon are not proved: they may come to a drained node and go down with it", () => {
  const provedTolerating = (key: string): number => {
    const tolerations = JSON.stringify([{ key, operator: "Exists", effect: "NoSchedule" }]);
    return prove(question(1, { ...small, budgets: 1 }, `"tolerations":${tolerations},`)).size;
  };
  assert.ok(provedTolerating("kept") > 0);
  assert.equal(provedTolerating("node.kubernetes.io/unschedulable"), 0);
});
