import assert from "node:assert/strict";
import { test } from "node:test";
import { budget, deployment, nodes, service } from "../../../scripts/recordings/objects.ts";
import { checkReport } from "../../../test/support/assess.ts";
import { snapshotOf } from "../../../test/support/fix.ts";
import { annotationHolds } from "./annotation-holds.ts";

/** How bad it is, where pods carry the annotation and this actor maintains their nodes. */
function told(actor: string, annotations: { readonly [key: string]: string }): readonly string[] {
  const items = [
    ...nodes("g1 g2 g3", { gpu: 1 }),
    ...deployment("m1", "g1 g2", { gpu: 1, annotations }),
    service("m1"),
    budget("m1", { max: 1, status: [2, 2] }),
  ];
  const { findings } = checkReport(snapshotOf(JSON.parse(JSON.stringify(items))), { actors: [actor] });
  return findings.filter(({ rule }) => rule === annotationHolds.name).map(({ severity }) => severity);
}

test("an annotation that the actor heeds", () => {
  assert.deepEqual(Object.keys(annotationHolds.messages), ["heeded"]);
  const asks = { "karpenter.sh/do-not-disrupt": "true" };
  assert.deepEqual(told("karpenter", asks), ["error"]);
  assert.deepEqual(told("karpenter", {}), []);
  assert.deepEqual(told("kubectl-drain-in-turn", asks), []);
});
