import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadText } from "../../src/load/from-files.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { checkReport } from "../support/assess.ts";

// Of pods that some operators make it is not known when they serve. What breaks although they do is broken; what stands
// although they never do is safe; what is between is undecided.

function reported(system: string, change: (text: string) => string = (text) => text): CheckReport {
  const text = readFileSync(join(import.meta.dirname, "../systems", system, "cluster.yaml"), "utf8");
  const scenarios = ["drain-one-node", "pool-maintenance"] as const;
  return checkReport(loadText(change(text), "cluster.yaml"), { scenarios, actors: ["kured"] });
}

function verdictsOf({ endpoints }: CheckReport): { readonly [scenario: string]: string } {
  return Object.fromEntries(
    endpoints.flatMap(({ scenarios }) => scenarios.map(({ name, verdict }) => [name, verdict])),
  );
}

test("Ray: one worker of two is enough, whenever the new one serves; with both drained in turn it decides", () => {
  const verdicts = verdictsOf(reported("ray"));
  assert.equal(verdicts["drain-one-node/gpu"], "safe");
  assert.equal(verdicts["pool-maintenance/gpu"], "undecided");
});

test("Ray: workers wait 10 min for their head where GCS is fault tolerant, and not at all where it is not", () => {
  const tolerant = reported("ray");
  assert.equal(verdictsOf(tolerant)["drain-one-node/system"], "safe");
  const alone = reported("ray", (text) => text.replace(/ +gcsFaultToleranceOptions: .*\n/, ""));
  assert.equal(verdictsOf(alone)["drain-one-node/system"], "unsafe");
});

test("Ray: a budget that lets no worker go is no safety", () => {
  const strict = reported("ray", (text) => text.replace("minAvailable: 1", "minAvailable: 2"));
  assert.equal(verdictsOf(strict)["drain-one-node/gpu"], "stalls");
});

test("Grove's pods serve once they are Ready, and a gang may be short of them for its terminationDelay", () => {
  const grove = reported("dynamo-grove", (text) => text.replaceAll("kai-scheduler", "default-scheduler"));
  assert.equal(verdictsOf(grove)["drain-one-node/gpu"], "safe");
});

test("under another scheduler it is not known where they go; a single one is down all the same", () => {
  const report = reported("dynamo-grove");
  const verdicts = verdictsOf(report);
  assert.equal(verdicts["drain-one-node/gpu"], "undecided");
  assert.equal(verdicts["drain-one-node/system"], "unsafe");
  const system = report.endpoints[0]?.scenarios.find(({ name }) => name === "drain-one-node/system");
  assert.deepEqual(system?.downSeconds, { min: 0, max: null });
});
