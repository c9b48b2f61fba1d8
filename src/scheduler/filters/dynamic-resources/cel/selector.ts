import type { Device, DeviceAttribute } from "../../../../model/device.ts";
import { evaluate } from "./evaluate.ts";
import { type Parsed, parse } from "./parse.ts";
import { bool, error, int, parseSemver, text, type Value } from "./value.ts";

export type Match =
  | { readonly match: "yes" }
  | { readonly match: "no" }
  /** The expression fails on this device, which ends the pod's cycle. */
  | { readonly match: "error"; readonly message: string }
  /** It uses something of CEL that is not modelled: neither yes nor no. */
  | { readonly match: "notModelled"; readonly message: string };

/**
 * Whether a device selector's CEL expression holds for a device. Pure: equal arguments give equal answers, so answers are kept
 * by the identity of the device.
 * Mirrors: dynamic-resource-allocation/cel compile.go DeviceMatches, Kubernetes 1.34 to 1.37.
 */
export function deviceMatches(expression: string, driver: string, device: Device): Match {
  let answers = known.get(device);
  if (answers === undefined) {
    answers = new Map();
    known.set(device, answers);
  }
  const key = `${driver}\n${expression}`;
  const old = answers.get(key);
  if (old !== undefined) return old;
  const match = ask(expression, driver, device);
  answers.set(key, match);
  return match;
}

const known = new WeakMap<Device, Map<string, Match>>();

function ask(expression: string, driver: string, device: Device): Match {
  const parsed = parsedOnce(expression);
  if (!parsed.ok) return { match: "notModelled", message: `${parsed.why}, in the expression ${expression}` };
  const value = evaluate(parsed.expression, { name: "device", value: deviceValue(driver, device), outer: null });
  if (value.type === "bool") return { match: value.value ? "yes" : "no" };
  if (value.type === "notModelled") return { match: "notModelled", message: `${value.message}, in ${expression}` };
  const message =
    value.type === "error"
      ? value.message
      : `CEL result of type ${value.type} could not be converted to bool: unsupported type conversion from '${value.type}' to bool`;
  return { match: "error", message };
}

/** A cluster has a handful of expressions, asked of every device. Bounded, since the input is not ours. */
const expressions = new Map<string, Parsed>();
const expressionsMax = 1000;

function parsedOnce(expression: string): Parsed {
  const parsed = expressions.get(expression) ?? parse(expression);
  if (expressions.size >= expressionsMax) expressions.clear();
  expressions.set(expression, parsed);
  return parsed;
}

const emptyMap: Value = { type: "map", entries: new Map(), otherwise: null };

/** `device` as expressions see it. Domains nobody set are empty maps, so that asking for them is no error. */
function deviceValue(driver: string, device: Device): Value {
  const attributes = byDomain(device.attributes, driver, attributeValue);
  const capacity = byDomain(
    device.capacity,
    driver,
    ({ value }): Value => ({ type: "quantity", value: billionths(value), derived: false }),
  );
  return {
    type: "map",
    otherwise: null,
    entries: new Map<string, Value>([
      ["driver", text(driver)],
      ["allowMultipleAllocations", bool(device.allowMultipleAllocations)],
      ["attributes", { type: "map", entries: attributes, otherwise: emptyMap }],
      ["capacity", { type: "map", entries: capacity, otherwise: emptyMap }],
    ]),
  };
}

/** A name without a domain belongs to the driver's. */
function byDomain<T>(
  named: ReadonlyMap<string, T>,
  driver: string,
  value: (item: T) => Value,
): ReadonlyMap<string, Value> {
  const domains = new Map<string, Map<string, Value>>();
  for (const [name, item] of named) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const inDomain = domains.get(domain) ?? new Map<string, Value>();
    domains.set(domain, inDomain.set(name.slice(slash + 1), value(item)));
  }
  return new Map(
    [...domains].map(([domain, entries]): [string, Value] => [domain, { type: "map", entries, otherwise: null }]),
  );
}

function attributeValue(attribute: DeviceAttribute): Value {
  switch (attribute.type) {
    case "int":
      return int(attribute.value);
    case "bool":
      return bool(attribute.value);
    case "string":
      return text(attribute.value);
    case "version": {
      const value = parseSemver(attribute.value, false);
      return value === null ? error(`parse semantic version: ${attribute.value}`) : { type: "semver", value };
    }
  }
}

function billionths(value: number): bigint {
  return Number.isInteger(value) ? BigInt(value) * 1_000_000_000n : BigInt(Math.round(value * 1e9));
}
