import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, scores } from "../../../test/support/scheduling.ts";

// Read from plugins/noderesources/least_allocated.go and resource_allocation.go, Kubernetes 1.36.3.
const a = node("a", { allocatable: { cpu: "4", memory: "10000" } });
const b = node("b", { allocatable: { cpu: "6", memory: "10000" } });

rows("NodeResourcesFit score", scores("NodeResourcesFit"), [
  [
    // a: 1000/4000 free 75, 5000/10000 free 50, (75+50)/2 cut to 62; b: 1/6 free 83, 50, 66.
    "free shares of CPU and memory, averaged and cut off",
    { objects: [a, b, incoming({ requests: { cpu: "1", memory: "5000" } })] },
    { a: [62, 62], b: [66, 66] },
  ],
  [
    // 100m of 4 CPUs, 200 MiB of 8 GiB: 97.5 and 97.56.
    "a pod that requests nothing counts as 100m and 200 MiB",
    { objects: [node("a"), node("b"), incoming()] },
    { a: [97, 97], b: [97, 97] },
  ],
  [
    // There: 100m stands for its CPU. a: (4000-1100)/4000 = 72, memory (10000-5000)/10000 = 50.
    "so does a pod that is there",
    {
      objects: [
        a,
        b,
        pod("there", { on: "a", requests: { memory: "2000" } }),
        incoming({ requests: { cpu: "1", memory: "3000" } }),
      ],
    },
    { a: [61, 61], b: [76, 76] },
  ],
  [
    "what is asked beyond the node's total by defaults gives 0",
    { objects: [a, b, incoming({ requests: { cpu: "1" } })] },
    { a: [37, 37], b: [41, 41] },
  ],
  [
    // Container 1 CPU and the default 200 MiB; the pod's own 4 CPUs and 8 GiB are forgotten: 75 and 97.
    "pod-level resources of the pod are forgotten",
    {
      objects: [
        node("a"),
        node("b"),
        incoming({ requests: { cpu: "1" }, spec: { resources: { requests: { cpu: "4", memory: "8Gi" } } } }),
      ],
    },
    { a: [86, 86], b: [86, 86] },
  ],
]);
