import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, type Item, nodes, service } from "../../../scripts/recordings/objects.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import { buildCluster } from "../../model/build.ts";
import { endpointsOf } from "../../route/build.ts";
import { Journal } from "../../sim/journal.ts";
import { Ledger } from "../../sim/ledger.ts";
import { KeptObjects } from "../kept-objects.ts";
import { sitesOf } from "../site.ts";
import { jointBudget } from "./joint-budget.ts";

/** What it proposes for the first of the engines behind one Service; with `only`, where no other of them is changed. */
function proposed(items: readonly Item[], only = false): readonly string[] {
  const kept = new KeptObjects();
  const all = [...nodes("g1 g2 g3", { gpu: 1 }), service("m1", "", "serving", { selector: { model: "m1" } }), ...items];
  const cluster = buildCluster(kept.watching(snapshotOf(JSON.parse(JSON.stringify(all)))));
  const view = new Ledger(cluster, new Journal());
  const sites = sitesOf({ view, kept, endpoints: endpointsOf(cluster).endpoints });
  const [first] = sites;
  assert.ok(first !== undefined);
  const bench = { cluster, view, kept, unitsAfter: ({ units }: { readonly units: number }) => units };
  return jointBudget
    .propose(first, { ...bench, changed: only ? [first] : sites })
    .map(({ act, target }) => `${act.do} ${target.name}`);
}

const engine = (name: string, places: string, labels: object = {}): readonly Item[] =>
  deployment(name, places, { gpu: 1, labels: { model: "m1", ...labels } });
const pair = [engine("blue", "g1"), engine("green", "g2")].flat();
const each = ["blue", "green"].map((name) => budget(name, { min: 1 }));
const over = (labels: object, max: number): Item => budget("all", { max, selector: { matchLabels: labels } });

test("one budget over engines of one unit each", () => {
  assert.deepEqual(proposed(pair), ["create m1-engines"]);
  assert.deepEqual(proposed([...pair, ...each]), ["delete blue", "delete green", "create m1-engines"]);
  assert.deepEqual(proposed([...pair, over({ model: "m1" }, 2)]), ["delete all", "create m1-engines"]);
});

test("none where one is right already, where not all of them are changed, or where one has more units", () => {
  assert.deepEqual(proposed([...pair, over({ model: "m1" }, 1)]), []);
  assert.deepEqual(proposed(pair, true), []);
  assert.deepEqual(proposed([...engine("blue", "g1 g2"), ...engine("green", "g3")]), []);
});
