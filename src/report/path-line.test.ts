import assert from "node:assert/strict";
import { test } from "node:test";
import { component } from "../../test/cli/reports.ts";
import { pathLines } from "./path-line.ts";

const path = [
  component("CoreDNS", { desired: 2, ready: 2, nodes: ["a.eu.example", "b.eu.example"] }),
  component("Picker", { needed: false, ready: 0, nodes: [] }),
  component("Collector", { onPath: false }),
  component("Load balancer", { outside: "at the cloud", nodes: [] }),
  component("Engine", {
    desired: 3,
    ready: 3,
    nodes: ["c.eu.example", "d.eu.example", "e.eu.example"],
    zones: ["x", "y"],
  }),
];

test("parts in order, nodes under them, the line running on to each arrow", () => {
  assert.deepEqual(pathLines(path, 100), [
    "  CoreDNS 2 ─▶ Picker 0/1 (not needed) ─▶ Load balancer ─▶ Engine 3",
    "  a and b                                 outside          3 nodes in 2 zones",
  ]);
});

test("nothing where it does not fit, and none where nobody looks at a terminal", () => {
  assert.deepEqual(pathLines(path, 76), []);
  assert.equal(pathLines(path, 77).length, 2);
  assert.deepEqual(pathLines(path, null), []);
});
