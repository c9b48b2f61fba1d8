import assert from "node:assert/strict";
import { test } from "node:test";
import { found, type World } from "../../../test/support/findings.ts";
import { karpenter } from "../../maintenance/actors/karpenter.ts";
import { kubectlDrainInTurn } from "../../maintenance/actors/kubectl-drain-in-turn.ts";
import { annotationHolds } from "./annotation-holds.ts";

test("an annotation that the actor heeds", () => {
  assert.deepEqual(Object.keys(annotationHolds.messages), ["heeded", "heededUpTo"]);
  const asks = ({ engine }: World): void => {
    engine.podAnnotations["karpenter.sh/do-not-disrupt"] = "true";
  };
  assert.deepEqual(found(asks, {}, [karpenter]), ["annotation-holds/heeded note vllm"]);
  assert.deepEqual(found(asks, { engine: "stalled" }, [karpenter]), ["annotation-holds/heeded error vllm"]);
  assert.deepEqual(
    found(() => undefined, {}, [karpenter]),
    [],
  );
  assert.deepEqual(found(asks, {}, [kubectlDrainInTurn]), []);
  const drain = { ...karpenter.drain, holdsForMs: 3_600_000, then: "deletes" as const };
  assert.deepEqual(found(asks, {}, [{ ...karpenter, drain }]), ["annotation-holds/heededUpTo note vllm"]);
});
