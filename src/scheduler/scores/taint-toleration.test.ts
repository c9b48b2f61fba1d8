import { rows } from "../../../test/support/rows.ts";
import { incoming, node, scores } from "../../../test/support/scheduling.ts";

// Read from plugins/tainttoleration Score and plugins/helper DefaultNormalizeScore, Kubernetes 1.36.3.
const soft = (key: string) => ({ key, effect: "PreferNoSchedule" });
const [none, one, three] = [[], [soft("x")], [soft("x"), soft("y"), soft("z")]];
const objects = [node("a", { taints: none }), node("b", { taints: one }), node("c", { taints: three })];

rows("TaintToleration score", scores("TaintToleration"), [
  ["fewest is best, thirds are cut off", { objects: [...objects, incoming()] }, { a: [0, 100], b: [1, 67], c: [3, 0] }],
  [
    "tolerated ones do not count, whatever the toleration's effect",
    {
      objects: [
        ...objects,
        incoming({
          spec: {
            tolerations: [
              { key: "y", operator: "Exists" },
              { key: "z", operator: "Exists", effect: "PreferNoSchedule" },
            ],
          },
        }),
      ],
    },
    { a: [0, 100], b: [1, 0], c: [1, 0] },
  ],
  [
    "a toleration of NoSchedule is none here",
    {
      objects: [...objects, incoming({ spec: { tolerations: [{ operator: "Exists", effect: "NoSchedule" }] } })],
    },
    { a: [0, 100], b: [1, 67], c: [3, 0] },
  ],
  [
    "no taint anywhere is 100 everywhere",
    { objects: [node("a"), node("b"), incoming()] },
    { a: [0, 100], b: [0, 100] },
  ],
]);
