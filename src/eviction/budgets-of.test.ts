import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, cluster, deployment, labels, pod, replicaSet, selects, template } from "../../test/support/tiny.ts";
import { matches } from "../model/labels.ts";
import type { BudgetView, PodView } from "../model/view.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { budgetsOf, podsOf } from "./budgets-of.ts";

const elsewhere = { ...budget("elsewhere"), ref: { ...budget("elsewhere").ref, namespace: "other" } };
const negative = { requirements: [{ key: "tier", operator: "NotIn" as const, values: ["db"] }], invalid: false };
const either = { requirements: [{ key: "app", operator: "In" as const, values: ["web", "api"] }], invalid: false };
const budgets = [
  budget("tier", { selector: selects({ tier: "front" }) }),
  budget("app", { selector: selects({ app: "web" }) }),
  budget("both", { selector: selects({ app: "api", tier: "front" }) }),
  budget("all", { selector: { requirements: [], invalid: false } }),
  budget("none", { selector: null }),
  budget("invalid", { selector: { ...selects({ app: "web" }), invalid: true } }),
  budget("not", { selector: negative }),
  budget("either", { selector: either }),
  elsewhere,
];
const owner = replicaSet("web");
const made = template("web", { labels: labels({ app: "web", tier: "front" }) });
const pods = [
  pod("a", { owner: owner.key, template: made }),
  pod("b", { owner: owner.key, template: template("api", { labels: labels({ app: "api", tier: "front" }) }) }),
  pod("c", { owner: owner.key, template: template("db", { labels: labels({ app: "web", tier: "db" }) }) }),
  pod("d", { owner: owner.key, template: template("x", { labels: labels({}) }) }),
];

const takes = ({ budget: { ref, selector } }: BudgetView, { namespace, template: { labels: own } }: PodView): boolean =>
  ref.namespace === namespace && selector !== null && matches(selector, own);

/** Each of them asked of every other. */
function isAsAsked(ledger: Ledger): void {
  for (const one of ledger.pods)
    assert.deepEqual(
      budgetsOf(ledger, one),
      ledger.budgets.filter((over) => takes(over, one)),
      one.key,
    );
  for (const over of ledger.budgets)
    assert.deepEqual(
      podsOf(ledger, over),
      [...ledger.pods].filter((one) => takes(over, one)),
      over.budget.key,
    );
}

test("budgets over a pod stand in list order, and pods of a budget in that of creation", () => {
  const ledger = new Ledger(cluster({ pods, budgets }), new Journal());
  isAsAsked(ledger);
  const over = ledger.podsIn("ns").map((one) => budgetsOf(ledger, one).map(({ budget: { ref } }) => ref.name));
  assert.deepEqual(over, [
    ["tier", "app", "all", "not", "either"],
    ["tier", "both", "all", "not", "either"],
    ["app", "all", "either"],
    ["all", "not"],
  ]);
});

test("pods of a template that comes later are found by budgets that were asked before", () => {
  const ledger = new Ledger(cluster({ pods, budgets, workloads: [deployment("web"), owner] }), new Journal());
  isAsAsked(ledger);
  const later = [labels({ app: "web", tier: "back" }), labels({ app: "new" }), labels({ app: "api", tier: "front" })];
  for (const own of later) {
    const grown = template("web", { labels: own });
    ledger.createPod({ owner: owner.key, namespace: "ns", name: null, template: grown, ordinal: null, revision: "" });
    isAsAsked(ledger);
  }
  assert.equal([...ledger.pods].length, pods.length + later.length);
});
