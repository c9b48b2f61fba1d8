import assert from "node:assert/strict";
import { test } from "node:test";
import { template } from "../../../../test/support/tiny.ts";
import type { Requirement } from "../../../model/labels.ts";
import { TemplateIndex } from "./template-index.ts";

test("templates are found by a label, those that came after it was asked for too", () => {
  const index = new TemplateIndex();
  const found = (namespaces: readonly string[] | "all", ...requirements: readonly Requirement[]): readonly string[] =>
    index.mayMatch(namespaces, { requirements, invalid: false }).map(({ labels }) => labels.get("n") ?? "");
  const isWeb: Requirement = { key: "app", operator: "In", values: ["web"] };
  const add = (n: string, namespace: string, app: string): void => {
    const labels = new Map([
      ["n", n],
      ["app", app],
    ]);
    index.add(template(app, { namespace, labels }));
  };
  add("1", "a", "web");
  add("2", "a", "db");
  add("3", "b", "web");
  assert.deepEqual(found(["a"], isWeb), ["1"]);
  add("4", "a", "web");
  assert.deepEqual(found(["a"], isWeb), ["1", "4"]);
  assert.deepEqual(found(["b", "a", "b"], isWeb), ["3", "1", "4"]);
  assert.deepEqual(found("all", isWeb), ["1", "4", "3"]);
  assert.deepEqual(found(["a"], { key: "app", operator: "Exists", values: [] }), ["1", "2", "4"]);
  assert.deepEqual(found(["c"], isWeb), []);
  assert.deepEqual(index.mayMatch(["a"], { requirements: [], invalid: true }), []);
});
