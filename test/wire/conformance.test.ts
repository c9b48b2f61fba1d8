import assert from "node:assert/strict";
import { test } from "node:test";
import { beyondTheTypes, kindFields, metadataFields, podSpecFields } from "../../src/wire/conformance.ts";
import type { Json } from "../../src/wire/snapshot.ts";
import { askedFields, readAsCluster, readAsPodSpec } from "./asked-fields.ts";

/** Version in which a kind is read here: the one the generated types are of. */
const versions: ReadonlyMap<string, string> = new Map([
  ["HorizontalPodAutoscaler.autoscaling", "v2"],
  ["DeviceTaintRule.resource.k8s.io", "v1alpha3"],
]);

const podSpec = askedFields({}, readAsPodSpec);
const shared = new Set(["apiVersion", "kind", "metadata", ...metadataFields.map((field) => `metadata.${field}`)]);

/** Every path that is above another one is left out: its children speak for it. */
function deepest(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => !paths.some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`)))
    .sort();
}

function isBeyond(kind: string, path: string): boolean {
  const known = beyondTheTypes.get(kind) ?? [];
  return known.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[]`));
}

function askedOf(kind: string): readonly string[] {
  const dot = kind.indexOf(".");
  const group = kind.slice(dot + 1);
  const version = versions.get(kind) ?? "v1";
  const base: Record<string, Json> = {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: kind.slice(0, dot),
    metadata: { name: "x", namespace: "x" },
  };
  // What a pod's kubelet reports is looked at closely only when it differs from the spec.
  if (kind === "Pod.") base["status"] = { resources: {} };
  return [...askedFields(base, readAsCluster).keys()].filter(
    (path) => !shared.has(path) && !path.startsWith("metadata.ownerReferences"),
  );
}

/** Fields of a pod's spec or of a template's have a list of their own. */
function isInPodSpec(path: string): boolean {
  return podSpec.has(path.replace(/^(spec\.template\.)?spec\./, ""));
}

for (const [kind, fields] of kindFields) {
  test(`the fields of ${kind} that are read are those held against the generated type`, () => {
    const own = askedOf(kind).filter((path) => fields.includes(path) || !isInPodSpec(path));
    const asked = deepest(own).filter((path) => !isBeyond(kind, path));
    assert.deepEqual(asked, [...fields].sort());
  });
}

test("the fields of pod specs that are read are those held against the generated type", () => {
  const asked = deepest([...podSpec.keys()]).filter((path) => !isBeyond("PodSpec", path));
  assert.deepEqual(asked, [...podSpecFields].sort());
});
