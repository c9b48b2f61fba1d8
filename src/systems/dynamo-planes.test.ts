import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, service, type Thing, workload } from "../../test/support/serving.ts";

const platform = { namespace: "dynamo-system" };
const named = (name: string) => ({ "app.kubernetes.io/name": name });
const operator = (args: readonly string[] = []) =>
  workload("dynamo-operator", { ...platform, labels: named("dynamo-operator"), args });
const brought = (name: string, replicas = 1) =>
  workload(`p-${name}`, { ...platform, kind: "StatefulSet", labels: named(name), replicas });

const graph = (env: readonly Thing[] = []) =>
  object("nvidia.com/v1beta1", "DynamoGraphDeployment", "g", { components: [{ podTemplate: { spec: { env } } }] });
const worker = (tag: string, labels: Thing = {}) =>
  workload("g-worker", {
    image: `nvcr.io/nvidia/ai-dynamo/vllm-runtime:${tag}`,
    labels: { "nvidia.com/dynamo-graph-deployment-name": "g", "nvidia.com/dynamo-component-type": "worker", ...labels },
  });
const byKubernetes = { "nvidia.com/dynamo-discovery-backend": "kubernetes" };

/** What stands between frontend and workers. */
function planes(...things: readonly Thing[]): readonly string[] {
  return pathsOf(things).flatMap((line) => /^ {2}((?:etcd|nats|!) .*?)(?:;.*)?$/.exec(line)?.[1] ?? []);
}

test("etcd is on the path unless Kubernetes does the discovery", () => {
  const rest = [graph(), operator(), brought("etcd"), brought("nats")];
  assert.deepEqual(planes(worker("1.0.0"), ...rest), ["etcd StatefulSet/p-etcd x1"]);
  assert.deepEqual(planes(worker("1.0.0", byKubernetes), ...rest), []);
});

test("NATS is where requests go through it, or may", () => {
  const rest = [operator(), brought("nats")];
  assert.deepEqual(planes(worker("0.7.1", byKubernetes), graph(), ...rest), ["nats StatefulSet/p-nats x1"]);
  assert.deepEqual(planes(worker("0.8.0", byKubernetes), graph(), ...rest), []);
  assert.deepEqual(planes(worker("1.0.0", byKubernetes), graph([{ name: "DYN_REQUEST_PLANE" }]), ...rest), [
    "nats StatefulSet/p-nats x1",
  ]);
});

test("where the operator says they are, they are looked for, and nowhere else", () => {
  const other = workload("shared", { namespace: "infra", kind: "StatefulSet" });
  const way = service("shared", { app: "shared" }, { namespace: "infra" });
  const rest = [worker("1.0.0"), graph(), brought("etcd"), other, way];
  const args = ["--etcdAddr=shared.infra.svc.cluster.local:2379"];
  assert.deepEqual(planes(operator(args), ...rest), ["etcd StatefulSet/shared x1"]);
  const config = 'kind: OperatorConfiguration\ninfrastructure:\n  etcdAddress: "shared.infra:2379"\n';
  const map = {
    ...object("v1", "ConfigMap", "dynamo-operator-config", {}, platform),
    data: { "config.yaml": config },
  };
  assert.deepEqual(planes(operator(), map, ...rest), ["etcd StatefulSet/shared x1"]);
});

test("of several members of etcd it is said that one is not enough", () => {
  assert.deepEqual(planes(worker("1.0.0"), graph(), operator(), brought("etcd", 3)), [
    "etcd StatefulSet/p-etcd x3",
    "! of its 3 members more than half must be there: played as if one were enough",
  ]);
});
