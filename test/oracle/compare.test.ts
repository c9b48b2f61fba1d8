import assert from "node:assert/strict";
import { test } from "node:test";
import { compareDecisions } from "./compare.ts";
import type { Decision } from "./decision.ts";

const fits: Decision = {
  pod: "a/p",
  preFilter: { code: "Success" },
  nodes: [
    { node: "n1", code: "Success" },
    {
      node: "n2",
      code: "Unschedulable",
      plugin: "NodeResourcesFit",
      reasons: ["Insufficient cpu", "Insufficient memory"],
    },
    { node: "n3", code: "Success" },
  ],
  evaluated: 3,
  feasible: ["n1", "n3"],
  scores: [{ plugin: "ImageLocality", weight: 1, raw: [0, 7], score: [0, 7] }],
  totals: [0, 7],
  top: ["n3"],
};

const full: Decision = {
  pod: "a/p",
  preFilter: { code: "Success" },
  nodes: [{ node: "n1", code: "Unschedulable", plugin: "NodeResourcesFit", reasons: ["Insufficient cpu"] }],
  evaluated: 1,
  message: "0/1 nodes are available: 1 Insufficient cpu.",
  preemption: { candidates: [{ node: "n1", victims: ["a/x", "a/y"], violations: 0 }], nodes: ["n1"] },
};

const zeroScore = { plugin: "DynamicResources", weight: 2, raw: [0, 0], score: [0, 0] };
const gated = { code: "UnschedulableAndUnresolvable", plugin: "SchedulingGates", reasons: ["waiting"] } as const;

const rows: readonly (readonly [string, Decision, Decision, readonly string[]])[] = [
  ["the same answer twice", fits, structuredClone(fits), []],
  [
    "the order of what does not fit means nothing",
    fits,
    withNode(fits, 1, { reasons: ["Insufficient memory", "Insufficient cpu"] }),
    [],
  ],
  ["another filter speaks", fits, withNode(fits, 1, { plugin: "NodePorts" }), ["filter verdict NodeResourcesFit"]],
  [
    "another kind of no",
    fits,
    withNode(fits, 1, { code: "UnschedulableAndUnresolvable" }),
    ["filter verdict NodeResourcesFit"],
  ],
  ["another reason", fits, withNode(fits, 1, { reasons: ["Insufficient cpu"] }), ["filter reason NodeResourcesFit"]],
  [
    "a score is one off",
    fits,
    { ...fits, scores: [{ plugin: "ImageLocality", weight: 1, raw: [0, 7], score: [0, 6] }], totals: [0, 6] },
    ["score ImageLocality", "total score"],
  ],
  [
    "normalizing hides a raw score",
    fits,
    { ...fits, scores: [{ plugin: "ImageLocality", weight: 1, raw: [0, 8], score: [0, 7] }] },
    ["raw score ImageLocality"],
  ],
  ["a score that only says zero may be missing", { ...fits, scores: [zeroScore, ...(fits.scores ?? [])] }, fits, []],
  ["another best node", fits, { ...fits, top: ["n1", "n3"] }, ["best nodes"]],
  ["the search went on", fits, { ...fits, evaluated: 2 }, ["nodes looked at"]],
  ["another sentence", full, { ...full, message: "0/1 nodes are available." }, ["message"]],
  [
    "another victim first",
    full,
    { ...full, preemption: { candidates: [{ node: "n1", victims: ["a/y", "a/x"], violations: 0 }], nodes: ["n1"] } },
    ["preemption victims"],
  ],
  ["nobody is displaced", full, withoutPreemption(full), ["preemption nodes"]],
  ["gated", { pod: "a/p", preEnqueue: gated, preFilter: { code: "Success" } }, fits, ["pre-enqueue verdict"]],
];

for (const [name, theirs, ours, kinds] of rows) {
  test(name, () => {
    assert.deepEqual(
      compareDecisions(theirs, ours, false).map((difference) => difference.kind),
      kinds,
    );
  });
}

function withNode(decision: Decision, index: number, fields: object): Decision {
  return { ...decision, nodes: (decision.nodes ?? []).map((node, i) => (i === index ? { ...node, ...fields } : node)) };
}

function withoutPreemption(decision: Decision): Decision {
  const { preemption: _, ...rest } = decision;
  return rest;
}
