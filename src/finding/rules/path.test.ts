import assert from "node:assert/strict";
import { test } from "node:test";
import { found, type Shows, type World } from "../../../test/support/findings.ts";
import { gateway, object, pod, service, workload } from "../../../test/support/serving.ts";
import type { Actor } from "../../maintenance/actor.ts";
import { eksManaged } from "../../maintenance/actors/eks-managed.ts";
import { kubectlDrain } from "../../maintenance/actors/kubectl-drain.ts";
import { nebius } from "../../maintenance/actors/nebius.ts";
import type { FindingRule } from "../finding-rule.ts";
import { autoscalerFloor } from "./autoscaler-floor.ts";
import { budgetWithoutScale } from "./budget-without-scale.ts";
import { drainRefused } from "./drain-refused.ts";
import { failOpenIgnored } from "./fail-open-ignored.ts";
import { fixReverted } from "./fix-reverted.ts";
import { graceBeyondDrain } from "./grace-beyond-drain.ts";
import { limitRangeRefuses } from "./limit-range-refuses.ts";
import { localData } from "./local-data.ts";
import { pickerRecreate } from "./picker-recreate.ts";
import { preemptable } from "./preemptable.ts";
import { proxyDrainTimeout } from "./proxy-drain-timeout.ts";
import { quotaForbidsSurge } from "./quota-forbids-surge.ts";
import { scaledToZero } from "./scaled-to-zero.ts";
import { shortGrace } from "./short-grace.ts";
import { volumePins } from "./volume-pins.ts";
import { webhookSingle } from "./webhook-single.ts";

type Row = readonly [about: string, change: (world: World) => void, shows: Shows, expected: readonly string[]];

