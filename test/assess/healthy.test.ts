import assert from "node:assert/strict";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import { checkReport } from "../support/assess.ts";
import { healthyClusters } from "../support/healthy.ts";

// The same well set-up clusters that the rules are silent on, played: the maintenance of a cloud that brings nodes back
// breaks none of them and finds nothing above a note.

/** Their pods are replaced by controllers that are not modelled. */
const undecided: readonly string[] = ["ray"];

for (const { name, things } of healthyClusters) {
  test(`${name}, set up well, gets through its maintenance`, () => {
    const text = things.map((thing) => JSON.stringify(thing)).join("\n");
    const report = checkReport(loadText(text, `${name}.yaml`), {
      actors: ["nebius"],
      scenarios: ["drain-one-node", "pool-maintenance"],
    });
    assert.deepEqual(
      report.endpoints.map(({ verdict }) => verdict),
      [undecided.includes(name) ? "undecided" : "safe"],
      JSON.stringify(
        report.endpoints.map(({ scenarios, notModelled, worst }) => ({
          scenarios,
          notModelled,
          story: worst?.timeline.slice(0, 30),
        })),
        null,
        1,
      ),
    );
    assert.deepEqual(
      report.findings.filter(({ severity }) => severity !== "note"),
      [],
    );
  });
}
