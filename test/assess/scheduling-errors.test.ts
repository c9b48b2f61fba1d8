import assert from "node:assert/strict";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";
import { checkReport, readExample } from "../support/assess.ts";

// A pod of which the scheduler, or the model of it, can only say that something went wrong leaves the verdict open.

/** The example with one more pod, waiting for a device that fits the expression. */
function beside(expression: string): Snapshot {
  const whole = readExample("modelplane-fixed");
  const more = loadText(
    `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: { name: nic }
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: { name: nics }
spec:
  driver: nic.example.com
  pool: { name: nics, generation: 1, resourceSliceCount: 1 }
  allNodes: true
  devices: [{ name: nic-0, attributes: { speed: { int: 100 } } }]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: { name: nic, namespace: default }
spec:
  devices:
    requests:
      - name: nic
        exactly: { deviceClassName: nic, selectors: [{ cel: { expression: ${JSON.stringify(expression)} } }] }
---
apiVersion: v1
kind: Pod
metadata: { name: waiting, namespace: default }
spec:
  resourceClaims: [{ name: nic, resourceClaimName: nic }]
  containers: [{ name: main, image: waiting, resources: { claims: [{ name: nic }] } }]
`,
    "more.yaml",
  );
  return {
    source: "both",
    serverVersion: whole.serverVersion,
    problems: [],
    notSeen: [],
    secretsDropped: 0,
    *[Symbol.iterator]() {
      yield* whole;
      yield* more;
    },
  };
}

const speed = 'device.attributes["nic.example.com"].speed';

const rows: readonly (readonly [what: string, expression: string, verdict: string, told: string])[] = [
  ["a device that fits", `${speed} > 10`, "safe", ""],
  ["no device that fits", `${speed} > 1000`, "safe", ""],
  [
    "an expression that fails on a device, as it does in the scheduler",
    'device.attributes["nic.example.com"].vendor == "x"',
    "undecided",
    "the end of a scheduling error of default/waiting",
  ],
  ["an expression that is not modelled", 'device.driver.reverse() == "x"', "undecided", "the place of default/waiting"],
];

for (const [what, expression, verdict, told] of rows) {
  test(what, () => {
    const report = checkReport(beside(expression), { scenarios: ["drain-one-node"] });
    assert.deepEqual(report.problems, []);
    const [endpoint] = report.endpoints;
    assert.equal(endpoint?.verdict, verdict);
    const gaps = [...report.notModelled, ...(endpoint?.notModelled ?? [])].filter(
      ({ couldChange }) => couldChange !== "",
    );
    assert.deepEqual([...new Set(gaps.map(({ what }) => what))], told === "" ? [] : [told]);
  });
}