/** Each row changes one thing of a cluster in which nothing is found; nothing else may be found then. */
const table: readonly Row[] = [
  ["a part that is recreated whole", (w) => setRecreate(w), {}, ["picker-recreate/allStop note epp"]],

  ["the gateway may not honour FailOpen", (w) => unknownGateway(w), {}, ["fail-open-ignored/ignored note epp"]],
  ["… and the picker breaks", (w) => unknownGateway(w), { picker: "broke" }, ["fail-open-ignored/ignored note epp"]],
  ["a gateway that honours it", (w) => setFailOpen(w), {}, []],

  [
    "a webhook in the way of the engines, behind one pod",
    (w) => addWebhook(w, 1),
    {},
    ["webhook-single/single note hook"],
  ],
  ["… while engines break", (w) => addWebhook(w, 1), { engine: "broke" }, ["webhook-single/single warning hook"]],
  ["… while they stall", (w) => addWebhook(w, 1), { engine: "stalled" }, ["webhook-single/single warning hook"]],
  ["a webhook behind two", (w) => addWebhook(w, 2), { engine: "broke" }, []],

  ["an autoscaler that may go down to one", (w) => addScaler(w, 1), {}, ["autoscaler-floor/floorOfOne warning epp"]],
  ["an autoscaler that may not", (w) => addScaler(w, 2), {}, []],
  [
    "an autoscaler that takes none away",
    (w) => addScaler(w, 1, { behavior: { scaleDown: { selectPolicy: "Disabled" } } }),
    {},
    [],
  ],
  [
    "an autoscaler that may go down to what a budget keeps",
    (w) => addScalerUnder(w, 2, 2),
    {},
    ["autoscaler-floor/floorOfBudget warning epp"],
  ],
  ["… to more than that", (w) => addScalerUnder(w, 2, 1), {}, []],

  [
    "KEDA may go to zero, which it does unless told not to",
    (w) => addKeda(w, {}),
    {},
    ["scaled-to-zero/mayBe note vllm"],
  ],
  ["… and may not", (w) => addKeda(w, { minReplicaCount: 2 }), {}, []],
  ["scaled to zero by intent", (w) => stop(w), {}, ["scaled-to-zero/idle note m"]],

  ["a quota without room for one more", (w) => addQuota(w, "6"), {}, ["quota-forbids-surge/noRoom note q"]],
  ["a quota lowered under what runs", (w) => addQuota(w, "5"), {}, ["quota-forbids-surge/overdrawn warning q"]],
  ["… while engines stall", (w) => addQuota(w, "5"), { engine: "stalled" }, ["quota-forbids-surge/overdrawn error q"]],
  [
    "… and one without room for one more",
    (w) => addQuota(w, "6"),
    { engine: "stalled" },
    ["quota-forbids-surge/noRoom warning q"],
  ],
  ["a quota with room", (w) => addQuota(w, "7"), {}, []],
  [
    "a quota of accelerators alone",
    (w) => addQuota(w, "4", "requests.nvidia.com/gpu"),
    {},
    ["quota-forbids-surge/noRoom note q"],
  ],

  ["a limit beyond which the pods are", (w) => addLimit(w, "1Ki"), {}, ["limit-range-refuses/refused warning small"]],
  [
    "… while one of them breaks",
    (w) => addLimit(w, "1Ki"),
    { engine: "broke" },
    ["limit-range-refuses/refused error small"],
  ],
  ["… of another namespace", (w) => addLimit(w, "1Ki", "other"), {}, []],

  ["preStop that eats the grace", (w) => setGrace(w, 30, 15), {}, ["short-grace/eaten note vllm"]],
  ["… all of it", (w) => setGrace(w, 30, 30), {}, ["short-grace/eaten warning vllm"]],
  ["a grace below the usual", (w) => setGrace(w, 20, 0), {}, ["short-grace/brief note vllm"]],
  ["… of nothing", (w) => setGrace(w, 0, 0), {}, ["short-grace/brief warning vllm"]],
  ["enough is left", (w) => setGrace(w, 60, 15), {}, []],
  [
    "a route that allows longer answers than the grace",
    (w) => setTimeout(w, "45s"),
    {},
    ["short-grace/cutsAllowed note m"],
  ],
  ["… as long as the grace", (w) => setTimeout(w, "30s"), {}, []],
  ["… without limit", (w) => setTimeout(w, "0s"), {}, []],

  ["a part that GitOps puts back", (w) => track(w, "gateway"), {}, ["fix-reverted/putBack note proxy"]],
  [
    "two of them, told once",
    (w) => {
      track(w, "gateway");
      track(w, "engine");
    },
    {},
    ["fix-reverted/putBack note several"],
  ],
  ["a composition without a field for it", (w) => compose(w), {}, ["fix-reverted/putBack note epp"]],

  ["a volume only one node can reach", (w) => pin(w, ["s1"]), {}, ["volume-pins/pinned note epp"]],
  ["… and the part breaks", (w) => pin(w, ["s1"]), { picker: "broke" }, ["volume-pins/pinned error epp"]],
  ["a volume both can reach", (w) => pin(w, ["s1", "s2"]), {}, []],

  [
    "others of higher priority on the same nodes",
    (w) => addStronger(w, "PreemptLowerPriority"),
    {},
    ["preemptable/lower note coredns"],
  ],
  [
    "… that can run where the engines are alone",
    (w) => addStronger(w, "PreemptLowerPriority", "gpu"),
    {},
    ["preemptable/lower note vllm"],
  ],
  ["… who never preempt", (w) => addStronger(w, "Never"), {}, []],

  ["a device claim whose devices are on one node", (w) => claim(w, ["g1"]), {}, ["volume-pins/claimed note vllm"]],
  ["… which both can use", (w) => claim(w, ["g1", "g2"]), {}, []],

  ["a bare pod among the engines", (w) => addBare(w), {}, ["drain-refused/bare warning bare"]],

  ["a budget over pods whose owner has no scale", (w) => addRay(w), {}, ["budget-without-scale/noScale warning c"]],
  [
    "a budget over the pods of a Job too, finished or not",
    (w) => addDownload(w),
    {},
    ["budget-without-scale/noScale warning vllm"],
  ],
  [
    "a budget in percent over pods nobody owns",
    (w) => addBarePair(w, { minAvailable: "50%" }),
    {},
    ["budget-without-scale/nobody warning pair-0", "drain-refused/bare warning pair-0"],
  ],
  ["… and a number", (w) => addBarePair(w, { minAvailable: 1 }), {}, ["drain-refused/bare warning pair-0"]],
];

