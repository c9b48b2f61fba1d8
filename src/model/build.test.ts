import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import type { Cluster } from "./cluster.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { Workload } from "./workload.ts";

function workload(cluster: Cluster, key: string): Workload {
  const found = cluster.workloads.get(key);
  assert.ok(found !== undefined, `${key} is a workload`);
  return found;
}

function templateOf(cluster: Cluster, key: string): PodTemplate {
  const found = workload(cluster, key);
  assert.ok("template" in found);
  return found.template;
}

function messages(cluster: Cluster): readonly string[] {
  return cluster.problems.map((problem) => `${problem.line} ${problem.path}`);
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: serving}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web:1, resources: {limits: {cpu: 500m}}}]
`;

test("a Deployment gets the API server's defaults", () => {
  const web = workload(clusterFrom(deployment), "Deployment.apps/serving/web");
  assert.ok(web.kind === "Deployment");
  assert.equal(web.replicas, 1);
  assert.deepEqual(web.strategy, {
    type: "RollingUpdate",
    maxSurge: { percent: true, value: 25 },
    maxUnavailable: { percent: true, value: 25 },
  });
  assert.equal(web.progressDeadlineMs, 600_000);
  assert.equal(web.template.terminationGraceMs, 30_000);
  assert.equal(web.template.restartPolicy, "Always");
  assert.equal(web.template.requests.milliCpu, 500, "a limit without a request is requested");
  assert.equal(web.template.nonZeroMemoryBytes, 200 * 2 ** 20);
});

test("pods tolerate not-ready and unreachable nodes for 300 s unless they say otherwise", () => {
  const own = templateOf(clusterFrom(deployment), "Deployment.apps/serving/web");
  assert.deepEqual(
    own.tolerations.map((each) => [each.key, each.effect, each.tolerationMs]),
    [
      ["node.kubernetes.io/not-ready", "NoExecute", 300_000],
      ["node.kubernetes.io/unreachable", "NoExecute", 300_000],
    ],
  );
  const stated = deployment.replace(
    "spec:\n      containers",
    "spec:\n      tolerations: [{operator: Exists}]\n      containers",
  );
  assert.equal(templateOf(clusterFrom(stated), "Deployment.apps/serving/web").tolerations.length, 1);
});

const pod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-1-a
  namespace: serving
  uid: 7f
  labels: {app: web}
spec:
  nodeName: n1
  tolerations:
  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  priority: 0
  containers:
  - name: web
    image: web:1
    resources: {limits: {cpu: 500m}, requests: {cpu: 500m}}
    volumeMounts: [{name: kube-api-access-x1, mountPath: /var/run}]
    env: [{name: A, value: b}]
  volumes: [{name: kube-api-access-x1, projected: {sources: []}}]
status: {phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T08:00:00Z"}]}
`;

test("a pod read back shares the template its owner's manifest left to defaults", () => {
  const cluster = clusterFrom(`${deployment}---${pod}---${pod.replace("web-1-a", "web-1-b").replaceAll("x1", "x2")}`);
  const [first, second] = cluster.pods;
  assert.equal(cluster.templateCount, 1);
  assert.equal(first?.template, templateOf(cluster, "Deployment.apps/serving/web"));
  assert.equal(second?.template, first?.template);
  assert.equal(first?.template.id, 0);
  assert.equal(first?.nodeName, "n1");
  assert.equal(first?.template.nodeName, "", "a pod's place is no part of its template");
  assert.equal(first?.ready, true);
  assert.equal(first?.readyAtMs, Date.UTC(2026, 10, 1, 8));
});

test("priority comes from the class: named, default, or built in", () => {
  const classes = `
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 10, globalDefault: true}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: polite}, value: 50, preemptionPolicy: Never}
`;
  const named = (name: string): string =>
    deployment.replace("containers", `priorityClassName: ${name}\n      containers`);
  const read = (yaml: string): readonly [number, string] => {
    const template = templateOf(clusterFrom(yaml + classes), "Deployment.apps/serving/web");
    return [template.priority, template.preemptionPolicy];
  };
  assert.deepEqual(read(deployment), [10, "PreemptLowerPriority"]);
  assert.deepEqual(read(named("polite")), [50, "Never"]);
  assert.deepEqual(read(named("system-node-critical")), [2_000_001_000, "PreemptLowerPriority"]);
  const unknown = clusterFrom(named("nowhere"), { problemsAllowed: true });
  assert.deepEqual(messages(unknown), ["10 spec.template.spec.priorityClassName"]);
});

const limitRange = `
---
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: serving}
spec: {limits: [{type: Container, default: {memory: 2Gi}, defaultRequest: {cpu: 100m}, max: {cpu: "4"}}]}
`;

