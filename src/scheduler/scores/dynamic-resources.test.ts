import { claim, claims, device, deviceClass, slice } from "../../../test/support/devices.ts";
import { rows } from "../../../test/support/rows.ts";
import { incoming, node, type Question, scores } from "../../../test/support/scheduling.ts";

// Read from plugins/dynamicresources computeScore, Kubernetes 1.36.3.
const question = (minor: 34 | 36): Question => ({
  minor,
  objects: [
    node("a"),
    node("b"),
    slice("a", [device("g0"), device("g1")]),
    slice("b", [device("g0")]),
    deviceClass("gpu"),
    claim("c", [
      {
        name: "r",
        firstAvailable: [
          { name: "two", deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 },
          { name: "one", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
        ],
      },
    ]),
    incoming({ spec: claims("c") }),
  ],
});

rows("DynamicResources' score", scores("DynamicResources"), [
  ["the earlier alternative", question(36), { a: [8, 100], b: [7, 87] }],
  ["none in 1.34", question(34), null],
]);
