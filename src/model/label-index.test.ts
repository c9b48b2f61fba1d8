import assert from "node:assert/strict";
import { test } from "node:test";
import { LabelIndex, namedLabel } from "./label-index.ts";

test("things are found by the labels of a pod, in its namespace alone", () => {
  const index = new LabelIndex<string>();
  index.add("a", "app", "chat", "one");
  index.add("a", "app", "chat", "two");
  index.add("a", "tier", "front", "three");
  index.add("b", "app", "chat", "elsewhere");
  const labels = new Map([
    ["app", "chat"],
    ["tier", "back"],
  ]);
  assert.deepEqual(index.about("a", labels), ["one", "two"]);
  assert.deepEqual(index.about("c", labels), []);
  assert.deepEqual(index.about("a", new Map([["tier", "front"]])), ["three"]);
  assert.deepEqual(index.about("a", new Map([["tier", "back"]])), []);
});

test("a selector names the label that it wants with one value", () => {
  const exists = { key: "gpu", operator: "Exists", values: [] } as const;
  const either = { key: "app", operator: "In", values: ["chat", "code"] } as const;
  const exactly = { key: "app", operator: "In", values: ["chat"] } as const;
  assert.equal(namedLabel({ requirements: [exists, either], invalid: false }), null);
  assert.deepEqual(namedLabel({ requirements: [exists, exactly], invalid: false }), { key: "app", value: "chat" });
});