test("limit ranges fill in what new pods leave out, and not what pods read back have", () => {
  const bare = deployment.replace(", resources: {limits: {cpu: 500m}}", "");
  const { requests, limits } = templateOf(clusterFrom(bare + limitRange), "Deployment.apps/serving/web");
  assert.equal(requests.milliCpu, 100);
  assert.equal(requests.memoryBytes, 2 * 2 ** 30, "a default limit is the default request");
  assert.equal(limits.milliCpu, 4000, "a maximum is the default limit");
  const readBack = pod.replace("resources: {limits: {cpu: 500m}, requests: {cpu: 500m}}", "");
  assert.equal(clusterFrom(readBack + limitRange).pods[0]?.requests.milliCpu, 0);
});

test("a runtime class adds its overhead, node selector and tolerations to new pods", () => {
  const cluster = clusterFrom(`${deployment.replace("containers", "runtimeClassName: kata\n      containers")}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kata}
handler: kata
overhead: {podFixed: {cpu: 250m}}
scheduling: {nodeSelector: {vm: "yes"}, tolerations: [{key: vm, operator: Exists}]}
`);
  const template = templateOf(cluster, "Deployment.apps/serving/web");
  assert.equal(template.requests.milliCpu, 750);
  assert.deepEqual([...template.nodeSelector], [["vm", "yes"]]);
  assert.equal(template.tolerations.length, 3);
});

test("matchLabelKeys become requirements once, for templates and for pods read back alike", () => {
  const affinity = (selector: string): string =>
    `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: h, matchLabelKeys: [app], labelSelector: ${selector}}]}}`;
  const merged = [{ key: "app", operator: "In", values: ["web"] }];
  const template = deployment.replace("containers", `${affinity("{}")}\n      containers`);
  const [term] = templateOf(clusterFrom(template), "Deployment.apps/serving/web").requiredPodAntiAffinity;
  assert.deepEqual(term?.selector?.requirements, merged);
  assert.deepEqual(term?.namespaces, ["serving"]);
  const readBack = pod.replace(
    "  containers:",
    `  ${affinity("{matchExpressions: [{key: app, operator: In, values: [web]}]}")}\n  containers:`,
  );
  const [again] = clusterFrom(readBack).pods[0]?.template.requiredPodAntiAffinity ?? [];
  assert.deepEqual(again?.selector?.requirements, merged);
});

const owned = (name: string, owner: string): string => `
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: ${name}
  namespace: serving
  ownerReferences: [${owner}]
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, pod-template-hash: h1}}
    spec: {containers: [{name: web, image: web:1}]}
`;

test("owners are found by name, by uid, and above a custom resource by its own owner", () => {
  const cluster = clusterFrom(`
apiVersion: serving.example/v1
kind: Model
metadata: {name: chat, namespace: serving, uid: m-1, labels: {a: b}}
spec: {replicas: 3}
${owned("by-name", "{apiVersion: serving.example/v1, kind: Model, name: chat, controller: true}")}
${owned("by-uid", "{apiVersion: serving.example/v1, kind: Model, name: chat, uid: m-1, controller: true}")}
${owned("not-controlled", "{apiVersion: serving.example/v1, kind: Model, name: chat, uid: m-1}")}
`);
  const key = "Model.serving.example/serving/chat";
  assert.equal(workload(cluster, "ReplicaSet.apps/serving/by-name").owner, key);
  assert.equal(workload(cluster, "ReplicaSet.apps/serving/by-uid").owner, key);
  assert.equal(workload(cluster, "ReplicaSet.apps/serving/not-controlled").owner, null);
  const owner = workload(cluster, key);
  assert.ok(owner.kind === "Other");
  assert.equal(owner.present, true);
  assert.equal(owner.scaleReplicas, null, "without a definition nobody says that it scales");
  assert.equal(templateOf(cluster, "ReplicaSet.apps/serving/by-name").labels.get("pod-template-hash"), "h1");
});

test("a definition with a scale subresource makes its kind scale", () => {
  const definition = (scale: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: models.serving.example}
spec:
  group: serving.example
  names: {kind: Model, plural: models}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, subresources: {${scale}}}]
