/**
 * Values of the expression language. An error is a value, as in CEL: it passes through operators, and `&&` and `||` may absorb it.
 * `notModelled` passes through in the same way and wins over an error: the answer is then unknown.
 */
export type Value =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "list"; readonly items: readonly Value[] }
  | {
      readonly type: "map";
      readonly entries: ReadonlyMap<string, Value>;
      /** What an absent key gives; null: an error. */
      readonly otherwise: Value | null;
    }
  /** In billionths. `derived`: a result of add or sub, which upstream's `==` does not take on its right. */
  | { readonly type: "quantity"; readonly value: bigint; readonly derived: boolean }
  | { readonly type: "semver"; readonly value: Semver }
  /** Null: optional.none(). */
  | { readonly type: "optional"; readonly value: Value | null }
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "notModelled"; readonly message: string };

export interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

export const noOverload: Value = { type: "error", message: "no such overload" };

export function bool(value: boolean): Value {
  return { type: "bool", value };
}

export function int(value: bigint | number): Value {
  return { type: "int", value: BigInt(value) };
}

export function text(value: string): Value {
  return { type: "string", value };
}

export function error(message: string): Value {
  return { type: "error", message };
}

export function notModelled(message: string): Value {
  return { type: "notModelled", message };
}

export function isBroken(value: Value): boolean {
  return value.type === "error" || value.type === "notModelled";
}

/** The broken one of some arguments, an unknown before an error; null: all are fine. */
export function broken(values: readonly Value[]): Value | null {
  return values.find(({ type }) => type === "notModelled") ?? values.find(({ type }) => type === "error") ?? null;
}

/** `==`: as `equal`, but a quantity or a version compares with its own kind only. */
export function equals(a: Value, b: Value): Value {
  const isStrict = a.type === "quantity" || a.type === "semver";
  if (isStrict && (a.type !== b.type || (b.type === "quantity" && b.derived))) return noOverload;
  return bool(equal(a, b));
}

/** Values of different types are not equal; numbers compare across their types. */
export function equal(a: Value, b: Value): boolean {
  const order = compareNumbers(a, b);
  if (order !== null) return order === 0;
  if (a.type === "list" && b.type === "list") {
    return (
      a.items.length === b.items.length && a.items.every((item, index) => equal(item, b.items[index] ?? noOverload))
    );
  }
  if (a.type === "map" && b.type === "map") {
    if (a.entries.size !== b.entries.size) return false;
    return [...a.entries].every(([key, value]) => equal(value, b.entries.get(key) ?? noOverload));
  }
  if (a.type === "optional" && b.type === "optional") {
    return a.value === null || b.value === null ? a.value === b.value : equal(a.value, b.value);
  }
  if (a.type === "semver" && b.type === "semver") return compareSemver(a.value, b.value) === 0;
  if (a.type === "null" && b.type === "null") return true;
  if (a.type === "bool" && b.type === "bool") return a.value === b.value;
  if (a.type === "string" && b.type === "string") return a.value === b.value;
  return a.type === "quantity" && b.type === "quantity" && a.value === b.value;
}

/** Null: they have no order, which is an error for `<` and its kin. NaN has none either, but is no error. */
export function compare(a: Value, b: Value): number | null {
  if (a.type === "string" && b.type === "string") return byCodePoint(a.value, b.value);
  if (a.type === "bool" && b.type === "bool") return Number(a.value) - Number(b.value);
  return compareNumbers(a, b);
}

function compareNumbers(a: Value, b: Value): number | null {
  if (!isNumber(a) || !isNumber(b)) return null;
  // JavaScript compares bigint and number exactly.
  if (a.value < b.value) return -1;
  if (a.value > b.value) return 1;
  return Number.isNaN(Number(a.value)) || Number.isNaN(Number(b.value)) ? Number.NaN : 0;
}

function isNumber(value: Value): value is Extract<Value, { type: "int" } | { type: "uint" } | { type: "double" }> {
  return value.type === "int" || value.type === "uint" || value.type === "double";
}

/** Go compares bytes of UTF-8, which is the order of code points, not of UTF-16 units. */
function byCodePoint(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Mirrors: github.com/blang/semver/v4 Compare. A version without prerelease is later than one with; build data does not count. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let index = 0; index < Math.max(a.prerelease.length, b.prerelease.length); index += 1) {
    const left = a.prerelease[index];
    const right = b.prerelease[index];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const leftIsNumber = /^\d+$/.test(left);
    if (leftIsNumber !== /^\d+$/.test(right)) return leftIsNumber ? -1 : 1;
    if (leftIsNumber) return BigInt(left) < BigInt(right) ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}

/** Null: not a version. No leading zeros; with `normalize` a leading v, missing parts and leading zeros are forgiven. */
export function parseSemver(written: string, normalize: boolean): Semver | null {
  const source = normalize ? normalized(written) : written;
  if (source === null) return null;
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/.exec(source);
  if (match === null) return null;
  const [, major = "", minor = "", patch = "", prerelease, build] = match;
  const identifiers = prerelease === undefined ? [] : prerelease.split(".");
  if ([major, minor, patch].some((part) => /^0\d/.test(part))) return null;
  if (identifiers.some((part) => part === "" || /^0\d+$/.test(part))) return null;
  if (build?.split(".").includes("") === true) return null;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: identifiers };
}

/** Null: a short version with a prerelease or build part. */
function normalized(written: string): string | null {
  const bare = written.startsWith("v") ? written.slice(1) : written;
  const [major = "", minor, ...patch] = bare.split(".");
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(patch.length === 0 ? [] : [patch.join(".")])];
  const trimmed = parts.map((part) => (part.length > 1 ? part.replace(/^0+/, "").replace(/^(?!\d)/, "0") : part));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) return null;
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}
