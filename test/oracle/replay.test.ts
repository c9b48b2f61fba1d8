import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { compareAnswers } from "./compare.ts";
import type { Answer, Question } from "./decision.ts";
import { loadOurs, unfinished } from "./ours.ts";

const folder = join(import.meta.dirname, "fixtures");
const why = await unfinished();
const ours = why === null ? await loadOurs() : null;

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".ndjson.gz"))
  .sort()) {
  const version = file.replace(".ndjson.gz", "");
  test(`our scheduler decides as Kubernetes ${version} did`, {
    skip: why ?? false,
  }, () => {
    if (ours === null) return;
    const lines = gunzipSync(readFileSync(join(folder, file)))
      .toString("utf8")
      .trimEnd()
      .split("\n");
    assert.ok(lines.length >= 100, "the recording is complete");
    for (const line of lines) {
      const { question, answer } = JSON.parse(line) as { question: Question; answer: Answer };
      const differences = compareAnswers(question, answer, ours(question, Number(version.slice(2))));
      assert.deepEqual(differences, [], `cluster ${question.id} of ${file}`);
    }
  });
}
