import { type Fields, quoted } from "../wire/fields.ts";
import { ReadBefore } from "../wire/read-before.ts";
import type { Json } from "../wire/snapshot.ts";
import { noResources, type Resources } from "./resources.ts";

/** An exact amount, in billionths: the finest step a Kubernetes quantity has. */
export type Quantity = bigint;

/** Resource name → amount, as written. Sums are exact; rounding comes last, as in the scheduler. */
export type Amounts = ReadonlyMap<string, Quantity>;

export type WrittenAmount = readonly [string, Json];

const nano = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * nano;
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|[KMGTPE]i|[eE][+-]?\d+)?$/;

/** Power of ten of a decimal suffix. */
const decimal: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

/** Power of two of a binary suffix. */
const binary: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);

/**
 * Reads a quantity, or null when it is none. Amounts finer than a billionth round up, away from zero, and amounts
 * beyond a signed 64-bit integer are cut to it.
 * Mirrors apimachinery pkg/api/resource ParseQuantity, Kubernetes 1.36.
 */
export function parseQuantity(text: string): Quantity | null {
  if (text.length === 0 || text.length > 300) return null;
  const parts = pattern.exec(text);
  if (parts === null) return null;
  const [, sign, whole = "", fraction = "", suffix = ""] = parts;
  // Without any digit ("m", "Ki", "-") it is zero: the real parser takes it so.
  const digits = BigInt(`0${whole}${fraction}`);
  if (digits === 0n) return 0n;
  const twos = binary.get(suffix) ?? 0;
  const tens = exponentOf(suffix) - fraction.length + 9;
  const magnitude = scale(digits << BigInt(twos), tens);
  const bounded = magnitude > largest ? largest : magnitude;
  return sign === "-" ? -bounded : bounded;
}

function exponentOf(suffix: string): number {
  const known = decimal.get(suffix);
  if (known !== undefined) return known;
  return /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : 0;
}

/** digits × 10^tens, rounded up to a whole number. Far exponents are not computed: the result is known. */
function scale(digits: bigint, tens: number): bigint {
  if (tens > 60) return largest;
  if (tens >= 0) return digits * 10n ** BigInt(tens);
  if (tens < -700) return 1n;
  const divisor = 10n ** BigInt(-tens);
  return (digits + divisor - 1n) / divisor;
}

/** Whole units, rounded up: Quantity.Value(). */
export function wholeUnits(quantity: Quantity): number {
  return Number(divideUp(quantity, nano));
}

/** Thousandths, rounded up: Quantity.MilliValue(). */
export function milliUnits(quantity: Quantity): number {
  return Number(divideUp(quantity, nano / 1000n));
}

function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  const remainder = value % divisor;
  if (remainder === 0n) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}

/** Quantities repeat a lot (every node, every template): each text is parsed once. */
export class QuantityReader {
  readonly #known = new Map<string, Quantity | null>();
  readonly #amounts = new Map<string, Amounts>();
  readonly #written = new ReadBefore<readonly WrittenAmount[]>(1 << 16, 1 << 10);
  readonly #before = new ReadBefore<Amounts>(1 << 16, 1 << 10);
  readonly #completed = new WeakMap<Amounts, WeakMap<Amounts, Amounts>>();

  /** Complains and gives null when the value is no quantity or negative. */
  read(value: Json, complain: (message: string) => void): Quantity | null {
    if (typeof value !== "string" && typeof value !== "number") {
      complain("a quantity was expected, such as 500m or 2Gi");
      return null;
    }
    const text = String(value);
    const quantity = this.#parse(text);
    if (quantity === null) complain(`${quoted(text)} is not a quantity such as 500m or 2Gi`);
    else if (quantity < 0n) complain(`${quoted(text)} is negative`);
    return quantity === null || quantity < 0n ? null : quantity;
  }

  /** One quantity field; null when missing or unreadable. */
  field(fields: Fields, name: string): Quantity | null {
    const value = fields.raw(name);
    return value === undefined ? null : this.read(value, (message) => fields.problem(name, message));
  }