/** Those that depend on who maintains the nodes have tests of their own below. */
const elsewhere: readonly string[] = [
  "grace-beyond-drain/tooLong",
  "grace-beyond-drain/givesUp",
  "local-data/emptyDir",
  "drain-refused/refuses",
  "proxy-drain-timeout/closesEarly",
  "proxy-drain-timeout/graceFirst",
];
const rules: readonly FindingRule[] = [
  pickerRecreate,
  failOpenIgnored,
  webhookSingle,
  autoscalerFloor,
  scaledToZero,
  quotaForbidsSurge,
  limitRangeRefuses,
  shortGrace,
  volumePins,
  fixReverted,
  proxyDrainTimeout,
  preemptable,
  drainRefused,
  budgetWithoutScale,
  graceBeyondDrain,
  localData,
];

test("every message of these rules is seen", () => {
  const seen = table.flatMap(([, , , lines]) => lines.map((line) => line.split(" ")[0]));
  const ids = rules.flatMap(({ name, messages }) => Object.keys(messages).map((id) => `${name}/${id}`));
  assert.deepEqual(
    ids.filter((id) => !seen.includes(id) && !elsewhere.includes(id)),
    [],
  );
});

for (const [about, change, shows, expected] of table)
  test(about, () => assert.deepEqual(found(change, shows), expected));

test("a proxy's own time to drain", () => {
  const generated = "fix-reverted/putBack note proxy";
  const of = (drainTimeout: string): readonly string[] =>
    found((w) => addEnvoy(w, drainTimeout, "25s")).filter((line) => line !== generated);
  assert.deepEqual(of("20s"), ["proxy-drain-timeout/closesEarly note proxy"]);
  assert.deepEqual(of("60s"), ["proxy-drain-timeout/graceFirst warning proxy"]);
  assert.deepEqual(of("25s"), []);
});

test("a grace longer than the actor waits", () => {
  const change = ({ engine }: World): void => {
    engine.spec["terminationGracePeriodSeconds"] = 7200;
  };
  const told = found(change, {}, [nebius]).filter((line) => !isOfActor(line));
  assert.deepEqual(told, ["grace-beyond-drain/tooLong note vllm"]);
  assert.deepEqual(found(change, {}, [eksManaged]), ["grace-beyond-drain/givesUp note vllm"]);
  assert.deepEqual(found(change, { engine: "stalled" }, [eksManaged]), ["grace-beyond-drain/givesUp error vllm"]);
  assert.deepEqual(found(change, {}, []), []);
});

/** What is so of any cluster such an actor maintains. */
function isOfActor(line: string): boolean {
  return line.startsWith("small-pool/closesAll note");
}

test("a pod of somebody else that kubectl drain refuses", () => {
  const change = ({ more }: World): void => {
    more.push(pod("debug", { namespace: "other", spec: { nodeName: "g1" } }));
  };
  const of = (actor: Actor): readonly string[] => found(change, {}, [actor]).filter((line) => !isOfActor(line));
  assert.deepEqual(of(kubectlDrain), ["drain-refused/refuses note several"]);
  assert.deepEqual(of(nebius), []);
});

test("an emptyDir that a plain kubectl drain refuses", () => {
  const change = ({ engine }: World): void => {
    engine.spec["volumes"] = [{ name: "cache", emptyDir: {} }];
  };
  const of = (actor: Actor): readonly string[] => found(change, {}, [actor]).filter((line) => !isOfActor(line));
  assert.deepEqual(of(kubectlDrain), ["local-data/emptyDir note vllm"]);
  assert.deepEqual(of(nebius), []);
});

function setRecreate({ picker }: World): void {
  picker.strategy = { type: "Recreate" };
}

