import { parseQuantity } from "../../../../model/quantity.ts";
import { parsePattern } from "./pattern.ts";
import { bool, compareSemver, error, int, noOverload, notModelled, parseSemver, text, type Value } from "./value.ts";

type Of<T extends Value["type"]> = Extract<Value, { type: T }>;

const nano = 1_000_000_000n;

/**
 * The functions people use in device selectors: strings, quantities, versions, conversions. Arguments are never broken.
 * Mirrors: cel-go's standard and string libraries, apiserver pkg/cel/library quantity and semver, Kubernetes 1.36.
 */
export function callFunction(name: string, subject: Value | null, args: readonly Value[]): Value {
  const known = subject === null ? plain(name, args) : method(name, subject, args);
  return known ?? notModelled(`the function ${name}`);
}

/** Null: not known. */
function plain(name: string, args: readonly Value[]): Value | null {
  const [first, second] = args;
  if (first === undefined) return null;
  switch (name) {
    case "size":
      return args.length === 1 ? sizeOf(first) : noOverload;
    case "dyn":
      return first;
    case "quantity":
      return first.type === "string" ? quantityOf(first.value) : noOverload;
    case "isQuantity":
      return first.type === "string" ? bool(quantityOf(first.value).type === "quantity") : noOverload;
    case "sign":
      return method(name, first, []);
    case "semver":
    case "isSemver": {
      if (first.type !== "string" || (second !== undefined && second.type !== "bool")) return noOverload;
      const value = parseSemver(first.value, second?.value === true);
      if (name === "isSemver") return bool(value !== null);
      return value === null ? error(`semver: ${first.value} is no version`) : { type: "semver", value };
    }
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bool":
      return converted(name, first);
    default:
      return null;
  }
}

function method(name: string, subject: Value, args: readonly Value[]): Value | null {
  if (name === "size" && args.length === 0) return sizeOf(subject);
  switch (subject.type) {
    case "string":
      return ofString(name, subject.value, args);
    case "quantity":
      return ofQuantity(name, subject, args);
    case "semver":
      return ofSemver(name, subject, args);
    case "optional":
      if (name === "hasValue") return bool(subject.value !== null);
      if (name === "value") return subject.value ?? error("optional.none() dereference");
      return null;
    default:
      return stringMethods.has(name) || quantityMethods.has(name) || versionMethods.has(name) ? noOverload : null;
  }
}

function sizeOf(value: Value): Value {
  if (value.type === "string") return int([...value.value].length);
  if (value.type === "list") return int(value.items.length);
  return value.type === "map" ? int(value.entries.size) : noOverload;
}

const stringMethods: ReadonlySet<string> = new Set([
  "startsWith",
  "endsWith",
  "contains",
  "matches",
  "lowerAscii",
  "upperAscii",
  "trim",
  "split",
  "replace",
  "indexOf",
  "substring",
]);

