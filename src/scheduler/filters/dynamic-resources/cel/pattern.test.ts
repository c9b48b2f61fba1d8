import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../../../test/support/rows.ts";
import { parsePattern } from "./pattern.ts";

// Meanings from RE2's syntax page; `null` is a pattern outside the subset.
function matched([pattern, text]: readonly [string, string]): boolean | null {
  return parsePattern(pattern)?.matches(text) ?? null;
}

rows("a pattern", matched, [
  ["anywhere in the text", ["10", "A100"], true],
  ["anchored", ["^10", "A100"], false],
  ["the end is the end, not before a line break", ["a$", "a\n"], false],
  ["a dot is no line break", ["^.$", "\n"], false],
  ["nothing matches everything", ["", "x"], true],
  ["counted", ["^a{2,3}$", "aaaa"], false],
  ["counted without a bound", ["^a{2,}$", "aaaa"], true],
  ["a brace that counts nothing", ["^a{$", "a{"], true],
  ["alternatives", ["^(?:ab|c)+$", "abcab"], true],
  ["a set", ["^[^a-c]$", "d"], true],
  ["a set with its own bracket", ["^[]a]+$", "]a]"], true],
  ["classes", ["^\\d\\D\\s\\w$", "1x _"], true],
  ["a word's edge", ["\\bab\\b", "x ab y"], true],
  ["within a word", ["\\bab\\b", "xaby"], false],
  ["case ignored from there on", ["a(?i)bc", "aBC"], true],
  ["and before not", ["a(?i)bc", "ABC"], false],
  ["a name is only a name", ["^(?P<x>a)$", "a"], true],
  ["no look ahead", ["a(?=b)", "ab"], null],
  ["no back reference", ["(a)\\1", "aa"], null],
  ["no classes by name", ["[[:alpha:]]", "a"], null],
  ["nothing to repeat", ["*a", "a"], null],
  ["counts too large", ["a{1001}", "a"], null],
  ["counts too large together", ["(?:a{100}){11}", "a"], null],
  ["an open group", ["(a", "a"], null],
]);

test("a pattern that makes others hang is read once", () => {
  assert.equal(parsePattern("^(a+)+$")?.matches(`${"a".repeat(5000)}b`), false);
});
