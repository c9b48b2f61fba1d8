import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import { appliedBy, appliedInLists, merged, othersOf } from "./managed-fields.ts";

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

/** Containers told apart by name, as the server does; groups of workers taken as one value. */
const listed: JsonObject = {
  metadata: {
    managedFields: [
      {
        manager: "operator",
        operation: "Update",
        fieldsV1: {
          "f:spec": {
            "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:name": {}, "f:image": {} } },
            "f:groups": {},
          },
        },
      },
      { manager: "holdfast", operation: "Apply", fieldsV1: { "f:spec": { "f:paused": {} } } },
      { manager: "scaler", operation: "Update", subresource: "scale", fieldsV1: { "f:spec": { "f:groups": {} } } },
    ],
  },
  spec: {
    paused: false,
    containers: [
      { name: "side", image: "b" },
      { name: "main", image: "a" },
    ],
    groups: [{ groupName: "gpu", replicas: 1 }],
  },
};

test("inside a keyed list the element is applied with its key, beside all that was applied before", () => {
  const after = { ...listed, spec: { containers: [{ name: "main", image: "a", args: ["x"] }], paused: false } };
  assert.deepEqual(appliedInLists("holdfast", { live: listed, after }, ["spec.containers[name=main].args"]), {
    spec: { paused: false, containers: [{ name: "main", args: ["x"] }] },
  });
});

test("a list whose elements nobody's record names cannot be applied in part", () => {
  assert.equal(
    appliedInLists("holdfast", { live: listed, after: listed }, ["spec.groups[groupName=gpu].replicas"]),
    null,
  );
});

for (const [path, expected] of [
  ["spec.containers[name=main].image", ["operator"]],
  ["spec.containers[name=main].args", []],
  ["spec.containers[name=side].image", []],
  ["spec.groups[groupName=gpu].replicas", ["operator"]],
  ["spec.paused", []],
] as const) {
  test(`who else has set ${path}`, () => assert.deepEqual(othersOf("holdfast", listed, path), expected));
}
