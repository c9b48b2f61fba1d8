import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashOf, PlaceTable } from "./place-table.ts";

function tableOf(texts: readonly string[]): PlaceTable {
  const table = new PlaceTable((place) => texts[place] ?? "");
  for (const [place, text] of texts.entries()) assert.equal(table.claim(text, place), place);
  return table;
}

test("every text is found at its place, and no other is", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), fc.string(), (texts, other) => {
      const table = tableOf(texts);
      for (const [place, text] of texts.entries()) {
        assert.equal(table.find(text), place);
        assert.equal(table.claim(text, texts.length), place);
      }
      assert.equal(table.find(other), texts.indexOf(other));
    }),
  );
});

test("so they are when there are more than it began with room for", () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `team-${at % 7}/pod-${at}`);
  const table = tableOf(texts);
  for (const [place, text] of texts.entries()) assert.equal(table.find(text), place);
  assert.equal(table.find("team-0/pod-1"), -1);
});

test("texts chosen to crowd one place are found too", () => {
  const crowd: string[] = [];
  for (let at = 0; crowd.length < 200; at += 1) if ((hashOf(`x${at}`) & 0xfff) < 16) crowd.push(`x${at}`);
  const table = tableOf(crowd);
  for (const [place, text] of crowd.entries()) {
    assert.equal(table.find(text), place);
    assert.equal(table.claim(text, crowd.length), place);
  }
  assert.equal(table.find("y"), -1);
});
