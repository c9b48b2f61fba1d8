import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, node, pod, template } from "../../test/support/tiny.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { sortedOut } from "./node-pods.ts";

test("what stands on a node is counted anew when a pod leaves, is patched, or that is taken back", () => {
  const web = template("web");
  const ledger = new Ledger(
    cluster({
      nodes: [node("n1")],
      pods: ["a", "b"].map((name) => pod(name, { nodeName: "n1", template: web })),
    }),
    new Journal(),
  );
  const counts = (): readonly string[] => {
    const there = ledger.node("n1");
    assert.ok(there);
    return [...sortedOut(there).byTemplate].map(
      ([{ labels }, { all, staying }]) => `${labels.get("app")} ${all} ${staying}`,
    );
  };
  assert.deepEqual(counts(), ["web 2 2"]);
  const mark = ledger.journal.mark();
  ledger.markTerminating("ns/a", false);
  assert.deepEqual(counts(), ["web 2 1"]);
  ledger.setTemplate("ns/b", template("other"));
  assert.deepEqual(counts(), ["web 1 0", "other 1 1"]);
  ledger.removePod("ns/a");
  assert.deepEqual(counts(), ["other 1 1"]);
  ledger.journal.undoTo(mark);
  assert.deepEqual(counts(), ["web 2 2"]);
});
