import { rows } from "../../../test/support/rows.ts";
import { incoming, node, verdicts } from "../../../test/support/scheduling.ts";

// Read from plugins/tainttoleration/taint_toleration.go and core/v1 ToleratesTaint, Kubernetes 1.36.3.
const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" };
const rejected = "for good, TaintToleration: node(s) had untolerated taint(s)";
const tolerating = (...tolerations: readonly { readonly [field: string]: string | number }[]) =>
  incoming({ spec: { tolerations } });

rows("TaintToleration", verdicts, [
  ["NoSchedule keeps away", { objects: [node("a", { taints: [gpu] }), incoming()] }, { a: rejected }],
  [
    "NoExecute keeps away",
    { objects: [node("a", { taints: [{ ...gpu, effect: "NoExecute" }] }), incoming()] },
    { a: rejected },
  ],
  [
    "PreferNoSchedule does not",
    { objects: [node("a", { taints: [{ ...gpu, effect: "PreferNoSchedule" }] }), incoming()] },
    { a: "pass" },
  ],
  [
    "Equal needs the value",
    {
      objects: [
        node("a", { taints: [gpu] }),
        node("b", { taints: [{ ...gpu, value: "no" }] }),
        tolerating({ key: "gpu", operator: "Equal", value: "yes", effect: "NoSchedule" }),
      ],
    },
    { a: "pass", b: rejected },
  ],
  [
    "Exists does not, and no effect means every effect",
    {
      objects: [
        node("a", { taints: [gpu, { ...gpu, effect: "NoExecute" }] }),
        tolerating({ key: "gpu", operator: "Exists" }),
      ],
    },
    { a: "pass" },
  ],
  [
    "Exists without a key tolerates everything",
    { objects: [node("a", { taints: [gpu, { key: "x", effect: "NoExecute" }] }), tolerating({ operator: "Exists" })] },
    { a: "pass" },
  ],
  [
    "one taint that is not tolerated is enough",
    {
      objects: [
        node("a", { taints: [gpu, { key: "x", effect: "NoSchedule" }] }),
        tolerating({ key: "gpu", operator: "Exists" }),
      ],
    },
    { a: rejected },
  ],
  [
    "a numeric comparison tolerates nothing: its gate is off by default",
    {
      objects: [
        node("a", { taints: [{ key: "level", value: "5", effect: "NoSchedule" }] }),
        tolerating({ key: "level", operator: "Gt", value: "1", effect: "NoSchedule" }),
      ],
    },
    { a: rejected },
  ],
]);
