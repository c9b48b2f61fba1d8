import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf } from "./fixture-question.ts";
import { unlikeFixtures } from "./fixtures.ts";

// The two hundred nodes are read slowly: they are in `npm run bench:search`, as are ten seeds of these.
for (const fixture of [1, 2, 3].flatMap(unlikeFixtures)) {
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
