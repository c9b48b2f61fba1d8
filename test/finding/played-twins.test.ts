import assert from "node:assert/strict";
import { test } from "node:test";
import { findingRules } from "../../src/finding/registry.ts";
import { loadText } from "../../src/load/from-files.ts";
import { checkReport } from "../support/assess.ts";
import { healthyClusters } from "../support/healthy.ts";
import { type Tree, tree } from "../support/trees.ts";
import { breaksOfBudgets } from "./breaks-of-budgets.ts";
import { breaksOfPaths } from "./breaks-of-paths.ts";
import { breaksOfPlaces } from "./breaks-of-places.ts";
import { neededParts, partKey } from "./part.ts";
import type { Twin } from "./twin.ts";

// The twins of one cluster, played: what scenarios show changes how bad a finding is, and brings no other one along.

const twins: readonly Twin[] = [...breaksOfBudgets, ...breaksOfPlaces, ...breaksOfPaths].filter(
  // Those of another maintainer than the one that plays here.
  ({ maintainer }) => maintainer === undefined,
);
const healthy = healthyClusters.find(({ name }) => name === "service")?.things ?? [];
const codes = new Map(findingRules.map(({ name, code }) => [name, code]));

for (const twin of twins) {
  const [first] = neededParts(healthy.map(tree)).filter(twin.on).toReversed();
  if (first === undefined) continue;
  test(`${twin.id}: ${twin.about}`, () => {
    const things = healthy.map(tree);
    const part = neededParts(things).find((one) => partKey(one) === partKey(first));
    assert.ok(part !== undefined);
    twin.prepare?.(part);
    const before = told(things);
    const also = (twin.also ?? []).filter(({ on }) => on?.(part) ?? true).flatMap(({ line }) => line(part));
    const rules = [twin.id, ...also].map((text) => codes.get(text.split("/")[0] ?? "") ?? "");
    twin.change(part);
    const more = told(things).filter((line) => !before.includes(line));
    assert.deepEqual(more.map((line) => line.slice(0, "HF001".length)).sort(), rules.sort(), more.join("; "));
  });
}

/** What is found, however bad. How an actor goes about its pools is no finding about a part. */
function told(things: readonly Tree[]): readonly string[] {
  const text = things.map((thing) => JSON.stringify(thing)).join("\n");
  const { findings } = checkReport(loadText(text, "twin.yaml"), { actors: ["nebius"] });
  return findings
    .filter(({ severity, message }) => severity !== "note" || !message.includes("before it drains the first"))
    .map(({ code, component }) => `${code} ${component}`);
}
