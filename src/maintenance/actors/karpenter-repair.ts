import type { Actor } from "../actor.ts";
import { secondMs, takesAll } from "../usual.ts";
import { karpenterExpiry } from "./karpenter-expiry.ts";

/** Karpenter's node repair (an alpha feature gate; on in EKS Auto Mode). Mirrors sigs.k8s.io/karpenter v1.12.0 pkg/controllers/node/health. */
export const karpenterRepair: Actor = {
  ...karpenterExpiry,
  name: "karpenter-repair",
  title: "Karpenter, node repair",
  description:
    "Replaces a node that has been unhealthy for longer than its provider tolerates, unless more than 20 % of the pool are: its termination time is set to now, so every pod " +
    "is deleted at once with one second of grace, no budget asked, and a new node is only ordered for pods that wait.",
  kind: "removes",
  nodesAtOnce: { percent: 20, rounds: "up", least: 0 },
  pools: "independent",
  drain: {
    ...karpenterExpiry.drain,
    flags: [...takesAll, "--disable-eviction"],
    waitsForAnnotations: [],
    inWaves: false,
    graceMaxMs: secondMs,
  },
  signals: [
    "taint karpenter.sh/disrupted:NoSchedule on a node with a bad condition; event NodeRepairBlocked when it may not",
  ],
  levers: ["none on pods; it waits while more than 20 % of the pool are unhealthy"],
  notModelled: ["the health of nodes: every one named is repaired", "the new nodes may have another shape"],
  sources: [{ mark: "A", from: "sigs.k8s.io/karpenter v1.12.0 pkg/controllers/node/{health,termination}" }],
};
