import { equal } from "node:assert/strict";
import { test } from "node:test";
import { ByteNumbers } from "./byte-numbers.ts";
import { NumberedParts } from "./numbered-parts.ts";

test("a part's number is remembered for the numbers it is one of, until the next object", () => {
  const parts = new NumberedParts();
  const [own, others] = [new ByteNumbers(0), new ByteNumbers(0)];
  parts.add(12, own, 3);
  parts.add(18, others, 4);
  equal(parts.of(12, own), 3);
  equal(parts.of(18, others), 4);
  equal(parts.of(12, others), -1);
  parts.clear();
  equal(parts.of(12, own), -1);
});

test("more parts than are remembered are asked for again", () => {
  const parts = new NumberedParts();
  const numbers = new ByteNumbers(0);
  for (let cell = 0; cell < 7; cell += 1) parts.add(cell, numbers, cell);
  equal(parts.of(0, numbers), -1);
  equal(parts.of(6, numbers), 6);
});
