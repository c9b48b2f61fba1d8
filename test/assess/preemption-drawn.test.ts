import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deployment, nodes, priorityClass, service } from "../../scripts/recordings/objects.ts";
import { clusterText, type Items, recording, scenarioText } from "../../scripts/recordings/recording.ts";
import { holdfast } from "../cli/shell.ts";

// Two pods began in one second and one of them has to make room: which one, the order in which they came to the node decides.

const high = { priorityClassName: "high", priority: 1000 };

async function notModelled(others: readonly Items[]): Promise<readonly string[]> {
  const cluster = [nodes("n1 n2", { cpu: "2" }), priorityClass("high", 1000), ...others];
  const made = recording(
    "drawn",
    "",
    [...cluster, deployment("m3", "n2", { spec: high }), service("m3")],
    [{ drain: "n2" }],
  );
  const folder = mkdtempSync(join(tmpdir(), "holdfast-drawn-"));
  try {
    writeFileSync(join(folder, "cluster.yaml"), clusterText(made));
    writeFileSync(join(folder, "scenario.yaml"), scenarioText(made));
    const files = ["-f", join(folder, "cluster.yaml"), "--scenario", join(folder, "scenario.yaml")];
    const { out } = await holdfast(["simulate", ...files, "-o", "json"]);
    const report: { readonly notModelled: readonly { readonly what: string }[] } = JSON.parse(out);
    return report.notModelled.map(({ what }) => what).filter((what) => what.startsWith("whom preemption"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("one of two workloads' pods is displaced: told", async () => {
  const told = await notModelled([deployment("m1", "n1"), deployment("m2", "n1")]);
  assert.equal(told.length, 1);
});

test("of two pods of one workload it does not matter which", async () => {
  assert.deepEqual(await notModelled([deployment("m1", "n1 n1")]), []);
});
