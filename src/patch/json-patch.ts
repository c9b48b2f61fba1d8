import { isJsonList, isJsonObject } from "../wire/fields.ts";
import { type PathStep, pathSteps, placeIn, valueAt, withValue } from "../wire/object-path.ts";
import type { Json, JsonObject } from "../wire/snapshot.ts";
import type { FieldEdit } from "./edit.ts";

/**
 * The fields as operations on this very object: elements of lists by where they stand now, each tested to be the one that is meant;
 * what has to be there for a field is made with it. A value of null takes the field away.
 */
export function jsonPatchOf(fields: readonly FieldEdit[], object: JsonObject): readonly JsonObject[] {
  let now: Json = object;
  const tested = new Set<Json | undefined>();
  return fields.flatMap(({ path, value }) => {
    const steps = pathSteps(path);
    const tests = testsOf(steps, now).filter((test) => !tested.has(test["path"]));
    for (const test of tests) tested.add(test["path"]);
    const operations = [...tests, ...setOf(steps, value, now)];
    now = withValue(now, steps, value ?? undefined) ?? now;
    return operations;
  });
}

/** Elements told by a field still are where they were found. */
function testsOf(steps: readonly PathStep[], object: Json): readonly JsonObject[] {
  return steps.flatMap((step, index) =>
    step.by === "key"
      ? [
          {
            op: "test",
            path: `${pointerOf(steps.slice(0, index + 1), object)}/${escaped(step.field)}`,
            value: step.value,
          },
        ]
      : [],
  );
}

function setOf(steps: readonly PathStep[], value: Json, object: Json): readonly JsonObject[] {
  const path = pointerOf(steps, object);
  if (value === null) return valueAt(object, steps) === undefined ? [] : [{ op: "remove", path }];
  const missing = steps.findIndex((_, index) => !isContainer(valueAt(object, steps.slice(0, index + 1))));
  if (missing < 0 || missing === steps.length - 1) return [{ op: "add", path, value }];
  const nested = withValue({}, steps.slice(missing + 1), value) ?? value;
  return [{ op: "add", path: pointerOf(steps.slice(0, missing + 1), object), value: nested }];
}

function isContainer(value: Json | undefined): boolean {
  return isJsonObject(value) || isJsonList(value);
}

function pointerOf(steps: readonly PathStep[], object: Json): string {
  return steps
    .map((step, index) => {
      if (step.by === "field") return `/${escaped(step.name)}`;
      const list = valueAt(object, steps.slice(0, index));
      return `/${isJsonList(list) ? Math.max(0, placeIn(list, step)) : 0}`;
    })
    .join("");
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
