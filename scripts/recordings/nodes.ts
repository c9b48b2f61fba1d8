import type { Fields, Item } from "./objects.ts";
import { budget, daemonSet, deployment, nodes, podOf, service, statefulSet } from "./objects.ts";
import type { Recording } from "./recording.ts";
import { recording } from "./recording.ts";
import { all, three, unreachable } from "./steps.ts";

const noExecute = (node: string): Fields => ({
  taint: { node, key: "maintenance", value: "soon", effect: "NoExecute" },
});
const tolerates = (seconds?: number): Fields => ({
  tolerations: [
    {
      key: "maintenance",
      operator: "Exists",
      effect: "NoExecute",
      ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
    },
  ],
});

function webhook(
  name: string,
  failurePolicy: "Fail" | "Ignore",
  resources: readonly string[],
  operations: readonly string[],
): Item {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy,
        timeoutSeconds: 1,
        clientConfig: { url: "https://127.0.0.1:1/check" },
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "serving" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations, resources }],
      },
    ],
  };
}

/** What becomes of pods when their node goes, is tainted, or comes back; and who may say no besides. */
export const losses: readonly Recording[] = [
  recording(
    "taint-no-execute",
    "NoExecute asks no budget: who does not tolerate it is deleted at once.",
    [
      three,
      deployment("m1", "n1 n1"),
      deployment("m2", "n1", { spec: tolerates() }),
      service("m1"),
      budget("m1", { min: 2, status: [2, 2] }),
    ],
    [noExecute("n1"), all],
  ),
  recording(
    "taint-no-execute-later",
    "Tolerated for some seconds, then deleted.",
    [
      three,
      deployment("m1", "n1", { spec: tolerates(4) }),
      deployment("m2", "n1", { spec: tolerates(60) }),
      service("m1"),
    ],
    [noExecute("n1"), { wait: "6s" }],
  ),
  recording(
    "taint-removed-in-time",
    "The taint goes before the toleration ends: nothing happens.",
    [three, deployment("m1", "n1", { spec: tolerates(6) }), service("m1")],
    [
      noExecute("n1"),
      { wait: "2s" },
      { taint: { node: "n1", key: "maintenance", value: "soon", effect: "NoExecute", remove: true } },
      { wait: "6s" },
    ],
  ),
  recording(
    "taint-no-schedule",
    "NoSchedule leaves running pods alone.",
    [three, deployment("m1", "n1"), service("m1")],
    [
      { taint: { node: "n1", key: "maintenance", value: "soon", effect: "NoSchedule" } },
      { evict: podOf("m1", 0) },
      all,
    ],
  ),
  recording(
    "taint-prefer-no-schedule",
    "PreferNoSchedule: the new pod goes where one is already, rather than to the tainted node.",
    [nodes("n1 n2"), deployment("m1", "n2"), service("m1")],
    [
      { taint: { node: "n1", key: "maintenance", value: "soon", effect: "PreferNoSchedule" } },
      { scale: { ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "serving", name: "m1" }, replicas: 2 } },
      all,
    ],
  ),
  recording(
    "node-lost",
    "A lost node: after the grace its pods count as not Ready, after their toleration they are deleted, and never gone.",
    [
      three,
      deployment("m1", "n1 n2", { spec: unreachable(5) }),
      statefulSet("m2", "n1 n2", { spec: unreachable(5) }),
      daemonSet("agent", "n1 n2 n3"),
      service("m1"),
      service("m2"),
      budget("m1", { min: 2, status: [2, 2] }),
    ],
    [{ fail: "n1" }, { wait: "70s" }],
    { quiet: "8s" },
  ),
  recording(
    "node-lost-then-deleted",
    "With the Node object gone the lost pods go too, and the StatefulSet's is made again.",
    [
      three,
      deployment("m1", "n1", { spec: unreachable(3) }),
      statefulSet("m2", "n1 n2", { spec: unreachable(3) }),
      service("m1"),
      service("m2"),
    ],
    [{ fail: "n1" }, { wait: "65s" }, { delete: { node: "n1" } }, { wait: "80s" }],
    { quiet: "12s" },
  ),
  recording(
    "node-lost-usual-toleration",
    "With the usual 300 s of toleration the pods stay on the lost node, not Ready.",
    [
      three,
      deployment("m1", "n1 n2", { spec: unreachable(300) }),
      service("m1"),
      budget("m1", { max: 1, status: [2, 2] }),
    ],
    [{ fail: "n1" }, { wait: "65s" }, { evict: podOf("m1", 1) }, { wait: "1s" }, { evict: podOf("m1", 0) }],
    { quiet: "6s" },
  ),
  recording(
    "node-lost-drained",
    "Draining a lost node: evictions are accepted, the pods never go.",
    [three, deployment("m1", "n1 n2", { spec: unreachable(300) }), service("m1")],
    [{ fail: "n1" }, { wait: "62s" }, { drain: "n1", stopAfter: "5s" }],
    { quiet: "6s" },
  ),
  recording(
    "node-deleted",
    "A Node object deleted from under its pods: they are collected, replacements are made.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 2, status: [2, 2] })],
    [{ delete: { node: "n1" } }, { wait: "65s" }],
    { quiet: "8s" },
  ),
  recording(
    "node-down-and-up",
    "A node that is shut down with pods on it and comes back within the grace: they start again in place.",
    [three, deployment("m1", "n1 n2"), service("m1"), budget("m1", { min: 2, status: [2, 2] })],
    [{ drain: "n1", stopAfter: "3s" }, { down: { node: "n1", for: "15s" } }, { uncordon: ["n1"] }, all],
  ),
  recording(
    "node-down-long",
    "Down for longer than the grace: not reachable, then back.",
    [three, deployment("m1", "n1 n2", { spec: unreachable(300) }), service("m1")],
    [{ down: { node: "n1", for: "65s" } }, all],
    { quiet: "8s" },
  ),
  recording(
    "delete-pod",
    "A plain delete asks no budget.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] })],
    [{ delete: podOf("m1", 0) }, all],
  ),
  recording(
    "webhook-dead-pods",
    "A webhook over pods whose backend is dead and must answer: no replacement is made.",
    [three, deployment("m1", "n1"), service("m1"), webhook("gate", "Fail", ["pods"], ["CREATE"])],
    [{ drain: "n1" }, { wait: "4s" }],
  ),
  recording(
    "webhook-dead-ignored",
    "The same with failurePolicy Ignore: as if it were not there.",
    [three, deployment("m1", "n1"), service("m1"), webhook("gate", "Ignore", ["pods"], ["CREATE"])],
    [{ drain: "n1" }, all],
  ),
  recording(
    "webhook-dead-evictions",
    "A webhook over evictions whose backend is dead and must answer: every eviction is an error, the drain fails.",
    [three, deployment("m1", "n1"), service("m1"), webhook("gate", "Fail", ["pods/eviction"], ["CREATE"])],
    [{ drain: "n1" }],
  ),
  recording(
    "autoscaler-undoes",
    "More replicas than the autoscaler's most: taken back at its next look.",
    [
      three,
      deployment("m1", "n1", { with: { progressDeadlineSeconds: 600 } }),
      service("m1"),
      budget("m1", { min: 1, status: [1, 1] }),
      autoscaler(1, 1),
    ],
    [
      { wait: "16s" },
      { cordon: ["n1"] },
      { scale: { ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "serving", name: "m1" }, replicas: 2 } },
      { wait: "18s" },
      { drain: "n1" },
    ],
    { timing: { podStart: { "*": "20s" } }, quiet: "18s" },
  ),
  recording(
    "autoscaler-floor",
    "A raised floor makes the autoscaler itself start the second pod, without any metric.",
    [three, deployment("m1", "n1"), service("m1"), budget("m1", { min: 1, status: [1, 1] }), autoscaler(1, 1)],
    [
      { cordon: ["n1"] },
      {
        patch: { spec: { minReplicas: 2, maxReplicas: 2 } },
        target: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace: "serving", name: "m1" },
        type: "merge",
      },
      { wait: "20s" },
      { drain: "n1" },
    ],
    { quiet: "18s" },
  ),
  recording(
    "autoscaler-no-metrics",
    "Room above and no metric: the autoscaler leaves a count set by hand alone.",
    [three, deployment("m1", "n1"), service("m1"), autoscaler(1, 5)],
    [
      { scale: { ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "serving", name: "m1" }, replicas: 2 } },
      { wait: "32s" },
    ],
    { quiet: "16s" },
  ),
];

function autoscaler(minReplicas: number, maxReplicas: number): Item {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "m1", namespace: "serving" },
    spec: {
      minReplicas,
      maxReplicas,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "m1" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    },
  };
}
