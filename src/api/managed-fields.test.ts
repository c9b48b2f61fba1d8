import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { appliedBy, merged } from "./managed-fields.ts";

const object: JsonObject = {
  spec: {
    replicas: 2,
    paused: false,
    template: {
      spec: {
        topologySpreadConstraints: [
          { topologyKey: "host", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 },
          { topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 2 },
        ],
        affinity: { podAntiAffinity: { required: [{ topologyKey: "host" }] } },
      },
    },
  },
};

function withManaged(fieldsV1: JsonObject, entry: JsonObject = {}): JsonObject {
  return { ...object, metadata: { managedFields: [{ manager: "holdfast", operation: "Apply", fieldsV1, ...entry }] } };
}

const hostKey = 'k:{"topologyKey":"host","whenUnsatisfiable":"DoNotSchedule"}';
const rows: readonly (readonly [string, JsonObject, Json])[] = [
  ["a field", withManaged({ "f:spec": { "f:replicas": {} } }), { spec: { replicas: 2 } }],
  [
    "one element of a keyed list",
    withManaged({
      "f:spec": {
        "f:template": { "f:spec": { "f:topologySpreadConstraints": { [hostKey]: { ".": {}, "f:maxSkew": {} } } } },
      },
    }),
    { spec: { template: { spec: { topologySpreadConstraints: [{ maxSkew: 1 }] } } } },
  ],
  [
    "a list that is one value",
    withManaged({
      "f:spec": { "f:template": { "f:spec": { "f:affinity": { "f:podAntiAffinity": { "f:required": {} } } } } },
    }),
    { spec: { template: { spec: { affinity: { podAntiAffinity: { required: [{ topologyKey: "host" }] } } } } } },
  ],
  [
    "an update is nothing that was applied",
    withManaged({ "f:spec": { "f:replicas": {} } }, { operation: "Update" }),
    {},
  ],
  ["another manager's is not ours", withManaged({ "f:spec": { "f:replicas": {} } }, { manager: "helm" }), {}],
  ["a subresource is another object", withManaged({ "f:spec": { "f:replicas": {} } }, { subresource: "scale" }), {}],
];

for (const [name, given, expected] of rows) {
  test(`what was applied before: ${name}`, () => assert.deepEqual(appliedBy("holdfast", given), expected));
}

test("objects are merged, lists replaced", () => {
  assert.deepEqual(merged({ a: { b: 1, c: [1] } }, { a: { c: [2], d: 3 } }), { a: { b: 1, c: [2], d: 3 } });
});
