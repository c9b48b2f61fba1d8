import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf } from "./fixture-question.ts";
import { fixtures } from "./fixtures.ts";

// The chain of nine takes seconds, and the two hundred nodes are read slowly: both are in `npm run bench:search`.
for (const fixture of fixtures.filter(({ name }) => name.startsWith("unlike-"))) {
  test(`${fixture.name}: ${fixture.about}`, () => {
    const { judgement } = answerOf(fixture);
    const hurt = judgement.endpoints.filter(({ verdict }) => verdict !== "safe");
    assert.deepEqual(
      Object.fromEntries(hurt.map(({ endpoint, verdict }) => [endpoint.namespace, verdict])),
      fixture.verdicts,
    );
    for (const { effort } of hurt) assert.equal(effort?.drains, fixture.drains);
    assert.equal(judgement.exhaustive, true);
  });
}
