import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { root } from "../../scripts/sources.ts";
import type { CheckReport } from "../../src/report/types.ts";
import { holdfast } from "../cli/shell.ts";

// Names decide nothing: a cluster under other names has the same verdicts and findings.

const scratch = mkdtempSync(join(tmpdir(), "holdfast-anonymous-"));
after(() => rmSync(scratch, { recursive: true }));

function clusters(): readonly string[] {
  const examples = readdirSync(join(root, "examples")).map((name) => join("examples", name, "cluster"));
  const systems = readdirSync(join(root, "test/systems"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join("test/systems", name));
  return [...examples, ...systems].filter((path) => existsSync(join(root, path)));
}

async function reportOf(path: string): Promise<CheckReport> {
  const few = ["--scenarios", "drain-one-node,cordon-all", "--max-states", "2000"];
  return JSON.parse((await holdfast(["check", "-f", path, "-o", "json", "--fail-on", "never", ...few])).out);
}

interface Told {
  readonly endpoints: readonly unknown[];
  readonly findings: readonly string[];
}

/** What a report says, without the names; sorted, since names decide the order of equals. */
function told(report: CheckReport): Told {
  const endpoints = report.endpoints.map((endpoint) => ({
    verdict: endpoint.verdict,
    now: endpoint.now,
    system: endpoint.system,
    floor: endpoint.floor,
    scenarios: endpoint.scenarios
      .map(({ verdict, downSeconds, minCapacity }) => JSON.stringify([verdict, downSeconds, minCapacity]))
      .sort(),
    path: endpoint.path.map((part) => [part.hop, part.component, part.needed, part.desired, part.ready, part.survives]),
    gaps: endpoint.notModelled.length,
  }));
  return {
    endpoints: endpoints.map((endpoint) => JSON.stringify(endpoint)).sort(),
    // Evidence may quote messages, which an anonymous snapshot does not keep.
    findings: report.findings.map(({ code, severity }) => `${code} ${severity}`).sort(),
  };
}

describe("an anonymous snapshot is judged as its original", () => {
  for (const path of clusters()) {
    test(path, async () => {
      const file = join(scratch, `${path.replaceAll("/", "-")}.gz`);
      const made = await holdfast(["snapshot", "-f", join(root, path), "--anonymize", "--output-file", file]);
      assert.equal(made.code, 0, made.err);
      assert.deepEqual(told(await reportOf(file)), told(await reportOf(join(root, path))));
    });
  }
});
