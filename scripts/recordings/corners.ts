import type { Fields, Item } from "./objects.ts";
import {
  antiAffinity,
  budget,
  deployment,
  node,
  nodes,
  podOf,
  podSpec,
  priorityClass,
  service,
  spread,
  statefulSet,
} from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, ref, roll, scale, surge, three, unreachable } from "./steps.ts";

const everywhere: Fields = { tolerations: [{ operator: "Exists" }] };
const onHost = (name: string): Fields => ({ nodeSelector: { "kubernetes.io/hostname": name } });
const high = priorityClass("interactive", 1000);
const urgent: Fields = { priorityClassName: "interactive", priority: 1000 };

/** A budget whose selector is not written at all. */
const noSelector: Item = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "m1", namespace: "serving", generation: 1 },
  spec: { minAvailable: 2 },
};

/** What is seldom met, and easily forgotten. */
export const corners: readonly Recording[] = [
  recording(
    "corner-zone-sick",
    "Three of five nodes of a zone lost while it still has ready ones: nobody is evicted from there.",
    [
      nodes("a1 a2 a3 a4 a5", { zone: "a" }),
      node("b1", { zone: "b" }),
      deployment("m1", "a1 a2 b1", { spec: unreachable(3) }),
      service("m1"),
    ],
    [{ fail: "a1" }, { fail: "a2" }, { fail: "a3" }, { wait: "85s" }],
    { quiet: "6s" },
  ),
  recording(
    "corner-zones-both-hurt",
    "One node lost in each of two zones: each zone has its own pace.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1 b2", { zone: "b" }),
      deployment("m1", "a1 b1", { spec: unreachable(3) }),
      service("m1"),
      budget("m1", { min: 1, status: [2, 2] }),
    ],
    [{ fail: "a1" }, { fail: "b1" }, { wait: "75s" }, { drain: "a2" }],
    { quiet: "6s" },
  ),
  recording(
    "corner-node-name",
    "A template that names its node: the replacement never sees a scheduler, and starts on the closed node.",
    [three, deployment("m1", "n1", { spec: { nodeName: "n1" } }), service("m1")],
    [{ drain: "n1" }, all],
  ),
  recording(
    "corner-tolerates-cordon",
    "Pods that tolerate everything and belong on one node: evicted, and back on the closed node, which is drained all the same.",
    [
      three,
      deployment("m1", "n1 n1", { spec: { ...everywhere, ...onHost("n1") } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }, all, { drain: "n1" }],
  ),
  recording(
    "corner-budget-no-selector",
    "A budget without a selector takes nobody.",
    [three, deployment("m1", "n1 n2"), service("m1"), noSelector],
    [{ drain: "n1" }],
  ),
  recording(
    "corner-set-ordinals",
    "A StatefulSet whose numbers begin at three.",
    [
      three,
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "m1", namespace: "serving" },
        spec: {
          replicas: 0,
          serviceName: "m1",
          ordinals: { start: 3 },
          selector: { matchLabels: { app: "m1" } },
          template: { metadata: { labels: { app: "m1" } }, spec: podSpec("m1", {}) },
        },
      },
      service("m1"),
      budget("m1", { max: 1 }),
    ],
    [
      scale("m1", 3, "StatefulSet"),
      all,
      { evict: "serving/m1-4" },
      { wait: "6s" },
      { evict: "serving/m1-3" },
      { wait: "6s" },
      scale("m1", 1, "StatefulSet"),
    ],
  ),
  recording(
    "corner-newcomer-preempts",
    "A stronger newcomer while a node is closed takes the place of a guarded model.",
    [
      nodes("n1 n2", { cpu: "2" }),
      high,
      deployment("m1", "n1", { cpu: "2" }),
      deployment("m2", "", { cpu: "2", replicas: 0, spec: urgent }),
      service("m1"),
      service("m2"),
      budget("m1", { min: 1, status: [1, 1] }),
    ],
    [{ cordon: ["n2"] }, scale("m2", 1), { wait: "8s" }, { drain: "n1" }],
  ),
  recording(
    "corner-newcomer-takes-the-room",
    "The room a drain counted on is taken by a newcomer of the same rank.",
    [
      nodes("n1 n2", { cpu: "2" }),
      deployment("m1", "n1", { cpu: "2" }),
      deployment("m2", "", { cpu: "2", replicas: 0 }),
      service("m1"),
      service("m2"),
    ],
    [scale("m2", 1), all, { drain: "n1" }],
  ),
  recording(
    "corner-daemon-preempts",
    "A new DaemonSet of high rank drives a model off each full node.",
    [
      nodes("n1 n2", { cpu: "2" }),
      node("n3", { cpu: "4" }),
      high,
      deployment("m1", "n1 n2", { cpu: "2" }),
      service("m1"),
      budget("m1", { min: 2, status: [2, 2] }),
    ],
    [
      {
        apply: [
          {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata: { name: "agent", namespace: "serving" },
            spec: {
              selector: { matchLabels: { app: "agent" } },
              template: {
                metadata: { labels: { app: "agent" } },
                spec: podSpec("agent", { cpu: "1", spec: { priorityClassName: "interactive" } }),
              },
            },
          },
        ],
      },
      { wait: "10s" },
      { drain: "n1" },
    ],
  ),
  recording(
    "corner-percent-of-pending",
    "Percentages count what waits for a node: two of four wait, and nobody goes.",
    [
      nodes("n1 n2", { cpu: "2" }),
      deployment("m1", "n1 n2 ? ?", { cpu: "2" }),
      service("m1"),
      budget("m1", { max: "50%", status: [4, 2] }),
    ],
    [{ drain: "n1" }],
  ),
  recording(
    "corner-max-percent-of-set",
    "34% of three of a StatefulSet is two, side by side.",
    [
      nodes("n1 n2 n3 n4"),
      statefulSet("m1", "n1 n1 n2", { with: { podManagementPolicy: "Parallel" } }),
      service("m1"),
      budget("m1", { max: "34%", status: [3, 3] }),
    ],
    [{ drain: "n1" }, all],
  ),
  recording(
    "corner-min-domains-honor",
    "Fewer zones open than minDomains asks for: the least counts as none.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1", { zone: "b" }),
      nodes("c1", { zone: "c" }),
      deployment("m1", "a1 b1 c1", {
        spec: spread("m1", {
          topologyKey: "topology.kubernetes.io/zone",
          minDomains: 3,
          nodeTaintsPolicy: "Honor",
          matchLabelKeys: ["pod-template-hash"],
        }),
      }),
      service("m1"),
      budget("m1", { min: 2, status: [3, 3] }),
    ],
    [{ drain: "c1" }, { wait: "4s" }, { drain: "b1" }, { uncordon: ["c1"] }, all],
  ),
  recording(
    "corner-min-domains-met",
    "With no minimum the closed zone is none, and the pod goes to the others.",
    [
      nodes("a1 a2", { zone: "a" }),
      nodes("b1", { zone: "b" }),
      nodes("c1", { zone: "c" }),
      deployment("m1", "a1 b1 c1", {
        spec: spread("m1", { topologyKey: "topology.kubernetes.io/zone", nodeTaintsPolicy: "Honor" }),
      }),
      service("m1"),
      budget("m1", { min: 2, status: [3, 3] }),
    ],
    [{ drain: "c1" }, all, { drain: "b1" }, { wait: "4s" }],
  ),
  recording(
    "corner-slow-stop-next-drain",
    "A long preStop: the first drain waits for it, the replacement is Ready long before.",
    [
      nodes("n1 n2 n3"),
      deployment("m1", "n1 n2", { spec: { terminationGracePeriodSeconds: 60, ...antiAffinity("m1") } }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }, { uncordon: ["n1"] }, { drain: "n2" }, all],
    { timing: { podStop: { "*": "12s" } } },
  ),
  recording(
    "corner-slow-stop-holds-the-place",
    "Who still stops holds its GPU: the other waits until it is gone.",
    [
      nodes("n1 n2", { gpu: 1 }),
      deployment("m1", "n1", { gpu: 1, spec: { terminationGracePeriodSeconds: 60 } }),
      deployment("m2", "n2", { gpu: 1, spec: { terminationGracePeriodSeconds: 60 } }),
      service("m1"),
      service("m2"),
    ],
    [scale("m2", 0), { drain: "n1" }, all],
    { timing: { podStop: { "*": "12s" } } },
  ),
  recording(
    "corner-sidecar-restartable",
    "A pod with a sidecar of restartPolicy Always and a large init: its place is what they need at most.",
    [
      nodes("n1 n2", { cpu: "4" }),
      node("n3", { cpu: "3" }),
      deployment("m1", "n1 n2", {
        cpu: "1",
        spec: {
          initContainers: [
            { name: "proxy", image: "p:1", restartPolicy: "Always", resources: { requests: { cpu: "1" } } },
            { name: "fetch", image: "f:1", resources: { requests: { cpu: "2500m" } } },
          ],
        },
      }),
      service("m1"),
      budget("m1", { min: 1, status: [2, 2] }),
    ],
    [{ drain: "n1" }, { wait: "4s" }, scale("m1", 1), { wait: "3s" }],
  ),
  recording(
    "corner-overlap-elsewhere",
    "A second budget over one of the pods only: that one never goes, the other does.",
    [
      three,
      deployment("m1", "n1 n2"),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
      budget("canary", { max: 1, selector: { matchLabels: { canary: "yes" } } }),
    ],
    [
      {
        patch: { metadata: { labels: { canary: "yes" } } },
        target: ref(podOf("m1", 0).split("/")[1] ?? "", "Pod", "v1"),
        type: "merge",
      },
      { drain: "n2" },
      all,
      { drain: "n1" },
    ],
  ),
  recording(
    "corner-min-ready-rollout-drain",
    "A rollout that waits for minReadySeconds while its first new pod is drained.",
    [
      nodes("n1 n2 n3 n4"),
      deployment("m1", "n1 n2", { with: { minReadySeconds: 6, ...surge(1, 0) }, ...antiAffinityShape("m1") }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [roll("m1"), { drain: "n3" }, all],
  ),
];

function antiAffinityShape(app: string): { readonly spec: Fields } {
  return { spec: antiAffinity(app) };
}
