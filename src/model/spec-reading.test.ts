import assert from "node:assert/strict";
import { test } from "node:test";
import { askedFields, readAsPodSpec } from "../../test/wire/asked-fields.ts";
import { ByteNumbers } from "../wire/byte-numbers.ts";
import { type FieldReading, Reading } from "../wire/gist.ts";
import { containersRead, numberedIn } from "./spec-reading.ts";

const numbers = new ByteNumbers(1 << 10);
const { template, pod } = numberedIn({ containers: numbers, initContainers: numbers, volumes: numbers });

/** How a path inside a spec is read; list elements are read as what their list holds. */
function readingOf(spec: Reading, path: string): FieldReading {
  let reading: FieldReading = spec;
  for (const segment of path.split(".")) {
    if (!(reading instanceof Reading)) return reading;
    reading = reading.named(segment.replace("[]", ""));
  }
  return reading;
}

/** Read by themselves, beside the rest of the spec. */
const apart = ["preemptionPolicy", "priority", "priorityClassName", "tolerations"];

const asked = [...askedFields({}, readAsPodSpec).keys()];

test("nothing that parsers of a spec ask for is left out of what two specs are compared by", () => {
  const missing = asked.filter((path) => readingOf(template, path) === "unread");
  assert.deepEqual(
    missing.filter((path) => !apart.some((field) => path === field || path.startsWith(`${field}[]`))),
    [],
  );
  assert.deepEqual(
    missing.filter((path) => !path.includes(".")).sort(),
    apart,
    "what is read apart is not looked at twice",
  );
});

test("of fields whose presence alone counts, nothing inside is asked for", () => {
  assert.deepEqual(asked.filter((path) => readingOf(template, path) === "presence").sort(), [
    "containers[].readinessProbe",
    "containers[].startupProbe",
    "initContainers[].readinessProbe",
    "initContainers[].startupProbe",
  ]);
});

test("of a pod, its node alone is left out besides", () => {
  assert.deepEqual(
    asked.filter((path) => readingOf(pod, path) !== readingOf(template, path)),
    ["nodeName"],
  );
});

test("containers are read in a spec as they are by themselves", () => {
  for (const path of asked) {
    const inList = /^(?:containers|initContainers)\[\]\.(.*)$/.exec(path)?.[1];
    if (inList !== undefined) assert.equal(readingOf(template, path), readingOf(containersRead, inList), path);
  }
});
