import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/cli/scenario-file.ts";
import { loadText } from "../../src/load/from-files.ts";
import type { SimulationReport } from "../../src/report/types.ts";
import { simulationReport } from "../support/assess.ts";
import { fixtures } from "./fixtures.ts";

const nine = Array.from({ length: 9 }, (_, index) => `chain-${index + 1}`);

test("of eleven nodes the nine that break a floor in one order are found, and no fewer and no other order do", () => {
  const found = played({ selector: "node-pool=main" }, "any");
  assert.equal(found.verdict, "unsafe");
  assert.equal(found.exhaustive, true);
  assert.equal(found.counterexample?.drains, nine.length);
  assert.deepEqual(found.counterexample.order.slice(0, nine.length), nine);
  const { choices } = found.counterexample;
  const again = played({ names: nine }, "given", choices);
  assert.deepEqual(again.endpoints[0]?.down[0], found.endpoints[0]?.down[0]);
  assert.equal(again.verdict, "unsafe");
  for (const node of nine) {
    const names = nine.filter((other) => other !== node);
    assert.equal(played({ names }, "given").endpoints[0]?.verdict, "safe", `without ${node}`);
  }
  for (const [index, node] of nine.slice(0, -1).entries()) {
    const names = nine.toSpliced(index, 2, nine[index + 1] ?? "", node);
    assert.equal(played({ names }, "given").endpoints[0]?.verdict, "safe", `${node} one later`);
  }
});

/** As a scenario file says it. */
function played(
  nodes: { readonly names: readonly string[] } | { readonly selector: string },
  order: "any" | "given",
  choices: readonly object[] = [],
): SimulationReport {
  const timing = { podStart: { "*": "0s" } };
  const document = {
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "chain" },
    spec: { actor: "kured", nodes, order, timing, choices },
  };
  const { scenario, problems } = parseScenario(JSON.stringify(document), "chain.yaml");
  assert.deepEqual(problems, []);
  assert.ok(scenario);
  return simulationReport(snapshot, scenario);
}

const objects = fixtures.find(({ name }) => name === "one-order-of-nine")?.objects() ?? [];
const snapshot = loadText(objects.map((object) => JSON.stringify(object)).join("\n"), "chain.ndjson");
