import assert from "node:assert/strict";
import { test } from "node:test";
import { poolCluster, type Shape } from "../../test/search/pool-cluster.ts";
import { loadText } from "../load/from-files.ts";
import { buildCluster } from "./build.ts";
import type { PodTemplate } from "./pod-template.ts";
import { derivedTemplate, isSameContent, templateContent } from "./template-content.ts";

const shape: Shape = {
  nodes: 4,
  endpoints: 2,
  others: 6,
  fill: 0.5,
  free: 0.5,
  budgets: 0,
  spread: 0.5,
  alike: true,
  kured: false,
};

function templates(): readonly PodTemplate[] {
  const text = poolCluster(1, shape).map((object) => JSON.stringify(object));
  const { pods, workloads } = buildCluster(loadText(text.join("\n"), "generated.ndjson"));
  const read = [
    ...pods.map(({ template }) => template),
    ...[...workloads.values()].flatMap((workload) => ("template" in workload ? [workload.template] : [])),
  ];
  const [first] = read;
  assert.ok(first !== undefined);
  return [
    ...read,
    derivedTemplate(first, [["pod-template-hash", "other"]]),
    derivedTemplate(first, [["new", "label"]]),
    derivedTemplate(first, [], { nodeSelector: new Map([["disk", "ssd"]]) }),
    derivedTemplate(first, [], { terminationGraceMs: first.terminationGraceMs + 1 }),
    derivedTemplate(first, [], { images: [...first.images] }),
  ];
}

test("two templates are the same exactly when their contents are, with a label left out too", () => {
  const all = templates();
  const counts = { same: 0, other: 0 };
  for (const without of [[], ["pod-template-hash"]]) {
    for (const a of all) {
      for (const b of all) {
        const same = templateContent(a, without) === templateContent(b, without);
        counts[same ? "same" : "other"] += 1;
        assert.equal(isSameContent(a, b, without), same);
      }
    }
  }
  assert.ok(counts.same > all.length * 2 && counts.other > 0, JSON.stringify(counts));
});
