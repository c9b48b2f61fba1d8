import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeBroken } from "./broken-input.ts";

// Broken clusters by seed. More of them: `npm run fuzz -- --runs 5000`.

const runs = 200;

test(`${runs} broken clusters end in words or in a report`, async () => {
  const codes = new Map<number, number>();
  for (let seed = 1; seed <= runs; seed += 1) {
    const code = await judgeBroken(seed);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  assert.ok(codes.size > 1, "the mutations reach more than one outcome");
});
