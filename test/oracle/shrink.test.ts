import assert from "node:assert/strict";
import { test } from "node:test";
import type { Question } from "./decision.ts";
import { generateCluster } from "./generate/cluster.ts";
import { shrink } from "./shrink.ts";

test("what does not matter to a difference is taken away", async () => {
  const { about: _, ...question } = generateCluster(7, 36);
  const target = question.pods[0] ?? "";
  const fails = async (smaller: Question): Promise<boolean> => {
    const pod = smaller.objects.find(
      (o) => o.kind === "Pod" && `${o.metadata.namespace}/${o.metadata.name}` === target,
    );
    const nodes = smaller.objects.filter((o) => o.kind === "Node");
    return pod !== undefined && smaller.pods.includes(target) && nodes.length >= 2;
  };
  const small = await shrink(question, fails);
  assert.deepEqual(small.pods, [target]);
  assert.deepEqual(small.objects.map((o) => o.kind).sort(), ["Node", "Node", "Pod"]);
  for (const object of small.objects) {
    const fields = Object.keys(object["status"] ?? {});
    assert.deepEqual(fields, [], `${object.kind} keeps no field it does not need`);
  }
});
