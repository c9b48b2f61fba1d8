import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetsOf } from "./component-cells.ts";
import type { Component, PathBudget } from "./types.ts";

function cell(stated: Pick<PathBudget, "minAvailable" | "maxUnavailable" | "disruptionsAllowed">): string {
  const part: Pick<Component, "budgets" | "outside"> = { budgets: [{ name: "b", ...stated }], outside: "" };
  return budgetsOf(part);
}

test("a budget is told as it is written, and that it lets none go", () => {
  assert.equal(cell({ minAvailable: "50%", maxUnavailable: null, disruptionsAllowed: 1 }), "minAvailable 50%");
  assert.equal(cell({ minAvailable: null, maxUnavailable: 0, disruptionsAllowed: 0 }), "maxUnavailable 0, allows 0");
});

test("a budget that states neither is not told as one of minAvailable 1", () => {
  assert.equal(cell({ minAvailable: null, maxUnavailable: null, disruptionsAllowed: 0 }), "states nothing, allows 0");
});
