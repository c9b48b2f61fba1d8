import { callFunction } from "./functions.ts";
import { arithmetic } from "./operators.ts";
import type { Expression } from "./parse.ts";
import {
  bool,
  broken,
  compare,
  equal,
  equals,
  error,
  int,
  isBroken,
  noOverload,
  notModelled,
  text,
  type Value,
} from "./value.ts";

/** Names in reach. The innermost wins. */
export interface Scope {
  readonly name: string;
  readonly value: Value;
  readonly outer: Scope | null;
}

/**
 * Evaluates an expression as cel-go does for dynamically typed values. There is no type check before: what the API server's
 * compiler would have refused gives an error or `notModelled`.
 */
export function evaluate(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "name":
      return lookUp(expression.name, scope);
    case "field":
      return member(evaluate(expression.of, scope), text(expression.name), expression.optional);
    case "index":
      return member(evaluate(expression.of, scope), evaluate(expression.key, scope), expression.optional);
    case "unary":
      return unary(expression.operator, evaluate(expression.operand, scope));
    case "binary":
      return binary(expression, scope);
    case "conditional": {
      const test = evaluate(expression.test, scope);
      if (isBroken(test)) return test;
      if (test.type !== "bool") return noOverload;
      return evaluate(test.value ? expression.yes : expression.no, scope);
    }
    case "list": {
      const items = expression.items.map((item) => evaluate(item, scope));
      return broken(items) ?? { type: "list", items };
    }
    case "map":
      return mapOf(expression, scope);
    case "call":
      return call(expression, scope);
  }
}

function lookUp(name: string, scope: Scope): Value {
  for (let at: Scope | null = scope; at !== null; at = at.outer) if (at.name === name) return at.value;
  return notModelled(`the name ${name}`);
}

/** `of.key`, `of[key]`, and their optional forms, which give an optional value instead of an error for an absent key. */
function member(of: Value, key: Value, optional: boolean): Value {
  const bad = broken([of, key]);
  if (bad !== null) return bad;
  if (of.type === "optional") {
    return of.value === null ? of : member(of.value, key, true);
  }
  const found = element(of, key);
  if (!optional) return found ?? error(`no such key: ${keyText(key)}`);
  return found?.type === "error" ? found : { type: "optional", value: found };
}

/** Null: the key is absent. */
function element(of: Value, key: Value): Value | null {
  if (of.type === "map") {
    if (key.type !== "string") return null;
    return of.entries.get(key.value) ?? of.otherwise;
  }
  if (of.type !== "list" || key.type !== "int") return noOverload;
  return of.items[Number(key.value)] ?? error(`index out of bounds: ${key.value}`);
}

function keyText(key: Value): string {
  return "value" in key ? String(key.value) : key.type;
}

function unary(operator: "!" | "-", operand: Value): Value {
  if (isBroken(operand)) return operand;
  if (operator === "!") return operand.type === "bool" ? bool(!operand.value) : noOverload;
  if (operand.type === "double") return { type: "double", value: -operand.value };
  return operand.type === "int" ? int(-operand.value) : noOverload;
}

function binary({ operator, left, right }: Extract<Expression, { kind: "binary" }>, scope: Scope): Value {
  const first = evaluate(left, scope);
  if (operator === "&&" || operator === "||") {
    const decisive = operator === "||";
    if (first.type === "bool" && first.value === decisive) return first;
    return logical(first, evaluate(right, scope), decisive);
  }
  const second = evaluate(right, scope);
  const bad = broken([first, second]);
  if (bad !== null) return bad;
  switch (operator) {
    case "==":
      return equals(first, second);
    case "!=":
      return bool(!isTrue(equals(first, second)));
    case "in":
      return contains(second, first);
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const order = compare(first, second);
      if (order === null) return noOverload;
      if (operator === "<") return bool(order < 0);
      if (operator === "<=") return bool(order <= 0);
      return bool(operator === ">" ? order > 0 : order >= 0);
    }
    default:
      return arithmetic(operator, first, second);
  }
}

/** What cannot be compared is different. */
function isTrue(value: Value): boolean {
  return value.type === "bool" && value.value;
}

/** The deciding value wins over an error on the other side. */
function logical(first: Value, second: Value, decisive: boolean): Value {
  if (second.type === "bool" && second.value === decisive) return second;
  if (first.type === "bool" && second.type === "bool") return bool(!decisive);
  return broken([first, second]) ?? noOverload;
}

function contains(container: Value, item: Value): Value {
  if (container.type === "list") {
    const isOdd = item.type === "semver" || item.type === "quantity";
    if (isOdd && !container.items.some(({ type }) => type === item.type))
      return notModelled(`a ${item.type} in such a list`);
    return bool(container.items.some((one) => equal(one, item)));
  }
  if (container.type === "map") return bool(item.type === "string" && container.entries.has(item.value));
  return noOverload;
}

