import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { loadPaths, loadText } from "../../src/load/from-files.ts";
import { snapshotLines, writeSnapshotFile } from "../../src/load/snapshot-file.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { matches } from "../../src/model/labels.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-snapshot-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

const incident = join(import.meta.dirname, "../../examples/modelplane-incident/cluster");

/** What of a cluster does not depend on names: if these agree, selectors, owners and references still hold. */
function shape(cluster: Cluster): unknown {
  const count = <T>(items: Iterable<T>, holds: (item: T) => boolean): number => [...items].filter(holds).length;
  return {
    version: cluster.version,
    templates: cluster.templateCount,
    problems: cluster.problems.length,
    secrets: cluster.secretsDropped,
    nodes: cluster.nodes.map((node) => [node.allocatable.milliCpu, node.taints.length, node.ready, node.labels.size]),
    pods: cluster.pods.map((pod) => ({
      node: cluster.nodes.findIndex((node) => node.name === pod.nodeName),
      template: pod.template.id,
      owned: pod.owner !== null && cluster.workloads.has(pod.owner),
      ready: pod.ready,
      requests: pod.requests.milliCpu,
      tolerates: pod.template.tolerations.length,
      services: count(
        cluster.services,
        (service) =>
          service.ref.namespace === pod.namespace &&
          [...(service.selector ?? [])].every(([key, value]) => pod.template.labels.get(key) === value),
      ),
      budgets: count(
        cluster.budgets,
        (budget) =>
          budget.ref.namespace === pod.namespace &&
          budget.selector !== null &&
          matches(budget.selector, pod.template.labels),
      ),
    })),
    workloads: [...cluster.workloads.values()].map((each) => [each.kind, each.owner !== null]),
    others: [...cluster.others.values()].map((other) => `${other.ref.apiVersion} ${other.ref.kind}`),
    budgets: cluster.budgets.map((budget) => [budget.minAvailable, budget.maxUnavailable]),
  };
}

for (const anonymize of [false, true]) {
  test(`a cluster written and read again is the same cluster${anonymize ? ", under other names" : ""}`, async () => {
    const path = join(scratch, `incident-${anonymize}.ndjson.gz`);
    await writeSnapshotFile(path, loadPaths([incident]), { anonymize, toolVersion: "0" });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(shape(buildCluster(loadPaths([path]))), shape(buildCluster(loadPaths([incident]))));
  });
}

function written(objects: readonly unknown[], anonymize: boolean): string {
  const text = objects.map((each) => JSON.stringify(each)).join("\n");
  return [...snapshotLines(loadText(text, "input"), { anonymize, toolVersion: "0" })].join("");
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "acme-fraud-7d4f-x2",
    namespace: "acme-prod",
    labels: { app: "acme-fraud", "acme.example/squad": "payments", "topology.kubernetes.io/zone": "acme-zone-1" },
    annotations: { short: "acme", payload: "acme".repeat(1000), "serving.kserve.io/deploymentMode": "RawDeployment" },
  },
  spec: {
    nodeName: "ip-10-20-30-40.acme",
    nodeSelector: { "acme.example/squad": "payments" },
    containers: [
      {
        name: "main",
        image: "registry.acme.example/fraud/engine:v1.2@sha256:abcd",
        args: ["--pool-name=acme-fraud", "--model acme/fraud", "/models/acme"],
        env: [{ name: "TOKEN", value: "acme-token" }],
        resources: { requests: { cpu: "500m", "nvidia.com/gpu": "1", "acme.example/fpga": "1" } },
      },
    ],
  },
  status: { phase: "Running", podIP: "10.20.30.40", message: "pulled from registry.acme.example" },
};

