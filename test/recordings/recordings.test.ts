import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { clusterText, scenarioText } from "../../scripts/recordings/recording.ts";
import { recordings } from "../../scripts/recordings.ts";

interface Trace {
  readonly format: string;
  readonly name: string;
  readonly kubernetes: string;
  readonly steps: readonly { readonly do: string; readonly outcome: string; readonly errors?: readonly string[] }[];
  readonly events: readonly { readonly seconds: number; readonly step: number; readonly type: string }[];
}

const read = (name: string, file: string): string => readFileSync(new URL(`${name}/${file}`, import.meta.url), "utf8");

const recorded = (name: string): boolean => existsSync(new URL(`${name}/trace.json`, import.meta.url));

test("no two recordings share a name, and every folder is one of them", () => {
  const names = recordings.map((made) => made.name).sort();
  assert.deepEqual([...new Set(names)], names);
  const folders = readdirSync(new URL(".", import.meta.url), { withFileTypes: true }).filter((one) => one.isDirectory());
  assert.deepEqual(folders.filter((one) => !names.includes(one.name)), []);
});

for (const made of recordings) {
  test(`${made.name}: what was recorded is what is written down`, { skip: recorded(made.name) ? false : "not recorded yet" }, () => {
    assert.equal(read(made.name, "cluster.yaml"), clusterText(made));
    assert.equal(read(made.name, "scenario.yaml"), scenarioText(made));
    const trace: Trace = JSON.parse(read(made.name, "trace.json"));
    assert.equal(trace.format, "holdfast-trace/1");
    assert.equal(trace.name, made.name);
    assert.equal(trace.kubernetes, "v1.36.3");
    assert.equal(trace.steps.length, made.steps.length);
    const times = trace.events.map((event) => event.seconds);
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
    // A step that could not be done is a mistake in the scenario, not something to learn from.
    assert.deepEqual(trace.steps.filter((step) => step.do !== "drain" && step.outcome === "failed"), []);
  });
}
