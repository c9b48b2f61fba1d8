import { bool, int, text, type Value } from "./value.ts";

/** An expression as a tree. Macros (`has`, `all`, `cel.bind` …) stay calls: the evaluator knows them. */
export type Expression =
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "field"; readonly of: Expression; readonly name: string; readonly optional: boolean }
  | { readonly kind: "index"; readonly of: Expression; readonly key: Expression; readonly optional: boolean }
  /** `target` null: a plain function. */
  | {
      readonly kind: "call";
      readonly target: Expression | null;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: "unary"; readonly operator: "!" | "-"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "conditional";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "map"; readonly entries: readonly { readonly key: Expression; readonly value: Expression }[] };

export type BinaryOperator = "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "+" | "-" | "*" | "/" | "%";

export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly why: string };

/** The API server takes 10 KiB; depth is bounded so that nesting cannot exhaust the stack. */
const lengthMax = 10 * 1024;
const depthMax = 250;

/** Mirrors the grammar of the CEL specification, without bytes, messages and leading dots. */
export function parse(source: string): Parsed {
  if (source.length > lengthMax) return { ok: false, why: "the expression is too long" };
  const tokens = tokenize(source);
  if (typeof tokens === "string") return { ok: false, why: tokens };
  return new Parser(tokens).parse();
}

type Token =
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "end" };

