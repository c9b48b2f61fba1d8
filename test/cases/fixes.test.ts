import assert from "node:assert/strict";
import { test } from "node:test";
import {
  antiAffinity,
  budget,
  deployment,
  type Fields,
  type Item,
  nodes,
  pod,
  service,
} from "../../scripts/recordings/objects.ts";
import { type Items, recording } from "../../scripts/recordings/recording.ts";
import { kured } from "../../src/maintenance/actors/kured.ts";
import type { FixReport } from "../../src/report/types.ts";
import { pathSteps, valueAt } from "../../src/wire/object-path.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { fixReport, planReport, snapshotOf } from "../support/fix.ts";

const gpus = nodes("g1 g2 g3", { gpu: 1 });
const apart = (name: string, places: string, shape: Fields = {}): readonly Items[] => [
  deployment(name, places, { ...shape, spec: antiAffinity(name) }),
  service(name),
  budget(name, { max: 1, status: [2, 2] }),
];
const webhook = (rules: Fields): Item => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "hook" },
  webhooks: [
    {
      name: "hook.example.com",
      failurePolicy: "Fail",
      clientConfig: { service: { name: "hook", namespace: "serving" } },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...rules,
    },
  ],
});
const pickers: readonly Items[] = [
  nodes("s1 s2 s3"),
  gpus,
  apart("m1", "g1 g2", { gpu: 1 }),
  deployment("picker", "s1 s2!", { args: ["--ha-enable-leader-election"], spec: antiAffinity("picker") }),
  service("picker"),
  {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "m1", namespace: "serving" },
    spec: {
      selector: { matchLabels: { app: "m1" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: "picker", port: { number: 9002 } },
    },
  },
];

/** A Knative Service that keeps one pod and may have no more. */
const scales = { "autoscaling.knative.dev/min-scale": "1", "autoscaling.knative.dev/max-scale": "1" };
const knative: readonly Items[] = [
  gpus,
  {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "m1", namespace: "serving" },
    spec: { template: { metadata: { annotations: scales }, spec: { containers: [{ image: "m1:1" }] } } },
  },
  deployment("m1-00001", "g1", {
    gpu: 1,
    annotations: scales,
    labels: { "serving.knative.dev/revision": "m1-00001", "serving.knative.dev/service": "m1" },
  }),
];

const autoscaler = (spec: Fields, owner: Fields = {}): Item => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "m1-scaler", namespace: "serving", ...owner },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "m1" },
    minReplicas: 1,
    maxReplicas: 4,
    ...spec,
  },
});
const keda = (minReplicaCount: number): readonly Items[] => [
  {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "m1", namespace: "serving", uid: "keda-m1" },
    spec: { scaleTargetRef: { name: "m1" }, minReplicaCount },
  },
  autoscaler(
    {},
    {
      ownerReferences: [
        { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "m1", uid: "keda-m1", controller: true },
      ],
    },
  ),
];

interface Fixed {
  readonly name: string;
  readonly cluster: readonly Items[];
  readonly verdicts: readonly [before: string | null, after: string | null];
  readonly changes: readonly string[];
  /** The least help, where there is no fix. */
  readonly help?: RegExp;
}

