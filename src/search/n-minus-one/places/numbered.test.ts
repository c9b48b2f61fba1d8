import assert from "node:assert/strict";
import { test } from "node:test";
import { template } from "../../../../test/support/tiny.ts";
import { Numbered } from "./numbered.ts";

test("each template has a number of its own, whatever number it bears itself", () => {
  const numbered = new Numbered();
  const templates = [5, 5, -1, -1, 4_000, 0].map((id) => template("web", { id }));
  assert.deepEqual(
    templates.map((each) => numbered.find(each)),
    templates.map(() => -1),
  );
  assert.deepEqual(
    templates.map((each) => numbered.add(each)),
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    templates.map((each) => numbered.find(each)),
    [0, 1, 2, 3, 4, 5],
  );
});

test("a template may have the number of another, whatever number either bears itself", () => {
  const numbered = new Numbered();
  const [form, own, alike, none] = [7, 8, 7, -1].map((id) => template("web", { id }));
  assert.ok(form !== undefined && own !== undefined && alike !== undefined && none !== undefined);
  const number = numbered.add(form);
  for (const other of [own, alike, none]) numbered.alsoKnow(other, number);
  assert.deepEqual(
    [form, own, alike, none].map((each) => numbered.find(each)),
    [0, 0, 0, 0],
  );
  assert.deepEqual(numbered.templates, [form]);
  assert.equal(numbered.find(template("web", { id: 8 })), -1);
});
