import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fields } from "../wire/fields.ts";
import type { JsonObject } from "../wire/snapshot.ts";
import { matches } from "./labels.ts";
import { parseLabelSelector, parseNodeSelector, withRequirements } from "./parse-selector.ts";

function read(selector: JsonObject | null): {
  readonly selector: ReturnType<typeof parseLabelSelector>;
  readonly paths: readonly string[];
} {
  const paths: string[] = [];
  const fields = Fields.of({ selector }, (path) => paths.push(path));
  return { selector: parseLabelSelector(fields, "selector"), paths };
}

const labels = new Map([
  ["app", "chat"],
  ["tier", "gpu"],
]);

/** Name, selector as written, whether it matches app=chat,tier=gpu. Mirrors meta/v1 LabelSelectorAsSelector, 1.36. */
const rows: readonly (readonly [string, JsonObject, boolean])[] = [
  ["an empty selector matches everything", {}, true],
  ["labels must all be there", { matchLabels: { app: "chat", tier: "gpu" } }, true],
  ["one label differs", { matchLabels: { app: "chat", tier: "cpu" } }, false],
  ["NotIn matches a missing key", { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }, true],
  ["DoesNotExist matches a missing key", { matchExpressions: [{ key: "zone", operator: "DoesNotExist" }] }, true],
  ["Exists needs the key", { matchExpressions: [{ key: "zone", operator: "Exists" }] }, false],
  [
    "labels and expressions are both needed",
    {
      matchLabels: { app: "chat" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["cpu"] }],
    },
    false,
  ],
];

for (const [name, written, expected] of rows) {
  test(name, () => {
    const { selector, paths } = read(written);
    assert.deepEqual(paths, []);
    assert.equal(selector !== null && matches(selector, labels), expected);
  });
}

test("a missing selector is null, and so is one written as null", () => {
  assert.equal(read(null).selector, null);
  assert.equal(parseLabelSelector(Fields.of({}, assert.fail), "selector"), null);
});

/** Name, expression, path complained about. */
const broken: readonly (readonly [string, JsonObject, string])[] = [
  ["an unknown operator", { key: "app", operator: "Like", values: ["c"] }, "operator"],
  ["a node operator in a label selector", { key: "app", operator: "Gt", values: ["1"] }, "operator"],
  ["In without values", { key: "app", operator: "In", values: [] }, "values"],
  ["Exists with values", { key: "app", operator: "Exists", values: ["chat"] }, "values"],
  ["no key", { operator: "Exists" }, "key"],
];

for (const [name, expression, field] of broken) {
  test(`${name} makes the selector match nothing, and is a problem`, () => {
    const { selector, paths } = read({ matchExpressions: [expression] });
    assert.deepEqual(paths, [`selector.matchExpressions[0].${field}`]);
    assert.equal(selector !== null && matches(selector, labels), false);
  });
}

test("prototype names are names like any other", () => {
  const { selector } = read({ matchLabels: JSON.parse('{"__proto__":"x","constructor":"y"}') });
  assert.ok(selector !== null);
  assert.equal(matches(selector, new Map()), false);
  assert.equal(
    matches(
      selector,
      new Map([
        ["__proto__", "x"],
        ["constructor", "y"],
      ]),
    ),
    true,
  );
});

test("a node selector term that cannot be read matches no node; the other terms stay", () => {
  const paths: string[] = [];
  const fields = Fields.of(
    {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "zone", operator: "Nearby", values: ["a"] }] },
        { matchExpressions: [{ key: "cores", operator: "Gt", values: ["8"] }] },
      ],
    },
    (path) => paths.push(path),
  );
  const [first, second] = parseNodeSelector(fields);
  assert.deepEqual(first, { matchExpressions: [], matchFields: [] });
  assert.equal(second?.matchExpressions.length, 1);
  assert.deepEqual(paths, ["nodeSelectorTerms[0].matchExpressions[0].operator"]);
});

const word = fc.constantFrom("a", "b", "c", "d");

test("law: a selector of some of an object's labels matches it, and no longer with one value changed", () => {
  fc.assert(
    fc.property(fc.dictionary(word, word, { minKeys: 1 }), word, (all, other) => {
      const [key, value] = Object.entries(all)[0] ?? ["", ""];
      const { selector } = read({ matchLabels: { ...all } });
      assert.ok(selector !== null);
      assert.equal(matches(selector, new Map(Object.entries(all))), true);
      if (other !== value) assert.equal(matches(selector, new Map([...Object.entries(all), [key, other]])), false);
    }),
  );
});

test("law: adding requirements twice is adding them once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word)), fc.dictionary(word, word), (added, own) => {
      const { selector } = read({ matchLabels: { ...own } });
      assert.ok(selector !== null);
      const requirements = added.map(([key, value]) => ({ key, operator: "In", values: [value] }) as const);
      const once = withRequirements(selector, requirements);
      assert.deepEqual(withRequirements(once, requirements), once);
    }),
  );
});
