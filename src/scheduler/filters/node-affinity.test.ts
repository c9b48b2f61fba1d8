import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../test/support/rows.ts";
import { explained, incoming, node, verdicts } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/nodeaffinity/node_affinity.go and component-helpers nodeaffinity.go, Kubernetes 1.36.3.
const noMatch = "for good, NodeAffinity: node(s) didn't match Pod's node affinity/selector";
const fast = node("fast", { labels: { disk: "ssd", size: "12" } });
const slow = node("slow", { labels: { disk: "hdd", size: "007" } });
const plain = node("plain");

function requiring(...nodeSelectorTerms: readonly JsonObject[]) {
  return incoming({
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  });
}
const label = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const named = (operator: string, ...values: readonly string[]) => ({ key: "metadata.name", operator, values });

rows("NodeAffinity", verdicts, [
  [
    "nodeSelector needs every label",
    { objects: [fast, slow, incoming({ spec: { nodeSelector: { disk: "ssd", size: "12" } } })] },
    { fast: "pass", slow: noMatch },
  ],
  [
    "In",
    { objects: [fast, slow, plain, requiring(label("disk", "In", "ssd", "nvme"))] },
    { fast: "pass", slow: noMatch, plain: noMatch },
  ],
  [
    "NotIn matches a missing label",
    { objects: [fast, slow, plain, requiring(label("disk", "NotIn", "ssd"))] },
    { fast: noMatch, slow: "pass", plain: "pass" },
  ],
  [
    "Exists and DoesNotExist",
    { objects: [fast, plain, requiring({ matchExpressions: [{ key: "disk", operator: "DoesNotExist" }] })] },
    { fast: noMatch, plain: "pass" },
  ],
  [
    "Gt compares numbers and needs the label",
    { objects: [fast, slow, plain, requiring(label("size", "Gt", "8"))] },
    { fast: "pass", slow: noMatch, plain: noMatch },
  ],
  [
    "Lt reads leading zeros",
    { objects: [fast, slow, requiring(label("size", "Lt", "8"))] },
    { fast: noMatch, slow: "pass" },
  ],
  [
    "terms are alternatives, expressions in a term are not",
    {
      objects: [
        fast,
        slow,
        plain,
        requiring(label("disk", "In", "hdd"), {
          matchExpressions: [
            { key: "disk", operator: "In", values: ["ssd"] },
            { key: "size", operator: "In", values: ["1"] },
          ],
        }),
      ],
    },
    { fast: noMatch, slow: "pass", plain: noMatch },
  ],
  ["an empty term matches nothing", { objects: [plain, requiring({})] }, { plain: noMatch }],
  [
    "nodeSelector and affinity must both match",
    {
      objects: [
        fast,
        incoming({
          spec: {
            nodeSelector: { disk: "hdd" },
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [label("size", "Exists")] },
              },
            },
          },
        }),
      ],
    },
    { fast: noMatch },
  ],
  [
    "names that exclude each other leave no node, and the message is PreFilter's",
    { objects: [fast, requiring({ matchFields: [named("In", "fast"), named("In", "slow")] })] },
    { all: "for good, NodeAffinity: pod affinity terms conflict" },
  ],
  [
    "NotIn by name",
    { objects: [fast, slow, requiring({ matchFields: [named("NotIn", "fast")] })] },
    { fast: noMatch, slow: "pass" },
  ],
]);

test("NodeAffinity: when every term names nodes only those are looked at", () => {
  const both = [{ matchFields: [named("In", "slow")] }, { matchFields: [named("In", "gone")] }];
  assert.deepEqual(explained({ objects: [fast, slow, plain, requiring(...both)] }).restricted, ["slow"]);
  const one = requiring({ matchFields: [named("In", "slow")] }, label("disk", "Exists"));
  assert.equal(explained({ objects: [fast, slow, plain, one] }).restricted, null);
});

test("NodeAffinity: the nodes left out are told in one line", () => {
  const pod = incoming({
    spec: {
      nodeSelector: { disk: "ssd" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [named("In", "slow")] }],
          },
        },
      },
    },
  });
  const { message } = explained({ objects: [fast, slow, plain, pod] });
  assert.ok(
    message.startsWith(
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    ),
    message,
  );
});
