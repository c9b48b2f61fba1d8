import assert from "node:assert/strict";
import { test } from "node:test";
import { Journal } from "./journal.ts";

test("undo goes back to the mark and no further", () => {
  const journal = new Journal();
  const thing = { count: 0, list: ["a"] };
  const map = new Map([["x", 1]]);
  journal.set(thing, "count", 1);
  const mark = journal.mark();
  journal.set(thing, "count", 2);
  journal.set(thing, "count", 3);
  journal.push(thing.list, "b");
  journal.mapSet(map, "x", 9);
  journal.mapSet(map, "y", 2);
  journal.mapDelete(map, "x");
  journal.undoTo(mark);
  assert.deepEqual([thing, [...map]], [{ count: 1, list: ["a"] }, [["x", 1]]]);
});

test("setting what is already there leaves nothing to undo", () => {
  const journal = new Journal();
  const thing = { count: 1 };
  journal.set(thing, "count", 1);
  assert.equal(journal.mark(), 0);
});
