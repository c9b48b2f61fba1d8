import type { Fields } from "./objects.ts";
import { budget, daemonSet, deployment, nodes, pod, service, statefulSet } from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { three } from "./steps.ts";

const scratch = { volumes: [{ name: "shm", emptyDir: { medium: "Memory" } }] };
const usual = ["--ignore-daemonsets", "--delete-emptydir-data"];
const drain = (names: string | readonly string[], extra: Fields = {}): Fields => ({ drain: names, ...extra });

/** kubectl drain, its refusals, its limits, and what is left behind. */
export const drains: readonly Recording[] = [
  recording(
    "drain-one-node",
    "Everything on the node goes, replacements land elsewhere.",
    [three, deployment("m1", "n1 n2"), deployment("m2", "n1"), service("m1"), service("m2")],
    [drain("n1")],
  ),
  recording(
    "drain-two-nodes",
    "One command, two nodes: both are closed first, then emptied one after the other.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { max: 1, status: [2, 2] })],
    [drain(["n1", "n2"])],
  ),
  recording(
    "drain-two-nodes-at-once",
    "Two drains at the same time under one budget: one of them has to wait.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 1, status: [2, 2] })],
    [drain(["n1", "n2"], { concurrent: true })],
  ),
  recording(
    "drain-refused-daemonset",
    "Bare kubectl refuses a node with a DaemonSet's pod, and leaves it closed.",
    [three, deployment("m1", "n1 n2"), daemonSet("agent", "n1 n2 n3"), service("m1")],
    [drain("n1", { flags: [] })],
  ),
  recording(
    "drain-refused-local-data",
    "Bare kubectl refuses a node with local data, whatever the medium.",
    [three, deployment("m1", "n1 n2", { spec: scratch }), service("m1")],
    [drain("n1", { flags: [] })],
  ),
  recording(
    "drain-refused-bare-pod",
    "A pod that nobody would make again needs --force.",
    [three, deployment("m1", "n1 n2"), pod("solo", "n1"), service("m1")],
    [drain("n1")],
  ),
  recording(
    "drain-forced-flags",
    "With every flag given the bare pod goes and is lost, the DaemonSet's pod stays.",
    [
      three,
      deployment("m1", "n1 n2", { spec: scratch }),
      daemonSet("agent", "n1 n2 n3"),
      pod("solo", "n1"),
      service("m1"),
    ],
    [drain("n1", { flags: [...usual, "--force"] })],
  ),
  recording(
    "drain-daemonset-gone",
    "A pod of a DaemonSet that no longer exists is as good as bare.",
    [
      three,
      deployment("m1", "n1 n2"),
      daemonSet("agent", "n1 n2 n3")
        .filter((item) => item.kind === "Pod" && item.metadata.name === "agent-bcdfg")
        .map((item) => ({ ...item, metadata: { ...item.metadata, ownerReferences: undefined } })),
    ],
    [drain("n1"), drain("n1", { flags: [...usual, "--force"] })],
  ),
  recording(
    "drain-mirror-and-finished",
    "A mirror pod is passed over, a finished bare pod goes without --force.",
    [
      three,
      deployment("m1", "n1 n2"),
      pod("static-n1", "n1", {
        annotations: { "kubernetes.io/config.mirror": "0123", "kubernetes.io/config.source": "file" },
      }),
      pod("batch", "n1$"),
    ],
    [drain("n1")],
  ),
  recording(
    "drain-stalls",
    "One replica, one has to stay: refused for ever.",
    [
      three,
      deployment("m1", "n1"),
      deployment("m2", "n1"),
      service("m1"),
      service("m2"),
      budget("m1", { min: 1, status: [1, 1] }),
    ],
    [drain("n1")],
  ),
  recording(
    "drain-waits-for-replacement",
    "Two replicas on one node, one has to stay: the second goes once the first one's replacement is Ready.",
    [three, deployment("m1", "n1 n1"), service("m1"), budget("m1", { min: 1, status: [2, 2] })],
    [drain("n1")],
  ),
  recording(
    "drain-three-on-one-node",
    "Three replicas on one node, two have to stay: one at a time.",
    [three, deployment("m1", "n1 n1 n1"), service("m1"), budget("m1", { min: 2, status: [3, 3] })],
    [drain("n1")],
  ),
  recording(
    "drain-timeout",
    "kubectl gives up at its own timeout; the node stays closed, the pod stays.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [drain("n1", { flags: [...usual, "--timeout=4s"] })],
  ),
  recording(
    "drain-stopped",
    "An actor that gives up after a while.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [drain("n1", { stopAfter: "4s" })],
  ),
  recording(
    "drain-force-after",
    "An actor that deletes what is left after a while: the budget no longer counts.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [drain("n1", { forceAfter: "4s" })],
  ),
  recording(
    "drain-without-eviction",
    "--disable-eviction deletes: no budget is asked.",
    [three, deployment("m1", "n1 n1"), service("m1"), budget("m1", { min: 2, status: [2, 2] })],
    [drain("n1", { flags: [...usual, "--disable-eviction"] })],
  ),
  recording(
    "drain-grace",
    "--grace-period shortens what the pod would take.",
    [three, deployment("m1", "n1 n2", { spec: { terminationGracePeriodSeconds: 60 } }), service("m1")],
    [drain("n1", { flags: [...usual, "--grace-period=1"] })],
    { timing: { podStop: { "*": "5s" } } },
  ),
  recording(
    "drain-one-pod-fails",
    "Two budgets on one pod fail that pod at once; the others of the node still go.",
    [
      three,
      deployment("m1", "n1 n2", { labels: { tier: "model" } }),
      deployment("m2", "n1"),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
      budget("tier", { min: 1, selector: { matchLabels: { tier: "model" } }, status: [2, 2] }),
    ],
    [drain("n1")],
  ),
  recording(
    "drain-some-pods",
    "--pod-selector leaves the others alone.",
    [three, deployment("m1", "n1 n2"), deployment("m2", "n1")],
    [drain("n1", { flags: [...usual, "--pod-selector=app=m2"] })],
  ),
  recording(
    "drain-cordoned-pool",
    "The whole pool is closed first: the replacement waits, and goes again when the pool's last node is emptied.",
    [
      nodes("s1 s2"),
      nodes("g1", { gpu: 2, taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] }),
      deployment("gw", "s1"),
      service("gw"),
    ],
    [{ cordon: ["s1", "s2"] }, drain("s1"), { uncordon: ["s1"] }, { waitReady: "all" }, drain("s2")],
  ),
  recording(
    "drain-replacement-evicted-again",
    "Two drains in a row: what had moved to the second node moves again.",
    [three, deployment("m1", "n1"), service("m1")],
    [{ cordon: ["n3"] }, drain("n1"), { waitReady: "all" }, { uncordon: ["n3"] }, drain("n2")],
  ),
  recording(
    "drain-stateful",
    "A StatefulSet's pod is made again only when the old one is gone.",
    [three, statefulSet("m1", "n1 n2 n1"), service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    [drain("n1")],
    { timing: { podStop: { "*": "2s" } } },
  ),
  recording(
    "drain-slow-stop",
    "A pod that takes its time holds the drain up to its grace, not the replacement.",
    [three, deployment("m1", "n1 n2", { spec: { terminationGracePeriodSeconds: 6 } }), service("m1")],
    [drain("n1")],
    { timing: { podStop: { "*": "30s" } } },
  ),
];
