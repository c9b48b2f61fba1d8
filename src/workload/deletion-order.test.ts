import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, labels, node, pod, replicaSet, template } from "../../test/support/tiny.ts";
import type { Pod } from "../model/pod.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { inDeletionOrder } from "./deletion-order.ts";

/** Order read from pkg/controller/controller_utils.go ActivePodsWithRanks.Less, v1.36.3. */

const hour = 3_600_000;
const owner = replicaSet("web");

function first(about: string, loser: Partial<Pod>, other: Partial<Pod>, related: readonly Pod[] = []): void {
  for (const swapped of [false, true]) {
    test(`deletion order: ${about}${swapped ? ", told the other way round" : ""}`, () => {
      const a = pod("loser", { owner: owner.key, ...loser });
      const b = pod("other", { owner: owner.key, ...other });
      const pods = [...(swapped ? [b, a] : [a, b]), ...related];
      const ledger = new Ledger(cluster({ workloads: [owner], pods, nodes: [node("n1"), node("n2")] }), new Journal());
      const both = ledger.podsOwnedBy(owner.key).filter(({ name }) => name === "loser" || name === "other");
      const order = inDeletionOrder(both, { related: [...ledger.pods], nowMs: 0 });
      assert.deepEqual(
        order.map(({ name }) => name),
        ["loser", "other"],
      );
    });
  }
}

const cheap = template("web", { annotations: labels({ "controller.kubernetes.io/pod-deletion-cost": "-5" }) });
const dear = template("web", { annotations: labels({ "controller.kubernetes.io/pod-deletion-cost": "10" }) });

first("not bound before bound", { nodeName: "", phase: "Pending", ready: false }, { ready: false, phase: "Pending" });
first("pending before running", { phase: "Pending", ready: false }, { ready: false });
first("unready before ready", { ready: false }, { template: cheap });
first("lower deletion cost before more pods on the node", { template: cheap, nodeName: "n2" }, { nodeName: "n1" }, [
  pod("third"),
]);
first("a cost against none", {}, { template: dear });
first("more related pods on the node", { nodeName: "n1", readyAtMs: hour }, { nodeName: "n2", readyAtMs: 40 * hour }, [
  pod("third"),
  pod("edge", { readyAtMs: 40 * hour, nodeName: "n1" }),
]);
first("ready for a shorter time", { readyAtMs: 40 * hour, restarts: 0 }, { readyAtMs: hour, restarts: 9 });
first("more restarts at the same moment", { restarts: 2, readyAtMs: 5000 }, { restarts: 1, readyAtMs: 5000 });
first("younger", { ready: false, createdAtMs: 40 * hour }, { ready: false, createdAtMs: hour });

test("deletion order: terminating pods do not double a node up", () => {
  const pods = [
    pod("a", { owner: owner.key, nodeName: "n1" }),
    pod("b", { owner: owner.key, nodeName: "n2", restarts: 1 }),
    pod("going", { deleting: true, nodeName: "n1" }),
  ];
  const ledger = new Ledger(cluster({ workloads: [owner], pods }), new Journal());
  const order = inDeletionOrder(ledger.podsOwnedBy(owner.key), { related: [...ledger.pods], nowMs: 0 });
  assert.equal(order[0]?.name, "b");
});

test("deletion order: ages alike in logarithm fall to the draw, not to restarts", () => {
  const day = 24 * hour;
  const pods = [
    pod("a", { owner: owner.key, readyAtMs: 1000, restarts: 5 }),
    pod("b", { owner: owner.key, readyAtMs: 60_000 }),
    pod("now", { readyAtMs: day }),
  ];
  const ledger = new Ledger(cluster({ workloads: [owner], pods }), new Journal());
  const order = inDeletionOrder(ledger.podsOwnedBy(owner.key), { related: [], nowMs: 0 });
  assert.equal(order[0]?.name, "b");
});

test("deletion order: pods alike in everything go as the controller saw them, the first one first", () => {
  const pods = ["a", "b", "c"].map((name, at) => pod(name, { owner: owner.key, nodeName: `n${at + 1}` }));
  const ledger = new Ledger(cluster({ workloads: [owner], pods }), new Journal());
  const order = inDeletionOrder(ledger.podsOwnedBy(owner.key), { related: [...ledger.pods], nowMs: 0 });
  assert.deepEqual(
    order.map(({ name }) => name),
    ["a", "b", "c"],
  );
});
