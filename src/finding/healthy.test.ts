import assert from "node:assert/strict";
import { test } from "node:test";
import { foundIn } from "../../test/support/findings.ts";
import { healthyClusters } from "../../test/support/healthy.ts";
import { servingCluster } from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";

for (const { name, system, things } of healthyClusters) {
  test(`${name}, set up well`, () => {
    const { endpoints } = endpointsOf(servingCluster(things));
    assert.deepEqual(
      endpoints.map((endpoint) => endpoint.system),
      [system],
    );
    const lines = foundIn(things);
    assert.deepEqual(
      lines.filter((line) => !line.includes(" note ")),
      [],
    );
    // One line broken is told, so the silence above is no deafness.
    const bare = things.filter(({ kind }) => kind !== "PodDisruptionBudget");
    const told = foundIn(bare, { engine: "broke" });
    assert.ok(
      told.some((line) => line.startsWith("no-budget/unguarded error")),
      told.join("; "),
    );
  });
}
