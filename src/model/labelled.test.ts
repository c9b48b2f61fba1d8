import assert from "node:assert/strict";
import { test } from "node:test";
import { Labelled } from "./labelled.ts";
import type { Requirement } from "./labels.ts";

const is = (key: string, ...values: readonly string[]): Requirement => ({ key, operator: "In", values });

/** `apps`: one for each set of its labels. */
interface Thing {
  readonly name: string;
  readonly apps: readonly string[];
}

test("things are found by a label of theirs, each once, those that came after it was asked for too", () => {
  const labelled = new Labelled(
    ({ apps }: Thing) => apps.map((app) => new Map([["app", app]])),
    [
      { name: "one", apps: ["chat"] },
      { name: "two", apps: ["chat", "chat"] },
      { name: "three", apps: ["code", "chat"] },
    ],
  );
  const near = (...requirements: readonly Requirement[]): readonly string[] =>
    labelled.near({ requirements, invalid: false }).map(({ name }) => name);
  assert.deepEqual(near(is("app", "chat")), ["one", "two", "three"]);
  assert.deepEqual(near(is("app", "code")), ["three"]);
  labelled.add({ name: "four", apps: ["code"] });
  assert.deepEqual(near(is("app", "code")), ["three", "four"]);
  assert.deepEqual(near(is("app", "search")), []);
  assert.deepEqual(near(is("tier", "front")), []);
  assert.deepEqual(near(is("app", "chat", "code")), ["one", "two", "three", "four"]);
});