function setFailOpen(world: World): void {
  world.failureMode = "FailOpen";
}

function unknownGateway(world: World): void {
  setFailOpen(world);
  const spec = { controllerName: "example.com/gateway" };
  world.more.push({
    ...object("gateway.networking.k8s.io/v1", "GatewayClass", "istio", spec),
    metadata: { name: "istio" },
  });
}

function addWebhook({ more }: World, replicas: number): void {
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const clientConfig = { service: { namespace: "hooks", name: "hook", port: 443 } };
  const objectSelector = { matchLabels: { app: "vllm" } };
  more.push(
    workload("hook", { namespace: "hooks", replicas }),
    service("hook", { app: "hook" }, { namespace: "hooks" }),
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "hook" },
      webhooks: [{ name: "h.example.com", failurePolicy: "Fail", clientConfig, objectSelector, rules }],
    },
  );
}

function addScaler({ more }: World, minReplicas: number, how: Readonly<Record<string, unknown>> = {}): void {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "epp" };
  more.push(
    object("autoscaling/v2", "HorizontalPodAutoscaler", "epp", { scaleTargetRef, minReplicas, maxReplicas: 4, ...how }),
  );
}

/** Three pickers on three nodes, under a budget that wants so many. */
function addScalerUnder(world: World, minReplicas: number, minAvailable: number): void {
  const { picker } = world;
  world.nodes.push({ name: "s3", pool: "system", zone: "a", gpus: 0, cpu: "4" });
  picker.replicas = 3;
  picker.nodes = ["s1", "s2", "s3"];
  for (const { spec } of picker.budgets) {
    delete spec["maxUnavailable"];
    spec["minAvailable"] = minAvailable;
  }
  addScaler(world, minReplicas);
}

function stop({ engine }: World): void {
  engine.replicas = 0;
  engine.nodes = [];
}

function addLimit({ more }: World, memory: string, namespace = "ns"): void {
  more.push(object("v1", "LimitRange", "small", { limits: [{ type: "Container", max: { memory } }] }, { namespace }));
}

function addQuota({ more }: World, amount: string, resource = "pods"): void {
  const hard = { [resource]: amount };
  const used = { [resource]: resource === "pods" ? "6" : amount };
  more.push({ ...object("v1", "ResourceQuota", "q", { hard }), status: { hard, used } });
}

function setGrace({ engine }: World, grace: number, preStop: number): void {
  engine.spec["terminationGracePeriodSeconds"] = grace;
  engine.spec["containers"] = [
    {
      name: "main",
      image: "app:1",
      lifecycle: { preStop: { sleep: { seconds: preStop } } },
      resources: { requests: engine.requests, limits: { "nvidia.com/gpu": "2" } },
    },
  ];
}

function addKeda({ more }: World, spec: Record<string, unknown>): void {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "vllm" };
  const minReplicas = spec["minReplicaCount"] ?? 1;
  more.push(
    object("keda.sh/v1alpha1", "ScaledObject", "vllm", { scaleTargetRef, ...spec }),
    object(
      "autoscaling/v2",
      "HorizontalPodAutoscaler",
      "keda-hpa-vllm",
      { scaleTargetRef, minReplicas, maxReplicas: 4 },
      { owner: { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "vllm" } },
    ),
  );
}

function setTimeout(world: World, request: string): void {
  world.requestTimeout = request;
}

/** The gateway's proxies are Envoy Gateway's; its EnvoyProxy says how long they drain. */
function addEnvoy(world: World, drainTimeout: string, request: string): void {
  setTimeout(world, request);
  Object.assign(world.gateway.labels, {
    "app.kubernetes.io/managed-by": "envoy-gateway",
    "gateway.envoyproxy.io/owning-gateway-name": "g",
    "gateway.envoyproxy.io/owning-gateway-namespace": "ns",
  });
  const ref = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "proxies" };
  world.more.push(
    object("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", "proxies", { shutdown: { drainTimeout } }),
    // Later objects of one name replace earlier ones.
    gateway("g", "eg", { infrastructure: { parametersRef: ref } }),
  );
}

