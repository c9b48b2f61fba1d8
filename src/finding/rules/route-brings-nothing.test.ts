import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "../../../test/support/findings.ts";
import { object, service, type Thing } from "../../../test/support/serving.ts";

const pool = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "m" };
const routeTo = (name: string, parent: Thing, backendRefs: readonly Thing[]): Thing =>
  object("gateway.networking.k8s.io/v1", "HTTPRoute", name, {
    parentRefs: [{ name: "g", ...parent }],
    rules: [{ backendRefs }],
  });

test("a second route, to a listener that is not there", () => {
  const lines = found(({ more }) => more.push(routeTo("r", { sectionName: "nowhere" }, [pool])));
  assert.deepEqual(lines, ["route-brings-nothing/noListener warning m"]);
});

test("a second route, with all weight elsewhere", () => {
  const others = [
    { ...pool, weight: 0 },
    { name: "other", weight: 1 },
  ];
  const lines = found(({ more }) => more.push(routeTo("r", {}, others), service("other", { app: "other" })));
  assert.deepEqual(lines, ["route-brings-nothing/noWeight note m"]);
});

test("some weight is weight, also in one rule of two", () => {
  const route = object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", {
    parentRefs: [{ name: "g" }],
    rules: [{ backendRefs: [{ ...pool, weight: 0 }] }, { backendRefs: [pool] }],
  });
  assert.deepEqual(
    found(({ more }) => more.push(route)),
    [],
  );
});
