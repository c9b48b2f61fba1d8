import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { play, readTranscript, writtenTranscript } from "./transcript.ts";

const folder = import.meta.dirname;
const updates = process.env["UPDATE_SCENARIOS"] === "1";

for (const name of readdirSync(folder)
  .filter((file) => file.endsWith(".txt"))
  .sort()) {
  test(name, () => {
    const file = join(folder, name);
    const transcript = readTranscript(file);
    const output = play(folder, transcript);
    if (updates) writeFileSync(file, writtenTranscript(transcript.input, output));
    else assert.equal(output, transcript.output);
  });
}