function track(world: World, part: "gateway" | "engine"): void {
  world[part].annotations["argocd.argoproj.io/tracking-id"] = "models:apps/Deployment:ns/proxy";
}

function compose({ picker }: World): void {
  picker.podAnnotations["modelplane.ai/epp-config-checksum"] = "1";
}

function claim({ engine, more }: World, nodes: string[]): void {
  engine.spec["resourceClaims"] = [{ name: "devices", resourceClaimName: "shared" }];
  const terms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: nodes }] }];
  more.push({
    ...object("resource.k8s.io/v1", "ResourceClaim", "shared", {
      devices: { requests: [{ name: "nic", exactly: { deviceClassName: "nic" } }] },
    }),
    status: { allocation: { nodeSelector: { nodeSelectorTerms: terms }, devices: { results: [] } } },
  });
}

function pin({ picker, more }: World, nodes: string[]): void {
  picker.spec["volumes"] = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const terms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: nodes }] }];
  const capacity = { storage: "1Gi" };
  more.push(
    {
      ...object("v1", "PersistentVolumeClaim", "data", {
        volumeName: "pv",
        accessModes: ["ReadWriteMany"],
        resources: { requests: capacity },
      }),
      status: { phase: "Bound", capacity },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "pv" },
      spec: {
        capacity,
        accessModes: ["ReadWriteMany"],
        claimRef: { namespace: "ns", name: "data" },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
      status: { phase: "Bound" },
    },
  );
}

function addStronger({ more }: World, preemptionPolicy: string, onPool = "system"): void {
  more.push({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 1000,
    preemptionPolicy,
  });
  const spec = {
    ...{ nodeName: onPool === "gpu" ? "g1" : "s1", nodeSelector: { "node-pool": onPool } },
    ...{ priorityClassName: "high", priority: 1000, preemptionPolicy },
    tolerations: [{ operator: "Exists" }],
  };
  more.push(pod("batch", { namespace: "other", spec, labels: { app: "batch" } }));
}

function addBare({ more }: World): void {
  const resources = { requests: { "nvidia.com/gpu": "1" }, limits: { "nvidia.com/gpu": "1" } };
  const spec = { nodeName: "g1", containers: [{ name: "main", image: "app:1", resources }] };
  more.push(pod("bare", { labels: { app: "vllm", bare: "yes" }, spec }));
}

/** The Job that fetched the model carries the engines' label, and its pod is still there. */
function addDownload({ engine, more }: World): void {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "fetch" };
  const template = { metadata: { labels: engine.labels }, spec: { containers: [{ name: "main", image: "fetch:1" }] } };
  more.push(object("batch/v1", "Job", "fetch", { template }));
  more.push({ ...pod("fetch-1", { labels: engine.labels, owner }), status: { phase: "Succeeded" } });
}

/** Two engines of a second endpoint that nobody owns, under a budget. */
function addBarePair({ more }: World, spec: Record<string, unknown>): void {
  const labels = { app: "pair" };
  for (const [name, node] of Object.entries({ "pair-0": "g1", "pair-1": "g2" }))
    more.push(pod(name, { labels, gpus: 1, spec: { nodeName: node } }));
  more.push(service("pair", labels));
  more.push(object("policy/v1", "PodDisruptionBudget", "pair", { ...spec, selector: { matchLabels: labels } }));
}

/** Engines of a second endpoint, made by a kind without scale. */
function addRay({ more }: World): void {
  const owner = { apiVersion: "ray.io/v1", kind: "RayCluster", name: "c" };
  const labels = { "ray.io/cluster": "c" };
  const one = (name: string, node: string) => pod(name, { labels, owner, gpus: 1, spec: { nodeName: node } });
  more.push(one("c-1", "g1"), one("c-2", "g2"), service("ray", labels));
  more.push(
    object("policy/v1", "PodDisruptionBudget", "ray", { maxUnavailable: 1, selector: { matchLabels: labels } }),
  );
}
