import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { servingCluster, workload } from "../../test/support/serving.ts";
import { factsOf } from "./facts.ts";
import { FirstMatch } from "./first-match.ts";
import { type Match, matchesPart } from "./match.ts";

const word = fc.constantFrom("a", "b", "c");
const pattern = fc.constantFrom("a", "b", "c", "*", "*b");
const match: fc.Arbitrary<Match> = fc.record(
  {
    labels: fc.dictionary(word, pattern, { maxKeys: 2 }),
    kinds: fc.constantFrom(["Deployment"], ["DaemonSet"]),
    name: fc.constantFrom(/^a/, /b$/),
  },
  { requiredKeys: [] },
);

test("the first rule that a part looks like is the one that a look at all in turn finds", () => {
  const labels = fc.dictionary(word, word);
  fc.assert(
    fc.property(fc.array(match, { maxLength: 8 }), word, labels, (matches, name, own) => {
      const rules = matches.map((one) => ({ match: one }));
      const [part] = factsOf(servingCluster([workload(name, { labels: own })])).parts;
      assert.ok(part !== undefined);
      assert.equal(
        new FirstMatch(rules).of(part),
        rules.find((rule) => matchesPart(rule.match, part)),
      );
    }),
  );
});