test("Secrets, environment values, long annotations and ConfigMap values are in no snapshot file", () => {
  const text = written(
    [
      pod,
      { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { key: "aHVudGVyMg==" } },
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "c" },
        data: { key: "hunter2" },
        binaryData: { b: "aHVudGVyMg==" },
      },
    ],
    false,
  );
  assert.doesNotMatch(text, /aHVudGVyMg|hunter2|acme-token|acmeacme/);
  assert.match(text, /"secretsDropped":1/);
});

test("an anonymous snapshot has none of the names, and keeps what is Kubernetes' own", () => {
  const text = written([pod], true);
  assert.doesNotMatch(text, /acme|fraud|payments|squad|10[.-]20[.-]30[.-]40|abcd|7d4f/i);
  const object = JSON.parse(text.split("\n")[0] ?? "");
  assert.equal(object.status.phase, "Running");
  assert.equal(object.spec.containers[0].resources.requests.cpu, "500m");
  assert.equal(object.spec.containers[0].resources.requests["nvidia.com/gpu"], "1");
  assert.equal(object.metadata.annotations["serving.kserve.io/deploymentMode"], "RawDeployment");
  assert.match(object.spec.containers[0].args[0], /^--pool-name=/);
  const [key, value] = Object.entries(object.spec.nodeSelector)[0] ?? [];
  assert.equal(object.metadata.labels[String(key)], value, "the selector still selects");
});