const cases: readonly Fixed[] = [
  {
    name: "a webhook that refuses its own replacement gets a second pod",
    cluster: [gpus, apart("m1", "g1 g2", { gpu: 1 }), deployment("hook", "g1"), service("hook"), webhook({})],
    verdicts: ["stalls", "safe"],
    changes: ["Deployment serving/hook replicas=2"],
  },
  {
    name: "a revision's maximum is raised with its minimum, and the budget holds for the next one",
    cluster: knative,
    verdicts: ["unsafe", "safe"],
    changes: [
      "Service serving/m1 min-scale=2 max-scale=2",
      'PodDisruptionBudget serving/m1-00001-maintenance over {"serving.knative.dev/service":"m1"}',
    ],
  },
  {
    name: "two that run by an autoscaler's grace: its minimum is raised",
    cluster: [gpus, apart("m1", "g1 g2", { gpu: 1 }), autoscaler({})],
    verdicts: ["undecided", "safe"],
    changes: ["HorizontalPodAutoscaler serving/m1-scaler minReplicas=2"],
  },
  {
    name: "… which KEDA writes: at the ScaledObject",
    cluster: [gpus, apart("m1", "g1 g2", { gpu: 1 }), keda(1)],
    verdicts: ["undecided", "safe"],
    changes: ["ScaledObject serving/m1 minReplicaCount=2"],
  },
  {
    name: "… which may go to zero by intent: nothing is changed",
    cluster: [gpus, apart("m1", "g1 g2", { gpu: 1 }), keda(0)],
    verdicts: ["undecided", "undecided"],
    changes: [],
  },
  {
    name: "… which takes none away: nothing is changed",
    cluster: [
      gpus,
      apart("m1", "g1 g2", { gpu: 1 }),
      autoscaler({ behavior: { scaleDown: { selectPolicy: "Disabled" } } }),
    ],
    verdicts: ["safe", "safe"],
    changes: [],
  },
  {
    name: "two engines of one replica that stand in for each other, each under a budget of its own",
    cluster: [
      gpus,
      ["blue", "green"].map((name, index) => [
        deployment(name, `g${index + 1}`, { gpu: 1, labels: { model: "m1" } }),
        budget(name, { min: 1, status: [1, 1] }),
      ]),
      service("m1", "", "serving", { selector: { model: "m1" } }),
    ],
    verdicts: ["stalls", "safe"],
    changes: [
      "PodDisruptionBudget serving/blue",
      "PodDisruptionBudget serving/green",
      'PodDisruptionBudget serving/m1-engines over {"model":"m1"}',
    ],
  },
  {
    name: "elected pickers that keep each other off their nodes serve side by side, rolled out one by one",
    cluster: [nodes("g1 g2", { gpu: 1 }), pickers.slice(2), budget("picker", { max: 1, status: [2, 1] })],
    verdicts: ["unsafe", "safe"],
    changes: [
      "Deployment serving/picker containers=[object Object] strategy=[object Object]",
      "Deployment serving/m1 strategy=[object Object]",
    ],
  },
  {
    name: "a rollout without room for one more takes another strategy, and restarts nobody",
    cluster: [gpus, deployment("m1", "g1 g2 g3", { gpu: 1 }), service("m1"), budget("m1", { max: 1, status: [3, 3] })],
    verdicts: ["safe", "safe"],
    changes: ["Deployment serving/m1 strategy=[object Object]"],
  },
  {
    name: "a budget that lets two of three go at once lets one",
    cluster: [
      nodes("g1 g2 g3 g4", { gpu: 1 }),
      deployment("m1", "g1 g2 g3", { gpu: 1 }),
      service("m1"),
      budget("m1", { max: "50%", status: [3, 3] }),
    ],
    verdicts: ["unsafe", "safe"],
    changes: ["PodDisruptionBudget serving/m1 maxUnavailable=1"],
  },
  {
    name: "what would be safe if its pod were Ready is not cured by a restart",
    cluster: [
      nodes("g1 g2 g3 g4", { gpu: 1 }),
      deployment("m1", "g1 g2!", { gpu: 1 }),
      service("m1"),
      budget("m1", { min: 1, status: [2, 1] }),
    ],
    verdicts: ["stalls", "stalls"],
    changes: [],
    help: /^Find out why serving\/m1-6d4b75cb6d-hjklm is not Ready, and mend that first\.$/,
  },
  {
    name: "a budget that is named after a part and guards nothing is put right",
    cluster: [
      nodes("g1 g2", { gpu: 2 }),
      deployment("m1", "g1 g1", { gpu: 1 }),
      service("m1"),
      budget("m1-pdb", { max: 1, selector: { matchLabels: { app: "m-1" } } }),
    ],
    verdicts: ["unsafe", "safe"],
    changes: ["PodDisruptionBudget serving/m1-pdb selector=[object Object]"],
  },
  {
    name: "a limit that refuses the next pod is for a person to widen",
    cluster: [
      ...[gpus, apart("m1", "g1 g2", { gpu: 1 })],
      {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "small", namespace: "serving" },
        spec: { limits: [{ type: "Container", max: { memory: "512Mi" } }] },
      },
    ],
    verdicts: ["stalls", "stalls"],
    changes: [],
    help: /By hand \(HF032\): Widen limit range small/,
  },
  {
    name: "a pod nobody owns is for a person to put under a Deployment",
    cluster: [gpus, pod("m1", "g1", { gpu: 1 }), service("m1")],
    verdicts: ["unsafe", "unsafe"],
    changes: [],
    help: /By hand \(HF026\): Run it under a Deployment\./,
  },
];

for (const { name, cluster, verdicts, changes, help } of cases)
  test(name, () => {
    const report = fixReport(snapshotOf(objectsOf(cluster)), { actors: [kured.name] });
    assert.deepEqual([report.before[0]?.verdict, report.after[0]?.verdict], verdicts);
    assert.deepEqual(report.changes.map(told), changes);
    if (help !== undefined) assert.match(report.cannot[0]?.leastHelp ?? "", help);
  });

/** What is changed: the ends of the fields, or what a new budget selects. */
function told({ target, fields, object, do: act }: FixReport["changes"][number]): string {
  const ends = fields.map(({ path, value }) => `${/[\w-]+(?="?\]?$)/.exec(path)?.[0]}=${String(value)}`);
  const over =
    act === "create"
      ? [`over ${JSON.stringify(valueAt(object ?? undefined, pathSteps("spec.selector.matchLabels")))}`]
      : [];
  return [`${target.kind} ${target.namespace}/${target.name}`, ...(act === "create" ? over : ends)].join(" ");
}

test("no plan takes a leader's moment away: both ways out are named", () => {
  const plan = planReport(snapshotOf(objectsOf(pickers)), { nodes: { by: "names", names: ["s1"] }, actor: null });
  assert.equal(plan.possible, false);
  assert.match(plan.leastHelp, /without --ha-enable-leader-election.*holdfast\.dev\/max-down: 15s/);
});

function objectsOf(cluster: readonly Items[]): readonly WireObject[] {
  return JSON.parse(JSON.stringify(recording("", "", cluster, []).cluster));
}
