import assert from "node:assert/strict";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import { checkReport } from "../support/assess.ts";
import { healthyClusters } from "../support/healthy.ts";

// The same well set-up clusters that the rules are silent on, played: the maintenance of a cloud that brings nodes back, and a
// person who takes one node after the other, break none of them and find nothing above a note.

/** Their pods are replaced by controllers that are not modelled. */
const undecided: readonly string[] = ["ray"];

const maintenances = [
  { by: "its cloud", actors: ["nebius"] },
  { by: "a person", actors: [] },
] as const;

for (const [{ name, things }, { by, actors }] of healthyClusters.flatMap((cluster) =>
  maintenances.map((maintenance) => [cluster, maintenance] as const),
)) {
  test(`${name}, set up well, gets through maintenance by ${by}`, () => {
    const text = things.map((thing) => JSON.stringify(thing)).join("\n");
    const report = checkReport(loadText(text, `${name}.yaml`), {
      actors,
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

test("told to empty a whole pool in one command, kubectl stalls on what a person takes in turn", () => {
  const [service] = healthyClusters.filter(({ name }) => name === "service");
  const text = service?.things.map((thing) => JSON.stringify(thing)).join("\n") ?? "";
  const report = checkReport(loadText(text, "service.yaml"), {
    actors: ["kubectl-drain"],
    scenarios: ["drain-one-node", "pool-maintenance"],
  });
  assert.deepEqual(
    report.endpoints.map(({ verdict }) => verdict),
    ["stalls"],
  );
});
