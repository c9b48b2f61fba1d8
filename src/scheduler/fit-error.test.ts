import assert from "node:assert/strict";
import { test } from "node:test";
import { fitError } from "./fit-error.ts";
import { type Failure, type Rejection, rejectForGood, rejectForNow } from "./framework.ts";

// Read from framework/types.go FitError.Error, Kubernetes 1.36.3; the first text was recorded on a control plane of it.
function failure(rejections: readonly Rejection[], absent = rejectForGood(), preFilterMessage = ""): Failure {
  return { verdicts: new Map(rejections.map((verdict, i) => [`n${i}`, verdict])), absent, preFilterMessage, run: null };
}
const cordoned = rejectForGood("node(s) were unschedulable");
const tainted = rejectForGood("node(s) had untolerated taint(s)");

test("fit error: reasons with their counts, sorted as text, then the post filters", () => {
  assert.equal(
    fitError(
      4,
      failure([cordoned, tainted, cordoned, tainted]),
      "no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    ),
    "0/4 nodes are available: 2 node(s) had untolerated taint(s), 2 node(s) were unschedulable. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  );
});

test("fit error: sorted as text means 10 before 2", () => {
  const many = Array.from({ length: 10 }, () => tainted);
  assert.equal(
    fitError(12, failure([cordoned, cordoned, ...many]), ""),
    "0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 node(s) were unschedulable.",
  );
});

test("fit error: a node with several reasons counts for each", () => {
  assert.equal(
    fitError(1, failure([rejectForNow("Insufficient cpu", "Insufficient memory")]), ""),
    "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
  );
});

test("fit error: nodes nobody looked at have the reason of the absent", () => {
  const left = rejectForGood("node(s) didn't satisfy plugin(s) [NodeAffinity]");
  assert.equal(
    fitError(3, failure([cordoned], left), ""),
    "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  );
});

test("fit error: a PreFilter that rejects everything speaks alone", () => {
  assert.equal(
    fitError(3, failure([], cordoned, "pod affinity terms conflict"), "preemption: x"),
    "0/3 nodes are available: pod affinity terms conflict. preemption: x",
  );
});
