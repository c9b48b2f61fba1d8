import assert from "node:assert/strict";
import { test } from "node:test";
import { claim, claims, device, deviceClass, exactly, holding, slice } from "../../../../test/support/devices.ts";
import { rows } from "../../../../test/support/rows.ts";
import { incoming, message, node, type Question, viewOf } from "../../../../test/support/scheduling.ts";
import { anyStart, schedule } from "../../schedule.ts";

// Read from plugins/dynamicresources PostFilter, Kubernetes 1.36.3 and 1.37.2.
const idle = (minor: 36 | 37, pods: readonly string[]): Question => ({
  minor,
  objects: [
    node("b"),
    slice("a", [device("g0")]),
    deviceClass("gpu"),
    claim("c", [exactly()], { status: holding("a", "g0", pods) }),
    incoming({ spec: claims("c") }),
  ],
});

// Message ids: nothingToDeallocate, stillNot, deallocated, notFound.
rows("DynamicResources: after no node fits", message, [
  [
    "an idle claim gives its devices back",
    idle(36, []),
    "0/1 nodes are available: 1 resourceclaim not available on the node. deallocation of ResourceClaim completed, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [
    "a claim in use keeps them",
    idle(36, ["other"]),
    "0/1 nodes are available: 1 resourceclaim not available on the node. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [
    "of which 1.37 says nothing",
    idle(37, ["other"]),
    "0/1 nodes are available: 1 resourceclaim not available on the node. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [
    "a pod without claims",
    { objects: [node("b"), incoming({ requests: { cpu: "5" } })] },
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [
    "another filter ended the cycle before this one began",
    {
      objects: [
        node("b"),
        incoming({ spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "none" } }] } }),
      ],
    },
    '0/1 nodes are available: persistentvolumeclaim "none" not found. not found',
  ],
]);

test("DynamicResources: an idle claim's devices are asked back", () => {
  const view = viewOf(idle(36, []));
  const waiting = view.pod("ns/new");
  assert.ok(waiting !== undefined);
  const result = schedule(view, waiting, anyStart);
  assert.ok(result.outcome === "unschedulable");
  assert.deepEqual(result.effects, [{ do: "deallocateClaim", claim: "ns/c" }]);
});
