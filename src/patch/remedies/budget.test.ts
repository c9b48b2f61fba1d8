import assert from "node:assert/strict";
import { test } from "node:test";
import { budget as budgetObject, deployment, nodes, service } from "../../../scripts/recordings/objects.ts";
import { fixReport, snapshotOf } from "../../../test/support/fix.ts";
import { buildCluster } from "../../model/build.ts";
import { endpointsOf } from "../../route/build.ts";
import { Journal } from "../../sim/journal.ts";
import { Ledger } from "../../sim/ledger.ts";
import type { Hop } from "../../systems/endpoint.ts";
import { KeptObjects } from "../kept-objects.ts";
import { sitesOf } from "../site.ts";
import { budget } from "./budget.ts";

/** The numbers of the budget over two units of engines whose owner has no scale. */
function numbers(unit: Hop["unit"]): unknown {
  const kept = new KeptObjects();
  const selector = { model: "m1" };
  const engines = deployment("blue", "g1 g2", { gpu: 1, labels: selector });
  const all = [...nodes("g1 g2", { gpu: 1 }), service("m1", "", "serving", { selector }), ...engines];
  const cluster = buildCluster(kept.watching(snapshotOf(JSON.parse(JSON.stringify(all)))));
  const view = new Ledger(cluster, new Journal());
  const sites = sitesOf({ view, kept, endpoints: endpointsOf(cluster).endpoints });
  const [first] = sites;
  assert.ok(first !== undefined);
  const site = { ...first, workload: null, hop: { ...first.hop, unit } };
  const [edit] = budget.propose(site, { cluster, view, kept, unitsAfter: () => 2, changed: [site] });
  const spec = edit?.act.do === "create" ? edit.act.object["spec"] : null;
  return spec === null || spec === undefined ? null : { ...Object(spec), selector: null };
}

test("without a scale a budget counts pods, those of groups too", () => {
  assert.deepEqual(numbers({ kind: "pod" }), { minAvailable: 1, selector: null });
  assert.deepEqual(numbers({ kind: "group", groupLabel: "group", size: 4 }), { minAvailable: 7, selector: null });
});

test("a budget of a version that no server knows any more is written in the one that is", () => {
  const old = { ...budgetObject("m1", { min: 2, status: [2, 2] }), apiVersion: "policy/v1beta1" };
  const objects = [...nodes("g1 g2 g3", { gpu: 1 }), ...deployment("m1", "g1 g2", { gpu: 1 }), service("m1"), old];
  const { changes } = fixReport(snapshotOf(JSON.parse(JSON.stringify(objects))));
  const patches = changes.map(({ patch }) => JSON.parse(patch));
  assert.deepEqual(patches, [{ apiVersion: "policy/v1", spec: { minAvailable: null, maxUnavailable: 1 } }]);
});