test("the head tells what was not seen and how many Secrets were dropped", () => {
  const head = JSON.stringify({
    apiVersion: "holdfast.dev/v1alpha1",
    kind: "SnapshotHead",
    serverVersion: "v1.35.1",
    notSeen: [{ resource: "nodes", why: "forbidden" }],
    secretsDropped: 3,
  });
  const snapshot = loadText(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}\n${head}`, "input");
  assert.equal([...snapshot].length, 1);
  assert.equal(snapshot.serverVersion, "v1.35.1");
  assert.deepEqual(snapshot.notSeen, [{ resource: "nodes", why: "forbidden" }]);
  assert.equal(snapshot.secretsDropped, 3);
});

function folder(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch, name, file)), { recursive: true });
    writeFileSync(join(scratch, name, file), content);
  }
  return join(scratch, name);
}

const list = (kind: string, ...items: readonly unknown[]): string =>
  JSON.stringify({ kind: `${kind}List`, apiVersion: "v1", metadata: {}, items }, null, 4);

test("a kubectl cluster-info dump is read, and what it never contains is not seen", () => {
  const root = folder("dump", {
    "nodes.json": list("Node", { metadata: { name: "n1" } }),
    "default/pods.json": list("Pod", { metadata: { name: "p1", namespace: "default" }, spec: {} }),
    "default/replication-controllers.json": list("ReplicationController"),
    "default/p1/logs.txt": "==== START logs for container c ====\n{}",
  });
  const snapshot = loadPaths([root]);
  assert.deepEqual(
    [...snapshot].map(({ object }) => object.kind),
    ["Pod", "Node"],
  );
  assert.deepEqual(snapshot.problems, []);
  assert.ok(snapshot.notSeen.some((each) => each.resource === "poddisruptionbudgets.policy"));
  assert.deepEqual(loadPaths([incident]).notSeen, [], "manifests are not taken for a dump");
});

test("a dump of the usual namespaces says that there may be others; in YAML it is one too", () => {
  const yaml = (kind: string): string => `apiVersion: v1\nkind: ${kind}List\nitems: []\n`;
  const dump = (namespace: string): string =>
    folder(`dump-of-${namespace}`, {
      "nodes.yaml": yaml("Node"),
      [`${namespace}/pods.yaml`]: yaml("Pod"),
      [`${namespace}/replication-controllers.yaml`]: yaml("ReplicationController"),
    });
  const missing = (namespace: string): readonly string[] =>
    loadPaths([dump(namespace)]).notSeen.map(({ resource }) => resource);
  assert.deepEqual(missing("kube-system").slice(0, 2), ["pods", "poddisruptionbudgets.policy"]);
  assert.equal(missing("models")[0], "poddisruptionbudgets.policy");
});

test("a link to a folder is not followed, and told", () => {
  const root = folder("linked", { "base/a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n" });
  symlinkSync("base", join(root, "overlay"));
  const snapshot = loadPaths([root]);
  assert.equal([...snapshot].length, 1);
  assert.deepEqual(
    snapshot.problems.map(({ message }) => message),
    ["this link leads to a folder and is not followed; name the folder itself"],
  );
});

test("what PowerShell writes is told as such", () => {
  const root = folder("utf16", {});
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "a.yaml"), Buffer.from("\ufeffapiVersion: v1\n", "utf16le"));
  const snapshot = loadPaths([root]);
  assert.equal([...snapshot].length, 0);
  assert.match(snapshot.problems[0]?.message ?? "", /UTF-16/);
});

test("of an OpenShift must-gather only the objects are read, each once", () => {
  const podYaml = (version: number): string =>
    `---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: a\n  uid: u\n  resourceVersion: "${version}"\nspec:\n  containers:\n  - name: c\n    image: i\n`;
  const root = folder("must-gather.local", {
    version: "4.20",
    timestamp: "now",
    "image-sha/cluster-scoped-resources/core/nodes/n1.yaml":
      "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\nstatus:\n  allocatable:\n    cpu: '4'\n",
    "image-sha/namespaces/a/core/pods.yaml": list("Pod", {
      metadata: { name: "p", namespace: "a", uid: "u", resourceVersion: "10" },
      spec: { containers: [{ name: "c", image: "older" }] },
    }),
    "image-sha/namespaces/a/pods/p/p.yaml": podYaml(11),
    "image-sha/namespaces/a/pods/p/c/logs/current.log": "kind: Pod",
    "image-sha/monitoring/prometheus/rules.json": '{"status":"success"}',
    "image-sha/etc/config.yaml": "just: configuration\n",
  });
  const cluster = buildCluster(loadPaths([root]));
  assert.deepEqual(cluster.problems, []);
  assert.equal(cluster.nodes.length, 1);
  assert.deepEqual(
    cluster.pods.map((each) => each.template.images),
    [["i"]],
    "the newer reading counts",
  );
});

test("node shapes become nodes, spread over their zones", () => {
  const cluster = buildCluster(
    loadText(
      `
- count: 3
  zones: [a, b]
  metadata: {name: gpu, labels: {pool: gpu}}
  spec: {taints: [{key: gpu, effect: NoSchedule}]}
  status: {capacity: {cpu: "96", memory: 1Ti, nvidia.com/gpu: "8"}}
- count: 1
  metadata: {name: system}
  status: {allocatable: {cpu: "4", memory: 16Gi, pods: "58"}}
`,
      "nodes.yaml",
    ),
  );
  assert.deepEqual(cluster.problems, []);
  assert.deepEqual(
    cluster.nodes.map((node) => [
      node.name,
      node.labels.get("topology.kubernetes.io/zone"),
      node.podsMax,
      node.taints.length,
    ]),
    [
      ["gpu-1", "a", 110, 1],
      ["gpu-2", "b", 110, 1],
      ["gpu-3", "a", 110, 1],
      ["system-1", undefined, 58, 0],
    ],
  );
  assert.equal(cluster.nodes[0]?.labels.get("kubernetes.io/hostname"), "gpu-1");
  assert.equal(cluster.nodes[0]?.allocatable.scalar.get("nvidia.com/gpu"), 8);
  assert.equal(cluster.nodes[0]?.ready, true);
});

for (const count of ["0", "1.5", "-1", "1e9", "many"]) {
  test(`a node shape with a count of ${count} is a problem`, () => {
    const snapshot = loadText(`- count: ${count}\n  metadata: {name: a}\n`, "nodes.yaml");
    assert.equal([...snapshot].length, 0);
    assert.match(snapshot.problems[0]?.message ?? "", /count of a node shape/);
  });
}