function ofString(name: string, subject: string, args: readonly Value[]): Value | null {
  if (!stringMethods.has(name)) return quantityMethods.has(name) || versionMethods.has(name) ? noOverload : null;
  if (name === "lowerAscii") return text(subject.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  if (name === "upperAscii") return text(subject.replace(/[a-z]/g, (letter) => letter.toUpperCase()));
  if (name === "trim") return text(subject.trim());
  const [first, second] = args;
  if (name === "substring") return substring(subject, args);
  if (first?.type !== "string") return noOverload;
  switch (name) {
    case "startsWith":
      return bool(subject.startsWith(first.value));
    case "endsWith":
      return bool(subject.endsWith(first.value));
    case "contains":
      return bool(subject.includes(first.value));
    case "matches": {
      const pattern = parsePattern(first.value);
      return pattern === null ? notModelled(`the pattern ${first.value}`) : bool(pattern.matches(subject));
    }
    case "indexOf":
      return args.length === 1 ? int(codePointIndex(subject, first.value)) : notModelled("indexOf with an offset");
    case "split":
      return args.length === 1 ? listOf(subject.split(first.value)) : notModelled("split with a limit");
    default:
      if (second?.type !== "string") return noOverload;
      return args.length === 2
        ? text(subject.split(first.value).join(second.value))
        : notModelled("replace with a limit");
  }
}

function listOf(parts: readonly string[]): Value {
  return { type: "list", items: parts.map(text) };
}

function codePointIndex(subject: string, part: string): number {
  const index = subject.indexOf(part);
  return index < 0 ? -1 : [...subject.slice(0, index)].length;
}

function substring(subject: string, args: readonly Value[]): Value {
  const [start, end] = args;
  const characters = [...subject];
  if (start?.type !== "int" || (end !== undefined && end.type !== "int")) return noOverload;
  const from = Number(start.value);
  const to = end === undefined ? characters.length : Number(end.value);
  if (from < 0 || from > to || to > characters.length) return error("index out of range");
  return text(characters.slice(from, to).join(""));
}

const quantityMethods: ReadonlySet<string> = new Set([
  "compareTo",
  "isGreaterThan",
  "isLessThan",
  "asInteger",
  "isInteger",
  "asApproximateFloat",
  "sign",
  "add",
  "sub",
]);

function quantityOf(written: string): Value {
  const value = /\d/.test(written) ? parseQuantity(written) : null;
  return value === null ? error(`${written} is no quantity`) : { type: "quantity", value, derived: false };
}

function ofQuantity(name: string, { value }: Of<"quantity">, args: readonly Value[]): Value | null {
  const [other] = args;
  const isWhole = value % nano === 0n;
  switch (name) {
    case "asInteger":
      return isWhole ? int(value / nano) : error("cannot convert value to integer");
    case "isInteger":
      return bool(isWhole);
    case "asApproximateFloat":
      return { type: "double", value: Number(value) / 1e9 };
    case "sign":
      return int(value < 0n ? -1 : value > 0n ? 1 : 0);
    case "add":
    case "sub": {
      const amount = other?.type === "int" ? other.value * nano : other?.type === "quantity" ? other.value : null;
      if (amount === null) return noOverload;
      return { type: "quantity", value: name === "add" ? value + amount : value - amount, derived: true };
    }
    default:
      if (!orderMethods.has(name)) return stringMethods.has(name) || versionMethods.has(name) ? noOverload : null;
      return other?.type === "quantity"
        ? order(name, value < other.value ? -1 : value > other.value ? 1 : 0)
        : noOverload;
  }
}

const orderMethods: ReadonlySet<string> = new Set(["compareTo", "isGreaterThan", "isLessThan"]);

function order(name: string, result: number): Value {
  if (name === "compareTo") return int(result);
  return bool(name === "isGreaterThan" ? result > 0 : result < 0);
}

const versionMethods: ReadonlySet<string> = new Set([
  "compareTo",
  "isGreaterThan",
  "isLessThan",
  "major",
  "minor",
  "patch",
]);

function ofSemver(name: string, { value }: Of<"semver">, args: readonly Value[]): Value | null {
  const [other] = args;
  if (name === "major") return int(value.numbers[0]);
  if (name === "minor") return int(value.numbers[1]);
  if (name === "patch") return int(value.numbers[2]);
  if (!orderMethods.has(name)) return stringMethods.has(name) || quantityMethods.has(name) ? noOverload : null;
  if (other?.type !== "semver") return noOverload;
  return order(name, Math.sign(compareSemver(value, other.value)));
}

function converted(to: "int" | "uint" | "double" | "string" | "bool", from: Value): Value {
  switch (to) {
    case "string":
      if (from.type === "string") return from;
      if (from.type === "int" || from.type === "uint" || from.type === "bool") return text(String(from.value));
      return from.type === "double" ? notModelled("a double as string") : noOverload;
    case "bool":
      if (from.type === "bool") return from;
      if (from.type !== "string") return noOverload;
      if (["true", "True", "TRUE", "t", "1"].includes(from.value)) return bool(true);
      return ["false", "False", "FALSE", "f", "0"].includes(from.value) ? bool(false) : error("type conversion error");
    case "double":
      if (from.type === "double") return from;
      if (from.type === "int" || from.type === "uint") return { type: "double", value: Number(from.value) };
      if (from.type !== "string") return noOverload;
      return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(from.value)
        ? { type: "double", value: Number(from.value) }
        : error("type conversion error");
    default:
      return wholeNumber(to, from);
  }
}

function wholeNumber(to: "int" | "uint", from: Value): Value {
  let value: bigint;
  if (from.type === "int" || from.type === "uint") value = from.value;
  else if (from.type === "double" && Number.isFinite(from.value)) value = BigInt(Math.trunc(from.value));
  else if (from.type === "string" && /^[+-]?\d{1,20}$/.test(from.value)) value = BigInt(from.value.replace(/^\+/, ""));
  else return from.type === "string" || from.type === "double" ? error("type conversion error") : noOverload;
  const fits = to === "int" ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  return fits ? { type: to, value } : error("integer overflow");
}
