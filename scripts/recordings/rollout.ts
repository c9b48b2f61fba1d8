import type { Fields } from "./objects.ts";
import { antiAffinity, budget, deployment, loneSet, nodes, podOf, service, spread } from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, ref, scale, three } from "./steps.ts";

const patch = (name: string, body: Fields): Fields => ({ patch: body, target: ref(name), type: "strategic" });
const touched = (value = "1"): Fields => ({ template: { metadata: { annotations: { touched: value } } } });
const retouch = (name: string, value = "1", more: Fields = {}): Fields =>
  patch(name, { spec: { ...touched(value), ...more } });
const rolling = (maxSurge: number | string, maxUnavailable: number | string, more: Fields = {}): Fields => ({
  with: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } }, ...more },
});

/** Deployments and ReplicaSets: how they change, and how they get stuck. */
export const rollouts: readonly Recording[] = [
  recording(
    "rollout-default",
    "25% and 25% of four: one more, one less.",
    [three, deployment("m1", "n1 n2 n3 n1"), service("m1"), budget("m1", { max: 1, status: [4, 4] })],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-surge-only",
    "One more, none less.",
    [three, deployment("m1", "n1 n2", rolling(1, 0)), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-no-surge",
    "None more, one less.",
    [three, deployment("m1", "n1 n2 n3", rolling(0, 1)), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-surge-whole",
    "All new ones first.",
    [three, deployment("m1", "n1 n2 n3", rolling("100%", 0)), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-both-round-to-zero",
    "Shares that round to nothing: one may be missing all the same.",
    [three, deployment("m1", "n1 n2", rolling(0, "25%")), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-percent-rounding",
    "Surge rounds up, missing rounds down: 34% of three is two more, one less.",
    [three, deployment("m1", "n1 n2 n3", rolling("34%", "34%")), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-recreate",
    "Recreate: nothing is left before anything new begins.",
    [three, deployment("m1", "n1 n2", { with: { strategy: { type: "Recreate" } } }), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-min-ready",
    "A new pod counts a while after it is Ready.",
    [three, deployment("m1", "n1 n2", rolling(1, 0, { minReadySeconds: 4 })), service("m1")],
    [retouch("m1"), all],
    { quiet: "8s" },
  ),
  recording(
    "rollout-spread-plain",
    "A hard spread without template keys over two open nodes: old pods count, but a third pod is only one more.",
    [nodes("n1 n2"), deployment("m1", "n1 n2", rolling(1, 0)), service("m1")],
    [
      retouch("m1", "1", {
        template: { metadata: { annotations: { touched: "1" } }, spec: spread("m1", { maxSkew: 1 }) },
      }),
      all,
    ],
  ),
  recording(
    "rollout-spread-keys",
    "The same with the template's hash as a key of the spread: it finishes.",
    [nodes("n1 n2"), deployment("m1", "n1 n2", rolling(1, 0)), service("m1")],
    [retouch("m1", "1", { template: { spec: spread("m1", { matchLabelKeys: ["pod-template-hash"] }) } }), all],
  ),
  recording(
    "rollout-stuck-spread-tainted",
    "A hard spread beside a tainted node: the empty node counts as a place, so no other may have two.",
    [
      nodes("n1 n2"),
      nodes("g1", { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] }),
      deployment("m1", "n1 n2", { ...rolling(1, 0), spec: spread("m1") }),
      service("m1"),
    ],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-deadline",
    "A rollout that goes nowhere says so after its deadline.",
    [
      nodes("n1 n2"),
      deployment("m1", "n1 n2", { ...rolling(1, 0, { progressDeadlineSeconds: 8 }), spec: antiAffinity("m1") }),
      service("m1"),
    ],
    [retouch("m1"), all],
    { quiet: "12s" },
  ),
  recording(
    "rollout-changed-midway",
    "A second change while the first is under way: the half-made set is scaled down first.",
    [three, deployment("m1", "n1 n2 n3", rolling(1, 0)), service("m1")],
    [retouch("m1", "1"), { wait: "1500ms" }, retouch("m1", "2"), all],
  ),
  recording(
    "rollout-undone",
    "Back to the old template: the old set grows again.",
    [three, deployment("m1", "n1 n2", rolling(1, 0)), service("m1")],
    [retouch("m1"), all, patch("m1", { spec: { template: { metadata: { annotations: { touched: null } } } } }), all],
  ),
  recording(
    "rollout-paused",
    "A paused Deployment takes the change and does nothing, but scales.",
    [three, deployment("m1", "n1 n2"), service("m1")],
    [patch("m1", { spec: { paused: true, ...touched() } }), { wait: "2s" }, scale("m1", 3), all],
  ),
  recording(
    "rollout-unready-first",
    "Old pods that are not Ready go first, and count for nothing.",
    [three, deployment("m1", "n1 n2! n3", rolling(1, 0)), service("m1")],
    [retouch("m1"), all],
  ),
  recording(
    "rollout-and-scale",
    "More replicas and another template in one patch: the old set grows first.",
    [three, deployment("m1", "n1"), service("m1")],
    [retouch("m1", "1", { replicas: 2 }), all],
  ),
  recording(
    "rollout-scaled-midway",
    "Scaled while a rollout is stuck: the sets grow in proportion.",
    [nodes("n1 n2"), deployment("m1", "n1 n2 n1 n2", { ...rolling(2, 0), cpu: "1500m" }), service("m1")],
    [
      patch("m1", {
        spec: { template: { spec: { containers: [{ name: "main", resources: { requests: { cpu: "6" } } }] } } },
      }),
      { wait: "3s" },
      scale("m1", 6),
      all,
    ],
  ),
  recording(
    "scale-up",
    "Two more pods, made at once.",
    [three, deployment("m1", "n1"), service("m1")],
    [scale("m1", 3), all],
  ),
  recording(
    "scale-to-zero-and-back",
    "To nothing and up again.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 1, status: [2, 2] })],
    [scale("m1", 0), { wait: "2s" }, scale("m1", 2), all],
  ),
  recording(
    "scale-down-waiting-first",
    "One less: the pod without a node goes.",
    [nodes("n1 n2", { gpu: 1 }), deployment("m1", "n1 ? n2", { gpu: 1 })],
    [scale("m1", 2)],
  ),
  recording(
    "scale-down-unready-first",
    "One less: the one that is not Ready goes.",
    [three, deployment("m1", "n1 n2! n3")],
    [scale("m1", 2)],
  ),
  recording(
    "scale-down-crowded-first",
    "One less: one of the two that share a node goes.",
    [three, deployment("m1", "n1 n2 n2")],
    [scale("m1", 2)],
  ),
  recording(
    "scale-down-cheapest-first",
    "One less: the lowest deletion cost goes, before any crowding.",
    [
      three,
      deployment("m1", "n1 n2 n2").map((item) =>
        item.metadata.name.endsWith("bcdfg")
          ? {
              ...item,
              metadata: { ...item.metadata, annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } },
            }
          : item,
      ),
    ],
    [scale("m1", 2)],
  ),
  recording(
    "scale-down-newest-first",
    "Up by one, then down by one on nodes of their own: the newest goes.",
    [three, deployment("m1", "n1 n2", { spec: antiAffinity("m1") }), service("m1")],
    [scale("m1", 3), all, { wait: "8s" }, scale("m1", 2)],
    { quiet: "9s" },
  ),
  recording(
    "scale-down-not-yet-ready",
    "A pod just made goes before those that serve.",
    [three, deployment("m1", "n1 n2"), service("m1")],
    [scale("m1", 3), { wait: "1s" }, scale("m1", 2)],
  ),
  recording(
    "scale-lone-replica-set",
    "A ReplicaSet nobody owns, up and down.",
    [three, loneSet("ReplicaSet", "m1", "n1 n2")],
    [scale("m1", 3, "ReplicaSet"), all, scale("m1", 1, "ReplicaSet")],
  ),
  recording(
    "scale-replication-controller",
    "A ReplicationController, down by one.",
    [three, loneSet("ReplicationController", "m1", "n1 n2! n3")],
    [scale("m1", 2, "ReplicationController", "v1")],
  ),
  recording(
    "rollout-ignores-budget",
    "A rollout asks no budget.",
    [three, deployment("m1", "n1 n2", rolling(0, 2)), service("m1"), budget("m1", { min: 2, status: [2, 2] })],
    [retouch("m1"), all],
  ),
  recording(
    "evict-during-rollout",
    "While a rollout is under way the budget counts old and new pods against the one scale.",
    [three, deployment("m1", "n1 n2", rolling(1, 0)), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [retouch("m1"), { wait: "1s" }, { evict: podOf("m1", 0) }, { wait: "500ms" }, { evict: podOf("m1", 1) }, all],
  ),
];
