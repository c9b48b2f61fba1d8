import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldEdit } from "./edit.ts";
import { yamlTextWith } from "./yaml-text.ts";

const rows: readonly (readonly [string, string, readonly FieldEdit[], string])[] = [
  ["text that was not there", "", [{ path: "spec.replicas", value: 2 }], "spec:\n  replicas: 2\n"],
  [
    "comments and order stay",
    "# ours\nspec:\n  # enough for now\n  replicas: 1\n  paused: false\n",
    [{ path: "spec.replicas", value: 2 }],
    "# ours\nspec:\n  # enough for now\n  replicas: 2\n  paused: false\n",
  ],
  [
    "an object is set whole",
    "spec:\n  minAvailable: 1\n",
    [{ path: "spec", value: { maxUnavailable: 1 } }],
    "spec:\n  maxUnavailable: 1\n",
  ],
  ["lists stand as they stood", "a:\n- 1\nb: 1\n", [{ path: "b", value: [2] }], "a:\n- 1\nb:\n- 2\n"],
  ["indented ones too", "a:\n  - 1\nb: 1\n", [{ path: "b", value: [2] }], "a:\n  - 1\nb:\n  - 2\n"],
  ["JSON stays JSON", '{"a": 1, "b": [2]}', [{ path: "c", value: 3 }], '{"a":1,"b":[2],"c":3}'],
  ["what cannot be read stays", "a: [", [{ path: "b", value: 1 }], "a: ["],
];

for (const [name, text, fields, expected] of rows) {
  test(name, () => assert.equal(yamlTextWith(text, fields), expected));
}
