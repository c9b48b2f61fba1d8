import assert from "node:assert/strict";
import { test } from "node:test";
import { logarithm } from "./logarithm.ts";

/** Bits of math.Log(float64(n)) as Go 1.26 on amd64 prints them. */
const bits: readonly (readonly [number, string])[] = [
  [2, "3fe62e42fefa39ef"],
  [3, "3ff193ea7aad030a"],
  [10, "40026bb1bbb55516"],
  [14, "40051cca16d7bba8"],
  [102, "40127ff8df87c7bd"],
  [5002, "40210901f6dc84b9"],
];

test("logarithm: to the last bit as Go's", () => {
  for (const [n, expected] of bits) assert.equal(bitsOf(logarithm(n)), expected, `of ${n}`);
});

test("logarithm: within a rounding of Math.log", () => {
  for (let n = 2; n < 6000; n += 1) assert.ok(Math.abs(logarithm(n) - Math.log(n)) < 2e-15, `of ${n}`);
});

function bitsOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16);
}
