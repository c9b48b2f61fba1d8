import { rows } from "../../test/support/rows.ts";
import { amounts, cluster, container, type Parts, pod, quota, template } from "../../test/support/tiny.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Quota } from "../model/policy.ts";
import { Journal } from "../sim/journal.ts";
import { Ledger } from "../sim/ledger.ts";
import { quantityText } from "./quantity-text.ts";
import { admitByQuota } from "./quota.ts";

/** Read from pkg/quota/v1/evaluator/core/pods.go and apiserver's resourcequota admission, v1.36.3. */

const Gi = 1024 ** 3;
const asked = amounts({ milliCpu: 1500, memoryBytes: 2 * Gi }, { "nvidia.com/gpu": 1 });
const gpu: Partial<PodTemplate> = { requests: asked };
const model = template("web", gpu);
const running = pod("a", { template: model, requests: model.requests });

const refusal = (parts: Parts): string | null => admitByQuota(new Ledger(cluster(parts), new Journal()), "ns", model);

const full =
  "exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: requests.nvidia.com/gpu=1";
const gpus = quota("gpus", { "requests.nvidia.com/gpu": 1 });

rows<Parts, string | null>("quota", refusal, [
  ["no quota", {}, null],
  ["room for one", { quotas: [gpus] }, null],
  ["no room", { quotas: [gpus], pods: [running] }, full],
  ["a finished pod has left", { quotas: [gpus], pods: [{ ...running, phase: "Failed", ready: false }] }, null],
  ["a terminating pod has not", { quotas: [gpus], pods: [{ ...running, deleting: true }] }, full],
  [
    "a quota of another namespace",
    { quotas: [{ ...gpus, ref: { ...gpus.ref, namespace: "x" } }], pods: [running] },
    null,
  ],
  [
    "a resource the pod does not ask for",
    { quotas: [quota("q", { "requests.ephemeral-storage": 1 })], pods: [running] },
    null,
  ],
  [
    "all that is exceeded, by name",
    { quotas: [quota("q", { "requests.nvidia.com/gpu": 1, "count/pods": 9, pods: 1 })], pods: [running] },
    "exceeded quota: q, requested: pods=1,requests.nvidia.com/gpu=1, used: pods=1,requests.nvidia.com/gpu=1, limited: pods=1,requests.nvidia.com/gpu=1",
  ],
  [
    "the first quota without room",
    { quotas: [quota("wide", { pods: 5 }), quota("tight", { pods: 1 })], pods: [running] },
    "exceeded quota: tight, requested: pods=1, used: pods=1, limited: pods=1",
  ],
  [
    "finished pods are still objects",
    { quotas: [quota("q", { "count/pods": 1 })], pods: [{ ...running, phase: "Failed", ready: false }] },
    "exceeded quota: q, requested: count/pods=1, used: count/pods=1, limited: count/pods=1",
  ],
  [
    "a scope that takes the pod",
    { quotas: [quota("q", { pods: 0 }, { scopes: ["NotTerminating", "BestEffort"] })] },
    "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0",
  ],
  ["a scope that does not", { quotas: [quota("q", { pods: 0 }, { scopes: ["NotBestEffort"] })] }, null],
  [
    "pods out of scope are not counted",
    {
      quotas: [quota("q", { pods: 1 }, { scopes: ["BestEffort"] })],
      pods: [
        pod("b", { template: template("web", { containers: [container({ requests: amounts({ milliCpu: 1 }) })] }) }),
      ],
    },
    null,
  ],
  [
    "a scope that is not modelled refuses nothing",
    { quotas: [quota("q", { pods: 0 }, { notModelled: ["New"] })] },
    null,
  ],
]);

const ranked: Partial<PodTemplate> = { priorityClassName: "high" };
const ofClass = (operator: "In" | "NotIn" | "Exists" | "DoesNotExist", values: readonly string[]): Quota =>
  quota("q", { pods: 0 }, { scopeSelectors: [{ scope: "PriorityClass", operator, values }] });
const taken = "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0";

rows<readonly [Quota, Partial<PodTemplate>], string | null>(
  "quota by scope",
  ([of, fields]) =>
    admitByQuota(new Ledger(cluster({ quotas: [of] }), new Journal()), "ns", template("web", { ...gpu, ...fields })),
  [
    ["its class", [ofClass("In", ["high", "low"]), ranked], taken],
    ["another class", [ofClass("In", ["low"]), ranked], null],
    ["not its class", [ofClass("NotIn", ["low"]), ranked], taken],
    ["no class is in no list", [ofClass("In", ["high"]), {}], null],
    ["no class is outside every list", [ofClass("NotIn", ["high"]), {}], taken],
    ["any class", [ofClass("Exists", []), ranked], taken],
    ["none", [ofClass("DoesNotExist", []), {}], taken],
    ["a scope of that name", [quota("q", { pods: 0 }, { scopes: ["PriorityClass"] }), {}], null],
    [
      "a container that states none of what is counted",
      [
        quota("q", { "requests.cpu": 9000, "limits.memory": Gi, pods: 0 }),
        { containers: [container({ name: "main" })] },
      ],
      "failed quota: q: must specify limits.memory for: main; requests.cpu for: main",
    ],
    [
      "CPU and memory that are stated and too much",
      [quota("q", { "requests.memory": Gi, "requests.cpu": 1000 }), { containers: [container({ requests: asked })] }],
      "exceeded quota: q, requested: requests.cpu=1500m,requests.memory=2Gi, used: requests.cpu=0,requests.memory=0, limited: requests.cpu=1,requests.memory=1Gi",
    ],
    [
      "what the pod states as a whole is enough",
      [quota("q", { "requests.cpu": 9000 }), { containers: [container({ name: "main" })], statesPodLevel: true }],
      null,
    ],
    ["nobody has to state GPUs", [quota("q", { "requests.nvidia.com/gpu": 9 }), { containers: [container({})] }], null],
  ],
);

rows<readonly [string, number], string>("quantity text", ([resource, amount]) => quantityText(resource, amount), [
  ["milli CPU", ["requests.cpu", 250], "250m"],
  ["whole CPU", ["cpu", 4000], "4"],
  ["memory in powers of 1024", ["requests.memory", 1.5 * Gi], "1536Mi"],
  ["memory that is not", ["memory", 1500], "1500"],
  ["memory in powers of 1000", ["memory", 2e9], "2G"],
  ["a thousand pods", ["pods", 1000], "1k"],
  ["none", ["pods", 0], "0"],
]);
