import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ClaimFields,
  claim,
  claims,
  device,
  deviceClass,
  exactly,
  holding,
  slice,
} from "../../../../test/support/devices.ts";
import { rows } from "../../../../test/support/rows.ts";
import { explained, incoming, node, pod, verdicts, viewOf } from "../../../../test/support/scheduling.ts";
import type { JsonObject } from "../../../wire/snapshot.ts";
import { notModelledIn } from "../../result.ts";
import { anyStart, schedule } from "../../schedule.ts";

// Read from plugins/dynamicresources and dynamic-resource-allocation/structured, Kubernetes 1.34.4, 1.36.3 and 1.37.2.
const impossible = "for good, DynamicResources: cannot allocate all claims";
const unavailable = "for good, DynamicResources: resourceclaim not available on the node";
const gpu = deviceClass("gpu");
const one = (request: JsonObject, fields: ClaimFields = {}) => [
  gpu,
  claim("c", [request], fields),
  incoming({ spec: claims("c") }),
];
const select = (expression: string) => ({ selectors: [{ cel: { expression } }] });
const gpus = (count: number, fields: JsonObject = {}) =>
  Array.from({ length: count }, (_, index) => device(`g${index}`, fields));

rows("DynamicResources: messages cannotAllocate and unavailable", verdicts, [
  [
    "a device on the node",
    { objects: [node("a"), node("b"), slice("a", gpus(1)), ...one(exactly())] },
    { a: "pass", b: impossible },
  ],
  [
    "a device another claim holds",
    {
      objects: [
        node("a"),
        slice("a", gpus(1)),
        claim("other", [exactly()], { status: holding("a", "g0", ["p"]) }),
        ...one(exactly()),
      ],
    },
    { a: impossible },
  ],
  [
    "not with admin access",
    {
      objects: [
        node("a"),
        slice("a", gpus(1)),
        claim("other", [exactly()], { status: holding("a", "g0", ["p"]) }),
        ...one(exactly({ adminAccess: true })),
      ],
    },
    { a: "pass" },
  ],
  [
    "more than there are",
    { objects: [node("a"), slice("a", gpus(2)), ...one(exactly({ count: 3 }))] },
    { a: impossible },
  ],
  [
    "a selector of the request",
    {
      objects: [
        node("a"),
        node("b"),
        slice("a", gpus(1)),
        slice("b", gpus(2)),
        ...one(exactly(select('device.attributes["gpu.test"].index == 1'))),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "all devices, of which one is in use",
    {
      objects: [
        node("a"),
        node("b"),
        slice("a", gpus(2)),
        slice("b", gpus(2)),
        claim("other", [exactly()], { status: holding("a", "g0", ["p"]) }),
        ...one({ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "All" } }),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "an alternative when the first cannot be had",
    {
      objects: [
        node("a"),
        node("b"),
        slice("a", gpus(1)),
        ...one({
          name: "r",
          firstAvailable: [
            { name: "two", deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 },
            { name: "one", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
          ],
        }),
      ],
    },
    { a: "pass", b: impossible },
  ],
  [
    "more than a claim may hold, 1.36",
    {
      minor: 36,
      objects: [
        node("a"),
        slice("a", gpus(40)),
        deviceClass("gpu"),
        claim("c", [exactly({ count: 20 }), { ...exactly({ count: 20 }), name: "s" }]),
        incoming({ spec: claims("c") }),
      ],
    },
    {
      a: 'error, DynamicResources: running "DynamicResources" filter plugin: claim ns/c: number of requested devices 40 exceeds the claim limit of 32',
    },
  ],
  [
    "more than a claim may hold, 1.37",
    {
      minor: 37,
      objects: [
        node("a"),
        slice("a", gpus(40)),
        deviceClass("gpu"),
        claim("c", [exactly({ count: 20 }), { ...exactly({ count: 20 }), name: "s" }]),
        incoming({ spec: claims("c") }),
      ],
    },
    {
      a: 'error, DynamicResources: running "DynamicResources" filter plugin: claim ns/c, request s: adding 20 devices exceeds the claim limit of 32, with 20 already accounted for',
    },
  ],
  [
    "devices that must agree",
    {
      objects: [
        node("a"),
        node("b"),
        slice("a", [
          device("g0", { attributes: { numa: { int: 0 } } }),
          device("g1", { attributes: { numa: { int: 1 } } }),
        ]),
        slice("b", [
          device("g0", { attributes: { numa: { int: 1 } } }),
          device("g1", { attributes: { numa: { int: 1 } } }),
        ]),
        ...one(exactly({ count: 2 }), { constraints: [{ matchAttribute: "gpu.test/numa" }] }),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "a pool that is still being written",
    {
      objects: [
        node("a"),
        slice("a", gpus(1), { pool: { name: "a", generation: 1, resourceSliceCount: 2 } }),
        ...one(exactly()),
      ],
    },
    { a: impossible },
  ],
  [
    "which 1.34 does not mind",
    {
      minor: 34,
      objects: [
        node("a"),
        slice("a", gpus(1), { pool: { name: "a", generation: 1, resourceSliceCount: 2 } }),
        ...one(exactly()),
      ],
    },
    { a: "pass" },
  ],
  [
    "an older generation of a pool",
    {
      objects: [
        node("a"),
        slice("a", gpus(2)),
        slice("a", gpus(1), { pool: { name: "a", generation: 2, resourceSliceCount: 1 } }, "newer"),
        ...one(exactly({ count: 2 })),
      ],
    },
    { a: impossible },
  ],
  [
    "devices for some nodes",
    {
      objects: [
        node("a", { labels: { rack: "1" } }),
        node("b"),
        slice("rack", gpus(1), {
          nodeSelector: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "rack", operator: "In", values: ["1"] }] }],
          },
        }),
        ...one(exactly()),
      ],
    },
    { a: "pass", b: impossible },
  ],
  [
    "each device for its own",
    {
      objects: [
        node("a"),
        node("b"),
        slice("fabric", [device("g0", { nodeName: "b" })], { perDeviceNodeSelection: true }),
        ...one(exactly()),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "an allocated claim holds its pods to its node",
    {
      objects: [node("a"), node("b"), slice("a", gpus(1)), ...one(exactly(), { status: holding("a", "g0", ["p"]) })],
    },
    { a: "pass", b: unavailable },
  ],
]);

rows("DynamicResources: what 1.36 brought", verdicts, [
  [
    "a tainted device",
    {
      objects: [node("a"), slice("a", gpus(1, { taints: [{ key: "bad", effect: "NoSchedule" }] })), ...one(exactly())],
    },
    { a: impossible },
  ],
  [
    "tolerated",
    {
      objects: [
        node("a"),
        slice("a", gpus(1, { taints: [{ key: "bad", effect: "NoSchedule" }] })),
        ...one(exactly({ tolerations: [{ key: "bad", operator: "Exists" }] })),
      ],
    },
    { a: "pass" },
  ],
  [
    "a rule that taints devices, from 1.37 on",
    {
      minor: 37,
      objects: [
        node("a"),
        node("b"),
        slice("a", gpus(1)),
        slice("b", gpus(1)),
        {
          apiVersion: "resource.k8s.io/v1",
          kind: "DeviceTaintRule",
          metadata: { name: "rule", uid: "rule" },
          spec: { deviceSelector: { pool: "a" }, taint: { key: "bad", effect: "NoExecute" } },
        },
        ...one(exactly()),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "partitions share what they are cut from",
    {
      objects: [
        node("a"),
        slice("a", gpus(3, { consumesCounters: [{ counterSet: "card", counters: { memory: { value: "40Gi" } } }] }), {
          pool: { name: "a", generation: 1, resourceSliceCount: 2 },
        }),
        slice(
          "a",
          [],
          {
            pool: { name: "a", generation: 1, resourceSliceCount: 2 },
            sharedCounters: [{ name: "card", counters: { memory: { value: "80Gi" } } }],
          },
          "counters",
        ),
        ...one(exactly({ count: 3 })),
      ],
    },
    { a: impossible },
  ],
  [
    "a shared device has room for as many as its capacity allows",
    {
      objects: [
        node("a"),
        slice("a", gpus(1, { allowMultipleAllocations: true, capacity: { memory: { value: "80Gi" } } })),
        gpu,
        claim("c", [
          exactly({ capacity: { requests: { memory: "40Gi" } } }, "x"),
          exactly({ capacity: { requests: { memory: "40Gi" } } }, "y"),
        ]),
        incoming({ spec: claims("c") }),
      ],
    },
    { a: "pass" },
  ],
  [
    "and no more",
    {
      objects: [
        node("a"),
        slice("a", gpus(1, { allowMultipleAllocations: true, capacity: { memory: { value: "80Gi" } } })),
        gpu,
        claim("c", [
          exactly({ capacity: { requests: { memory: "40Gi" } } }, "x"),
          exactly({ capacity: { requests: { memory: "41Gi" } } }, "y"),
        ]),
        incoming({ spec: claims("c") }),
      ],
    },
    { a: impossible },
  ],
  [
    "a device hands out steps",
    {
      objects: [
        node("a"),
        slice(
          "a",
          gpus(1, {
            allowMultipleAllocations: true,
            capacity: {
              memory: {
                value: "80Gi",
                requestPolicy: { default: "20Gi", validRange: { min: "20Gi", step: "20Gi" } },
              },
            },
          }),
        ),
        gpu,
        claim("c", [
          exactly({ capacity: { requests: { memory: "41Gi" } } }, "x"),
          exactly({ capacity: { requests: { memory: "21Gi" } } }, "y"),
        ]),
        incoming({ spec: claims("c") }),
      ],
    },
    { a: impossible },
  ],
  [
    "devices that must differ",
    {
      objects: [
        node("a"),
        node("b"),
        slice("a", [
          device("g0", { attributes: { numa: { int: 0 } } }),
          device("g1", { attributes: { numa: { int: 0 } } }),
        ]),
        slice("b", [
          device("g0", { attributes: { numa: { int: 0 } } }),
          device("g1", { attributes: { numa: { int: 1 } } }),
        ]),
        gpu,
        claim("c", [exactly({}, "x"), exactly({}, "y")], { constraints: [{ distinctAttribute: "gpu.test/numa" }] }),
        incoming({ spec: claims("c") }),
      ],
    },
    { a: impossible, b: "pass" },
  ],
  [
    "an extended resource by device plugin or by devices",
    {
      objects: [
        node("a", { allocatable: { "gpu.test/gpu": "1" } }),
        node("b"),
        node("c"),
        slice("b", gpus(1)),
        deviceClass("gpu", { extendedResourceName: "gpu.test/gpu" }),
        incoming({ requests: { "gpu.test/gpu": "1" } }),
      ],
    },
    { a: "pass", b: "pass", c: impossible },
  ],
  [
    "cannotFit: one by devices, the other by nobody",
    {
      objects: [
        node("b"),
        slice("b", gpus(1)),
        deviceClass("gpu", { extendedResourceName: "gpu.test/gpu" }),
        incoming({ requests: { "gpu.test/gpu": "1", "gpu.test/other": "1" } }),
      ],
    },
    { b: "for good, NodeResourcesFit: Insufficient gpu.test/other" },
  ],
  [
    "invalidPools: two devices of one name",
    { objects: [node("a"), slice("a", [device("g0"), device("g0")]), ...one(exactly())] },
    { a: "for good, DynamicResources: invalid resource pools were encountered" },
  ],
]);

rows("DynamicResources: errors end the cycle", verdicts, [
  [
    "a selector that fails",
    { objects: [node("a"), slice("a", gpus(1)), ...one(exactly(select('device.attributes["gpu.test"].nope == 1')))] },
    {
      a: 'error, DynamicResources: running "DynamicResources" filter plugin: claim ns/c: selector #0: CEL runtime error: no such key: nope',
    },
  ],
  [
    "which 1.37 explains",
    {
      minor: 37,
      objects: [node("a"), slice("a", gpus(1)), ...one(exactly(select('device.attributes["gpu.test"].nope == 1')))],
    },
    {
      a: 'error, DynamicResources: running "DynamicResources" filter plugin: claim ns/c: selector #0 on device gpu.test/a/g0: CEL runtime error: no such key: nope. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields',
    },
  ],
  [
    "classMissing: a class nobody made",
    { objects: [node("a"), claim("c", [exactly()]), incoming({ spec: claims("c") })] },
    { all: "for good, DynamicResources: request r: device class gpu does not exist" },
  ],
]);

test("DynamicResources: an expression outside the subset is neither yes nor no", () => {
  const view = viewOf({
    objects: [node("a"), slice("a", gpus(1)), ...one(exactly(select('device.driver.reverse() == "x"')))],
  });
  const pod = view.pod("ns/new");
  assert.ok(pod !== undefined);
  const result = schedule(view, pod, anyStart);
  assert.match(notModelledIn(result) ?? "", /^claim ns\/c: selector #0: the function reverse/);
});

rows("DynamicResources: a pod waits outside the queue", (question) => explained(question).preEnqueue?.reasons[0], [
  [
    "for a claim from its template",
    {
      objects: [node("a"), incoming({ spec: { resourceClaims: [{ name: "x", resourceClaimTemplateName: "t" }] } })],
    },
    'pod "ns/new": ResourceClaim not created yet',
  ],
  ["for a claim", { objects: [node("a"), incoming({ spec: claims("c") })] }, 'could not find ResourceClaim "ns/c"'],
  [
    "for one that goes",
    { objects: [node("a"), claim("c", [exactly()], { deleting: true }), incoming({ spec: claims("c") })] },
    'resourceclaim "c" is being deleted',
  ],
]);

test("DynamicResources: the devices found are allocated with the pod", () => {
  const view = viewOf({ objects: [node("a"), slice("a", gpus(2)), ...one(exactly()), pod("p", { on: "a" })] });
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "bind");
  const [effect] = result.effectsOn("a");
  assert.ok(effect?.do === "allocateClaim");
  assert.deepEqual([effect.claim, effect.pod, effect.allocation.results[0]?.device], ["ns/c", "ns/new", "g0"]);
});

test("DynamicResources: conditional, a device somebody else must prepare first", () => {
  const conditions = { bindingConditions: ["Ready"], bindingFailureConditions: ["Failed"] };
  const view = viewOf({ objects: [node("a"), slice("a", gpus(1, conditions)), ...one(exactly())] });
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "bind");
  const types = result.effectsOn("a").map((effect) => (effect.do === "report" ? effect.type : effect.do));
  assert.deepEqual(types, ["allocateClaim", "not-modelled"]);
});

test("DynamicResources: devices for an extended resource are held by a claim of the scheduler's own", () => {
  const view = viewOf({
    objects: [
      node("a"),
      slice("a", gpus(2)),
      deviceClass("gpu", { extendedResourceName: "gpu.test/gpu" }),
      incoming({ requests: { "gpu.test/gpu": "2" } }),
    ],
  });
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "bind");
  const [effect] = result.effectsOn("a");
  assert.ok(effect?.do === "allocateClaim");
  assert.equal(effect.claim, "ns/new-extended-resources");
  assert.deepEqual(
    effect.allocation.results.map(({ request, device: name }) => `${request} ${name}`),
    ["container-0-request-0 g0", "container-0-request-0 g1"],
  );
  view.allocateClaim(effect.claim, effect.allocation, effect.pod);
  assert.deepEqual(view.resourceClaim(effect.claim)?.reservedFor, ["ns/new"]);
  view.removePod("ns/new");
  assert.equal(view.resourceClaim(effect.claim), undefined);
});
