import assert from "node:assert/strict";
import { test } from "node:test";
import { Column, TextColumn } from "./column.ts";

test("what was set stays as the column grows", () => {
  const column = Column.ofAny(3);
  for (let place = 0; place < 5000; place += 1) column.set(place, place % 3, place / 2);
  for (let place = 0; place < 5000; place += 1) {
    for (let which = 0; which < 3; which += 1)
      assert.equal(column.get(place, which), which === place % 3 ? place / 2 : 0);
  }
});

test("whole numbers keep their sign", () => {
  const column = Column.ofWhole(1);
  column.set(4000, 0, -2);
  assert.deepEqual([column.get(4000, 0), column.get(3999, 0), column.get(9000, 0)], [-2, 0, 0]);
});

test("texts are where they were set, and empty elsewhere", () => {
  const column = new TextColumn();
  for (let place = 0; place < 5000; place += 1) column.set(place, `text ${place}`);
  column.set(4095, "again");
  assert.deepEqual(
    [0, 4095, 4096, 4999, 5000, 9000].map((place) => column.get(place)),
    ["text 0", "again", "text 4096", "text 4999", "", ""],
  );
});
