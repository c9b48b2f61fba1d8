import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { milliUnits, parseQuantity, toResources, wholeUnits } from "./quantity.ts";

/**
 * Text, Value(), MilliValue(); null: refused. Printed by apimachinery pkg/api/resource, v0.36.3. Amounts whose
 * thousandths pass a signed 64-bit integer are left out: there the real one wraps around, and this one does not.
 */
const rows: readonly (readonly [string, number, number] | readonly [string, null])[] = [
  ["0", 0, 0],
  ["1", 1, 1000],
  ["100m", 1, 100],
  ["1500m", 2, 1500],
  ["0.5", 1, 500],
  ["1.5Gi", 1610612736, 1610612736000],
  ["1Ki", 1024, 1024000],
  ["1k", 1000, 1000000],
  ["1P", 1000000000000000, 1000000000000000000],
  ["5Pi", 5629499534213120, 5629499534213120000],
  ["1n", 1, 1],
  ["999u", 1, 1],
  ["1001u", 1, 2],
  ["0.0001", 1, 1],
  ["1e3", 1000, 1000000],
  ["1E3", 1000, 1000000],
  ["1e-3", 1, 1],
  ["1.25e2", 125, 125000],
  ["1e+2", 100, 100000],
  [".5", 1, 500],
  ["5.", 5, 5000],
  ["+5", 5, 5000],
  ["-1500m", -2, -1500],
  ["0.1Gi", 107374183, 107374182400],
  ["1.1Ki", 1127, 1126400],
  ["3.14159Mi", 3294196, 3294195876],
  ["m", 0, 0],
  ["-", 0, 0],
  ["1e-40", 1, 1],
  ["0e99", 0, 0],
  ["00012", 12, 12000],
  ["0.0000000001", 1, 1],
  ["1.0000000001", 2, 1001],
  ["", null],
  ["1e", null],
  ["1i", null],
  ["1mi", null],
  ["1KI", null],
  ["1 Gi", null],
  ["1Gi ", null],
  ["1,5", null],
  ["0x10", null],
  ["1_000", null],
  ["NaN", null],
  ["1e1e1", null],
  ["1.2.3", null],
  ["--1", null],
  ["1Gi5", null],
];

for (const [text, whole, milli] of rows) {
  test(`quantity ${JSON.stringify(text)}`, () => {
    const quantity = parseQuantity(text);
    if (whole === null) assert.equal(quantity, null);
    else assert.deepEqual(quantity === null ? null : [wholeUnits(quantity), milliUnits(quantity)], [whole, milli]);
  });
}

test("amounts beyond a signed 64-bit integer are cut to it, and far exponents end at once", () => {
  const largest = parseQuantity("9223372036854775807");
  assert.notEqual(largest, null);
  for (const text of ["16Ei", "1e40", "1e999999999999", "9223372036854775808"])
    assert.equal(parseQuantity(text), largest);
  assert.equal(parseQuantity("1e-999999999999"), 1n);
});

test("a text too long to be a quantity is none", () => {
  assert.equal(parseQuantity("1".repeat(100_000)), null);
});

const mantissa = fc.integer({ min: 0, max: 1_000_000 });

test("law: a decimal suffix is a power of ten", () => {
  const suffix = fc.constantFrom<[string, number]>(
    ["n", -9],
    ["u", -6],
    ["m", -3],
    ["", 0],
    ["k", 3],
    ["M", 6],
    ["G", 9],
  );
  fc.assert(
    fc.property(mantissa, suffix, (number, [letters, power]) => {
      assert.equal(parseQuantity(`${number}${letters}`), parseQuantity(`${number}e${power}`));
    }),
  );
});

test("law: a binary suffix is a power of 1024", () => {
  const suffixes = ["", "Ki", "Mi", "Gi", "Ti"];
  fc.assert(
    fc.property(mantissa, fc.integer({ min: 1, max: 4 }), (number, step) => {
      const larger = parseQuantity(`${number}${suffixes[step]}`);
      const smaller = parseQuantity(`${number * 1024}${suffixes[step - 1]}`);
      assert.equal(larger, smaller);
    }),
  );
});

test("law: rounding up never loses and never adds a whole unit", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (nanos) => {
      const milli = BigInt(milliUnits(nanos)) * 1_000_000n;
      assert.ok(milli >= nanos && milli - nanos < 1_000_000n);
    }),
  );
});

test("the scheduler's amounts: CPU in milli, scalars by full name, names it does not count left out", () => {
  const resources = toResources(
    new Map([
      ["cpu", 1_500_000n],
      ["memory", 1n],
      ["nvidia.com/gpu", 2_000_000_000n],
      ["hugepages-2Mi", 1_000_000_000n],
      ["pods", 110_000_000_000n],
    ]),
  );
  assert.equal(resources.milliCpu, 2);
  assert.equal(resources.memoryBytes, 1);
  assert.deepEqual(
    [...resources.scalar],
    [
      ["nvidia.com/gpu", 2],
      ["hugepages-2Mi", 1],
    ],
  );
});
