import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, scores } from "../../../test/support/scheduling.ts";

// Read from plugins/noderesources/balanced_allocation.go, Kubernetes 1.34.4, 1.35.3, 1.36.3 and 1.37.2.
const big = { cpu: "10", memory: "10000" };
const objects = [
  node("even", { allocatable: big }),
  node("cpu", { allocatable: big }),
  node("memory", { allocatable: big }),
  pod("c", { on: "cpu", requests: { cpu: "5", memory: "1000" } }),
  pod("m", { on: "memory", requests: { cpu: "1", memory: "5000" } }),
];
const asksCpu = incoming({ requests: { cpu: "4" } });

rows("NodeResourcesBalancedAllocation score", scores("NodeResourcesBalancedAllocation"), [
  [
    // even: 0.4 and 0; cpu: 0.9 and 0.1; memory: 0.5 and 0.5. Doubles may land just under a whole number.
    "up to 1.35 the evenness once the pod is there",
    { objects: [...objects, asksCpu], minor: 35 },
    { even: [80, 80], cpu: [60, 60], memory: [100, 100] },
  ],
  [
    // even: 50 + (50 + 80 - 100) / 2; cpu: 50 + (50 + 60 - 80) / 2; memory: 50 + (50 + 100 - 80) / 2.
    "from 1.36 on what the pod changes",
    { objects: [...objects, asksCpu] },
    { even: [65, 65], cpu: [65, 65], memory: [85, 85] },
  ],
  [
    "a pod that requests neither CPU nor memory gives no score",
    { objects: [...objects, incoming({ requests: { "ephemeral-storage": "0" } })] },
    null,
  ],
  [
    "a node without memory has only one share, which is even",
    {
      objects: [
        node("a", { allocatable: { cpu: "4", memory: "0" } }),
        node("b", { allocatable: { cpu: "4", memory: "0" } }),
        incoming({ requests: { cpu: "1" } }),
      ],
    },
    { a: [75, 75], b: [75, 75] },
  ],
]);