const operators = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ","];
const brackets = ["(", ")", "[", "]", "{", "}"];
const numberPattern =
  /^(?:0[xX][0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?)/;

/** A text is why it could not be read. */
function tokenize(source: string): readonly Token[] | string {
  const tokens: Token[] = [];
  let rest = source;
  while (rest !== "") {
    const blank = /^(?:\s+|\/\/[^\n]*)/.exec(rest);
    if (blank !== null) {
      rest = rest.slice(blank[0].length);
      continue;
    }
    const quoted = /^([rRbB]{0,2})("""|'''|"|')/.exec(rest);
    if (quoted !== null) {
      const string = readString(rest, quoted[1] ?? "", quoted[2] ?? "");
      if (string === null) return "a string in it cannot be read";
      tokens.push({ kind: "value", value: text(string.value) });
      rest = rest.slice(string.length);
      continue;
    }
    const name = /^[_a-zA-Z][_a-zA-Z0-9]*/.exec(rest);
    if (name !== null) {
      tokens.push(nameToken(name[0]));
      rest = rest.slice(name[0].length);
      continue;
    }
    const number = numberPattern.exec(rest);
    if (number !== null) {
      const value = numberValue(number[0]);
      if (value === null) return `the number ${number[0]} is out of range`;
      tokens.push({ kind: "value", value });
      rest = rest.slice(number[0].length);
      continue;
    }
    const operator = [...operators, ...brackets].find((one) => rest.startsWith(one));
    if (operator === undefined) return `it has an unknown character ${rest.slice(0, 1)}`;
    tokens.push({ kind: "operator", text: operator });
    rest = rest.slice(operator.length);
  }
  return tokens;
}

function nameToken(name: string): Token {
  if (name === "true" || name === "false") return { kind: "value", value: bool(name === "true") };
  if (name === "null") return { kind: "value", value: { type: "null" } };
  return name === "in" ? { kind: "operator", text: "in" } : { kind: "name", text: name };
}

function numberValue(written: string): Value | null {
  if (/^0[xX]/.test(written) || /^\d+[uU]?$/.test(written)) {
    const unsigned = /[uU]$/.test(written);
    const value = BigInt(unsigned ? written.slice(0, -1) : written);
    // One more than the largest int is let through: it is the smallest, without its sign.
    if (value > (unsigned ? 2n ** 64n - 1n : 2n ** 63n)) return null;
    return unsigned ? { type: "uint", value } : int(value);
  }
  return { type: "double", value: Number(written) };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["?", "?"],
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
]);

function readString(source: string, prefix: string, quote: string): { value: string; length: number } | null {
  if (/[bB]/.test(prefix)) return null;
  const raw = prefix !== "";
  let value = "";
  let at = prefix.length + quote.length;
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { value, length: at + quote.length };
    const character = source[at] ?? "";
    if (quote.length === 1 && character === "\n") return null;
    if (character !== "\\" || raw) {
      value += character;
      at += 1;
      continue;
    }
    const escaped = readEscape(source.slice(at + 1, at + 10));
    if (escaped === null) return null;
    value += escaped.value;
    at += 1 + escaped.length;
  }
  return null;
}

function readEscape(rest: string): { value: string; length: number } | null {
  const plain = escapes.get(rest.slice(0, 1));
  if (plain !== undefined) return { value: plain, length: 1 };
  const hex = /^(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
  const octal = /^[0-3][0-7]{2}/.exec(rest);
  const codePoint =
    hex === null
      ? octal === null
        ? null
        : Number.parseInt(octal[0], 8)
      : Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16);
  if (codePoint === null || codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return null;
  return { value: String.fromCodePoint(codePoint), length: (hex ?? octal ?? [""])[0].length };
}

/** From loosest to tightest; each level is left-associative. */
const levels: readonly (readonly BinaryOperator[])[] = [
  ["||"],
  ["&&"],
  ["==", "!=", "<", "<=", ">", ">=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

const bad: Expression = { kind: "literal", value: { type: "null" } };

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #why = "";

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Parsed {
    const expression = this.#expression();
    if (this.#why === "" && this.#peek().kind !== "end") this.#fail("it does not end where it should");
    return this.#why === "" ? { ok: true, expression } : { ok: false, why: this.#why };
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > depthMax) return this.#fail("it is nested too deeply");
    const test = this.#binary(0);
    let expression = test;
    if (this.#take("?")) {
      const yes = this.#binary(0);
      if (!this.#take(":")) return this.#fail("a ? without its :");
      expression = { kind: "conditional", test, yes, no: this.#expression() };
    }
    this.#depth -= 1;
    return expression;
  }

  #binary(level: number): Expression {
    const operatorsHere = levels[level];
    if (operatorsHere === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = operatorsHere.find((one) => this.#is(one));
      if (operator === undefined || this.#why !== "") return left;
      this.#at += 1;
      left = { kind: "binary", operator, left, right: this.#binary(level + 1) };
    }
  }

  /** Signs of one kind in a row cancel each other in pairs, whatever follows. */
  #unary(): Expression {
    const operator = this.#is("!") ? "!" : this.#is("-") ? "-" : null;
    if (operator === null) return this.#member();
    let count = 0;
    while (this.#take(operator)) count += 1;
    const operand = this.#member();
    return count % 2 === 0 ? operand : { kind: "unary", operator, operand };
  }

  #member(): Expression {
    let expression = this.#primary();
    while (this.#why === "") {
      if (this.#take(".")) {
        const optional = this.#take("?");
        const name = this.#name();
        expression =
          !optional && this.#take("(")
            ? { kind: "call", target: expression, name, args: this.#list(")") }
            : { kind: "field", of: expression, name, optional };
      } else if (this.#take("[")) {
        const optional = this.#take("?");
        const key = this.#expression();
        if (!this.#take("]")) return this.#fail("a [ without its ]");
        expression = { kind: "index", of: expression, key, optional };
      } else break;
    }
    return expression;
  }

  #primary(): Expression {
    const token = this.#peek();
    this.#at += 1;
    if (token.kind === "value") return { kind: "literal", value: token.value };
    if (token.kind === "name") {
      if (this.#take("(")) return { kind: "call", target: null, name: token.text, args: this.#list(")") };
      return { kind: "name", name: token.text };
    }
    if (token.kind === "end") return this.#fail("it ends too early");
    if (token.text === "(") {
      const inner = this.#expression();
      return this.#take(")") ? inner : this.#fail("a ( without its )");
    }
    if (token.text === "[") return { kind: "list", items: this.#list("]") };
    if (token.text === "{") return this.#map();
    return this.#fail(`${token.text} stands where a value should`);
  }

  #list(end: ")" | "]"): readonly Expression[] {
    const items: Expression[] = [];
    while (this.#why === "" && !this.#take(end)) {
      items.push(this.#expression());
      if (this.#take(",") || this.#is(end)) continue;
      this.#fail(`a list without its ${end}`);
    }
    return items;
  }

  #map(): Expression {
    const entries: { key: Expression; value: Expression }[] = [];
    while (this.#why === "" && !this.#take("}")) {
      const key = this.#expression();
      if (!this.#take(":")) return this.#fail("a map entry without its :");
      entries.push({ key, value: this.#expression() });
      if (this.#take(",") || this.#is("}")) continue;
      this.#fail("a map without its }");
    }
    return { kind: "map", entries };
  }

  #name(): string {
    const token = this.#peek();
    if (token.kind !== "name") {
      this.#fail("a . without a name");
      return "";
    }
    this.#at += 1;
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end" };
  }

  #is(operator: string): boolean {
    const token = this.#peek();
    return token.kind === "operator" && token.text === operator;
  }

  #take(operator: string): boolean {
    if (!this.#is(operator)) return false;
    this.#at += 1;
    return true;
  }

  /** The first reason stands. */
  #fail(why: string): Expression {
    if (this.#why === "") this.#why = why;
    return bad;
  }
}
