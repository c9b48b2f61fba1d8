import assert from "node:assert/strict";
import { test } from "node:test";
import { built } from "../../../test/search/built.ts";
import { noTiming } from "../../cli/timing-fields.ts";
import { spreadRules } from "../../scheduler/spread-rule.ts";
import { timingOf } from "../../sim/timing.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { standingOf } from "./standing.ts";

const spread = {
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "a" } },
};

test("a domain whose only node is not Ready is counted now, and may be gone", () => {
  const cluster = built([node("n1", "True"), node("n2", "Unknown"), node("n3", "True"), pod()]);
  const { view, domains } = standingOf(cluster, timingOf(cluster, noTiming));
  const [first] = [...view.pods];
  assert.ok(first !== undefined);
  const [rule] = spreadRules(first.template, "DoNotSchedule");
  assert.ok(rule !== undefined);
  const { domains: all, lasting } = domains.of(first.template, rule);
  assert.deepEqual([...all], ["n1", "n2", "n3"]);
  assert.equal(lasting, 2);
});

function node(name: string, status: string): WireObject {
  const size = { cpu: "4", memory: "8Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    status: { capacity: size, allocatable: size, conditions: [{ type: "Ready", status }] },
  };
}

function pod(): WireObject {
  const containers = [{ name: "main", image: "registry.example/main:1" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name: "a", labels: { app: "a" } },
    spec: { nodeName: "n1", containers, topologySpreadConstraints: [spread] },
    status: { phase: "Running" },
  };
}