---
apiVersion: serving.example/v1
kind: Model
metadata: {name: chat, namespace: serving}
spec: {size: 3}
${owned("rs", "{apiVersion: serving.example/v1, kind: Model, name: chat, controller: true}")}
`;
  const scaleOf = (yaml: string): number | null => {
    const owner = workload(clusterFrom(yaml), "Model.serving.example/serving/chat");
    return owner.kind === "Other" ? owner.scaleReplicas : -1;
  };
  assert.equal(scaleOf(definition("scale: {specReplicasPath: .spec.size}")), 3);
  assert.equal(scaleOf(definition("status: {}")), null);
});

test("an owner that is not in the input is one problem, however many name it", () => {
  const owner = "{apiVersion: serving.example/v1, kind: Model, name: chat, controller: true}";
  const cluster = clusterFrom(owned("a", owner) + owned("b", owner), { problemsAllowed: true });
  assert.deepEqual(messages(cluster), ["3 metadata.ownerReferences"]);
  const absent = workload(cluster, "Model.serving.example/serving/chat");
  assert.ok(absent.kind === "Other");
  assert.equal(absent.present, false);
});

test("the leader pod of a group owns its workers' set", () => {
  const cluster = clusterFrom(
    pod.replace("web-1-a", "m-0") + owned("m-0", "{apiVersion: v1, kind: Pod, name: m-0, uid: 7f, controller: true}"),
  );
  assert.equal(workload(cluster, "ReplicaSet.apps/serving/m-0").owner, "Pod./serving/m-0");
  assert.equal(cluster.workloads.has("Pod./serving/m-0"), false);
});

test("everything wrong is listed with its line and path, and the rest is used", () => {
  const cluster = clusterFrom(
    `
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable:
    cpu: lots
    memory: 8Gi
    pods: "110"
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: serving}
spec:
  containers: main
  tolerations:
  - effect: NoSuchEffect
    key: a
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: serving}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b, namespace: serving}
spec: {minAvailable: most, selector: {matchLabels: {app: 7}}}
`,
    { problemsAllowed: true },
  );
  assert.deepEqual(messages(cluster), [
    "7 status.allocatable.cpu",
    "15 spec.containers",
    "15 spec.containers",
    "17 spec.tolerations[0].effect",
    "22 metadata.name",
    "27 spec.minAvailable",
    "27 spec.selector.matchLabels.app",
  ]);
  assert.equal(cluster.nodes[0]?.allocatable.memoryBytes, 8 * 2 ** 30);
  assert.equal(cluster.pods.length, 1);
  assert.equal(cluster.budgets.length, 1);
});

test("an object that comes twice: the later one is used; a copy is no problem", () => {
  const twice = clusterFrom(`${deployment}---${deployment}`);
  assert.equal(twice.workloads.size, 1);
  const changed = clusterFrom(`${deployment}---${deployment.replace("web:1", "web:2")}`, { problemsAllowed: true });
  assert.equal(changed.problems.length, 1);
  assert.deepEqual(templateOf(changed, "Deployment.apps/serving/web").images, ["web:2"]);
});

test("of two readings of one server's object the newer one counts, in whatever order they come", () => {
  const reading = (version: number, image: string): string =>
    deployment
      .replace("namespace: serving", `namespace: serving, uid: d-1, resourceVersion: "${version}"`)
      .replace("web:1", image);
  for (const yaml of [`${reading(9, "old")}---${reading(10, "new")}`, `${reading(10, "new")}---${reading(9, "old")}`]) {
    assert.deepEqual(templateOf(clusterFrom(yaml), "Deployment.apps/serving/web").images, ["new"]);
  }
});

/** Server, kubelets, what is modelled. */
const versions: readonly (readonly [readonly string[], number, boolean])[] = [
  [[], 36, false],
  [["v1.35.2"], 35, true],
  [["v1.34.1", "v1.36.0-gke.100"], 36, true],
  [["v1.33.9"], 34, false],
  [["v1.40.0"], 37, false],
  [["unknown"], 36, false],
];

for (const [kubelets, minor, exact] of versions) {
  test(`kubelets ${kubelets.join(" and ") || "none"} mean 1.${minor}`, () => {
    const nodes = kubelets.map(
      (version, index) =>
        `{apiVersion: v1, kind: Node, metadata: {name: n${index}}, status: {allocatable: {cpu: 1}, nodeInfo: {kubeletVersion: ${version}}}}`,
    );
    const { version } = clusterFrom(nodes.length === 0 ? deployment : nodes.join("\n---\n"));
    assert.deepEqual([version.minor, version.exact], [minor, exact]);
  });
}

test("prototype names are data everywhere", () => {
  const cluster = clusterFrom(
    JSON.stringify([
      JSON.parse(
        '{"apiVersion":"v1","kind":"Node","metadata":{"name":"__proto__","labels":{"__proto__":"x","constructor":"y"}},' +
          '"status":{"allocatable":{"cpu":"1","__proto__":"1","example.com/constructor":"2"}},"__proto__":{"spec":{"unschedulable":true}}}',
      ),
      JSON.parse('{"apiVersion":"v1","kind":"constructor","metadata":{"name":"toString","namespace":"__proto__"}}'),
    ]),
  );
  const [node] = cluster.nodes;
  assert.equal(node?.name, "__proto__");
  assert.equal(node?.unschedulable, false);
  assert.deepEqual(
    [...(node?.labels ?? [])],
    [
      ["__proto__", "x"],
      ["constructor", "y"],
    ],
  );
  assert.equal(node?.allocatable.scalar.get("example.com/constructor"), 2);
  assert.ok(cluster.others.has("constructor./__proto__/toString"));
  assert.equal(Object.hasOwn(Object.prototype, "spec"), false);
});

test("an object of a namespace that no server has is left out", () => {
  const cluster = clusterFrom(deployment.replace("namespace: serving", "namespace: a/b"), { problemsAllowed: true });
  assert.equal(cluster.workloads.size, 0);
  assert.deepEqual(messages(cluster), ["4 metadata.namespace"]);
});
