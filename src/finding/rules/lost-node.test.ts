import assert from "node:assert/strict";
import { test } from "node:test";
import { found, nodeOf, type World } from "../../../test/support/findings.ts";
import { lostNode } from "./lost-node.ts";

/** One engine is on a third node. */
const third =
  (status: string, unready: number) =>
  ({ engine, more }: World): void => {
    const node = nodeOf({ name: "g3", pool: "gpu", zone: "c", gpus: 8, cpu: "64" });
    const { allocatable, capacity } = Object(node["status"]);
    more.push({ ...node, status: { allocatable, capacity, conditions: [{ type: "Ready", status }] } });
    engine.nodes = ["g3", "g1"];
    engine.unready = unready;
  };

test("a pod on a node that does not answer, which a budget that has none to spare does not explain", () => {
  assert.deepEqual(Object.keys(lostNode.messages), ["onLostNode"]);
  assert.deepEqual(found(third("Unknown", 1)), ["lost-node/onLostNode warning vllm"]);
  assert.deepEqual(found(third("False", 1), { engine: "stalled" }), ["lost-node/onLostNode error vllm"]);
  assert.deepEqual(found(third("True", 1)), ["budget-never-allows/noneToSpare note vllm"]);
  assert.deepEqual(found(third("True", 0)), []);
});
