import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../wire/snapshot.ts";
import { jsonPatchOf } from "./json-patch.ts";

const object = { spec: { roles: [{ name: "decode" }, { name: "prefill", template: { spec: { a: 1 } } }] } };

const rows: readonly (readonly [string, string, unknown, readonly JsonObject[]])[] = [
  ["a field that is there", "spec.roles", [], [{ op: "add", path: "/spec/roles", value: [] }]],
  [
    "an element is tested to be the one that is meant",
    "spec.roles[name=prefill].template.spec.a",
    2,
    [
      { op: "test", path: "/spec/roles/1/name", value: "prefill" },
      { op: "add", path: "/spec/roles/1/template/spec/a", value: 2 },
    ],
  ],
  [
    "what is missing on the way is made",
    "spec.roles[name=decode].template.spec.a",
    2,
    [
      { op: "test", path: "/spec/roles/0/name", value: "decode" },
      { op: "add", path: "/spec/roles/0/template", value: { spec: { a: 2 } } },
    ],
  ],
  [
    "what goes is removed",
    "spec.roles[name=prefill].template.spec.a",
    null,
    [
      { op: "test", path: "/spec/roles/1/name", value: "prefill" },
      { op: "remove", path: "/spec/roles/1/template/spec/a" },
    ],
  ],
  ["what is not there needs no removing", "spec.b", null, []],
  ["names with slashes", 'spec["a/b~c"]', 1, [{ op: "add", path: "/spec/a~1b~0c", value: 1 }]],
];

for (const [name, path, value, expected] of rows) {
  test(name, () => {
    const json = JSON.parse(JSON.stringify(value));
    assert.deepEqual(jsonPatchOf([{ path, value: json }], object), expected);
  });
}

test("the second field finds what the first one made", () => {
  const fields = [
    { path: "spec.roles[name=decode].template.spec.a", value: 1 },
    { path: "spec.roles[name=decode].template.spec.b", value: 2 },
  ];
  assert.equal(jsonPatchOf(fields, object).filter(({ op }) => op === "test").length, 1);
  assert.deepEqual(jsonPatchOf(fields, object).at(-1), { op: "add", path: "/spec/roles/0/template/spec/b", value: 2 });
});
