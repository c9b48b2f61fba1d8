import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf } from "../../src/report/verdict.ts";
import { checkReport, readExample } from "../support/assess.ts";

test("of many endpoints the worst are told with what happens to them, the others with what breaks them", () => {
  const all = checkReport(readExample("openshift-no-room"), {});
  assert.ok(all.endpoints.length === 2 && all.endpoints.every(({ worst }) => worst !== null));
  const one = checkReport(readExample("openshift-no-room"), { traces: 1 });
  const [told, untold] = one.endpoints;
  assert.ok(told !== undefined && untold !== undefined);
  assert.deepEqual(told, all.endpoints[0]);
  assert.deepEqual({ ...untold, worst: all.endpoints[1]?.worst }, all.endpoints[1]);
  assert.equal(untold.worst, null);
  assert.match(answerOf(untold), /^is unsafe: drain-one-node\/\S+ breaks it; ask about it alone to see how\.$/);
});

test("what stalls is named without its trace", () => {
  const [endpoint] = checkReport(readExample("modelplane-standby"), { traces: 0 }).endpoints;
  assert.ok(endpoint !== undefined && endpoint.worst === null);
  assert.match(
    answerOf(endpoint),
    /drain-one-node\/system does not complete because of it; ask about it alone to see why\.$/,
  );
});