  /**
   * A map of quantities (`requests`, `allocatable`, `hard`), sorted by name; unreadable ones left out. The same amounts are
   * the same map.
   */
  amounts(fields: Fields, name: string): Amounts {
    return fields.once(name, this.#before, this.#read);
  }

  readonly #read = (fields: Fields, name: string): Amounts => {
    const entries = fields.entries(name);
    if (entries.length === 0) return noAmounts;
    let text = "";
    for (const [resource, value] of entries) {
      if (typeof value !== "string" && typeof value !== "number") text = unshared;
      if (text !== unshared) text += `${resource}=${value};`;
    }
    const known = this.#amounts.get(text);
    if (known !== undefined) return known;
    const amounts = new Map<string, Quantity>();
    for (const [resource, value] of entries) {
      const quantity = this.read(value, (message) => fields.problem(`${name}.${resource}`, message));
      if (quantity !== null) amounts.set(resource, quantity);
    }
    // What was complained of has to be complained of again.
    const isWhole = amounts.size === entries.length && text !== unshared;
    if (isWhole && this.#amounts.size < sharedMax) this.#amounts.set(text, amounts);
    return amounts;
  };

  /** The entries of a map of quantities as they are written. */
  written(fields: Fields, name: string): readonly WrittenAmount[] {
    return fields.once(name, this.#written, (own, field) => own.entries(field));
  }

  /** Requests as the API server completes them: what is limited and not requested is requested at its limit. */
  completed(requests: Amounts, limits: Amounts): Amounts {
    if ([...limits.keys()].every((name) => requests.has(name))) return requests;
    const known = this.#completed.get(requests)?.get(limits);
    if (known !== undefined) return known;
    const completed = new Map(requests);
    for (const [name, amount] of limits) if (!completed.has(name)) completed.set(name, amount);
    let byLimits = this.#completed.get(requests);
    if (byLimits === undefined) {
      byLimits = new WeakMap();
      this.#completed.set(requests, byLimits);
    }
    byLimits.set(limits, completed);
    return completed;
  }

  #parse(text: string): Quantity | null {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const quantity = parseQuantity(text);
    // A bound, so that hostile input cannot grow the table without end.
    if (this.#known.size < sharedMax) this.#known.set(text, quantity);
    return quantity;
  }
}

export const noAmounts: Amounts = new Map();

const sharedMax = 100_000;

/** In place of the text of amounts that are none. */
const unshared = "?";

const resourcesOf = new WeakMap<Amounts, Resources>();

/** As the scheduler's Resource counts them, worked out once for each map, which must not change; names it does not count (`pods`, unknown native ones) are left out. */
export function toResources(amounts: Amounts): Resources {
  if (amounts.size === 0) return noResources;
  const known = resourcesOf.get(amounts);
  if (known !== undefined) return known;
  const scalar = new Map<string, number>();
  for (const [name, amount] of amounts) {
    if (isScalar(name)) scalar.set(name, wholeUnits(amount));
  }
  const resources: Resources = {
    milliCpu: milliUnits(amounts.get("cpu") ?? 0n),
    memoryBytes: wholeUnits(amounts.get("memory") ?? 0n),
    ephemeralStorageBytes: wholeUnits(amounts.get("ephemeral-storage") ?? 0n),
    scalar,
  };
  resourcesOf.set(amounts, resources);
  return resources;
}

/** Mirrors pkg/scheduler/util IsScalarResourceName, 1.36. */
function isScalar(name: string): boolean {
  return name.includes("/") || name.startsWith("hugepages-") || name.startsWith("attachable-volumes-");
}

/** Resource name → number as quotas count: milli for CPU, whole units for everything else. */
export function toCounts(amounts: Amounts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, amount] of amounts) counts.set(name, isCpu(name) ? milliUnits(amount) : wholeUnits(amount));
  return counts;
}

function isCpu(name: string): boolean {
  return name === "cpu" || name === "requests.cpu" || name === "limits.cpu";
}
