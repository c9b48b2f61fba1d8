import { rows } from "../../../test/support/rows.ts";
import { incoming, node, scores } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/nodeaffinity Score and component-helpers PreferredSchedulingTerms, Kubernetes 1.36.3.
const prefer = (weight: number, preference: JsonObject) => ({ weight, preference });
const label = (key: string, value: string) => ({ matchExpressions: [{ key, operator: "In", values: [value] }] });
const preferring = (...terms: readonly JsonObject[]) =>
  incoming({ spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } } } });
const objects = [
  node("a", { labels: { disk: "ssd", pool: "x" } }),
  node("b", { labels: { disk: "ssd" } }),
  node("c", { labels: { pool: "x" } }),
  node("d"),
];

rows("NodeAffinity score", scores("NodeAffinity"), [
  [
    "weights add up and are scaled to the highest",
    { objects: [...objects, preferring(prefer(5, label("disk", "ssd")), prefer(2, label("pool", "x")))] },
    { a: [7, 100], b: [5, 71], c: [2, 28], d: [0, 0] },
  ],
  [
    "an empty preference gives nothing, and nothing stays nothing",
    { objects: [...objects, preferring(prefer(5, {}))] },
    { a: [0, 0], b: [0, 0], c: [0, 0], d: [0, 0] },
  ],
  [
    "by name",
    {
      objects: [
        ...objects,
        preferring(prefer(1, { matchFields: [{ key: "metadata.name", operator: "In", values: ["d"] }] })),
      ],
    },
    { a: [0, 0], b: [0, 0], c: [0, 0], d: [1, 100] },
  ],
  ["without preferences there is no score", { objects: [...objects, incoming()] }, null],
]);