function mapOf({ entries }: Extract<Expression, { kind: "map" }>, scope: Scope): Value {
  const found = new Map<string, Value>();
  for (const entry of entries) {
    const key = evaluate(entry.key, scope);
    const value = evaluate(entry.value, scope);
    const bad = broken([key, value]);
    if (bad !== null) return bad;
    if (key.type !== "string") return notModelled("a map whose keys are not strings");
    found.set(key.value, value);
  }
  return { type: "map", entries: found, otherwise: null };
}

type Call = Extract<Expression, { kind: "call" }>;

function call(expression: Call, scope: Scope): Value {
  const { target, name, args } = expression;
  if (target === null && name === "has") return has(args);
  if (target?.kind === "name" && target.name === "cel" && name === "bind") return bind(args, scope);
  if (target?.kind === "name" && target.name === "optional") return optionalOf(name, args, scope);
  if (target !== null && comprehensions.has(name) && args.length >= 2 && args[0]?.kind === "name") {
    return comprehension(expression, target, scope);
  }
  const subject = target === null ? null : evaluate(target, scope);
  const values = args.map((arg) => evaluate(arg, scope));
  const lazy = subject === null ? null : orElse(subject, name, values);
  if (lazy !== null) return lazy;
  return broken(subject === null ? values : [subject, ...values]) ?? callFunction(name, subject, values);

  function has(parts: readonly Expression[]): Value {
    const [field] = parts;
    if (parts.length !== 1 || field?.kind !== "field") return notModelled("has() of something that is no field");
    const of = evaluate(field.of, scope);
    if (isBroken(of)) return of;
    if (of.type !== "map") return noOverload;
    return bool(of.entries.has(field.name) || of.otherwise !== null);
  }
}

function bind(args: readonly Expression[], scope: Scope): Value {
  const [name, value, body] = args;
  if (name?.kind !== "name" || value === undefined || body === undefined) return notModelled("this form of cel.bind");
  return evaluate(body, { name: name.name, value: evaluate(value, scope), outer: scope });
}

function optionalOf(name: string, args: readonly Expression[], scope: Scope): Value {
  if (name === "none") return { type: "optional", value: null };
  const [arg] = args;
  if (name !== "of" || arg === undefined) return notModelled(`the function optional.${name}`);
  const value = evaluate(arg, scope);
  return isBroken(value) ? value : { type: "optional", value };
}

/** `or` and `orValue` look at their argument only when there is no value. */
function orElse(subject: Value, name: string, args: readonly Value[]): Value | null {
  const [other] = args;
  if (subject.type !== "optional" || (name !== "orValue" && name !== "or") || other === undefined) return null;
  if (subject.value === null) return other;
  return name === "orValue" ? subject.value : subject;
}

const comprehensions: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "existsOne", "filter", "map"]);

function comprehension({ name, args }: Call, target: Expression, scope: Scope): Value {
  const over = evaluate(target, scope);
  if (isBroken(over)) return over;
  const [variable, first, second] = args;
  if (variable?.kind !== "name" || first === undefined || args.length > 3) return notModelled(`this form of ${name}`);
  if (second !== undefined && name !== "map") return notModelled(`${name} over two variables`);
  if (over.type !== "list" && over.type !== "map") return noOverload;
  const items = over.type === "list" ? over.items : [...over.entries.keys()].map(text);
  const scopes = items.map((value): Scope => ({ name: variable.name, value, outer: scope }));
  switch (name) {
    case "all":
      return scopes.reduce((sum: Value, inner) => fold(sum, first, inner, false), bool(true));
    case "exists":
      return scopes.reduce((sum: Value, inner) => fold(sum, first, inner, true), bool(false));
    case "map":
      return mapped(scopes, second === undefined ? null : first, second ?? first);
    default: {
      const kept = selected(scopes, first);
      if (!Array.isArray(kept)) return kept;
      return name === "filter" ? { type: "list", items: kept.map(({ value }) => value) } : bool(kept.length === 1);
    }
  }
}

function fold(sum: Value, test: Expression, scope: Scope, decisive: boolean): Value {
  return sum.type === "bool" && sum.value === decisive ? sum : logical(sum, evaluate(test, scope), decisive);
}

/** The scopes a test holds for; a value is what broke. */
function selected(scopes: readonly Scope[], test: Expression): Scope[] | Value {
  const kept: Scope[] = [];
  for (const scope of scopes) {
    const value = evaluate(test, scope);
    if (isBroken(value)) return value;
    if (value.type !== "bool") return noOverload;
    if (value.value) kept.push(scope);
  }
  return kept;
}

function mapped(scopes: readonly Scope[], test: Expression | null, result: Expression): Value {
  const kept = test === null ? scopes : selected(scopes, test);
  if (!("map" in kept)) return kept;
  const items = kept.map((scope) => evaluate(result, scope));
  return broken(items) ?? { type: "list", items };
}
