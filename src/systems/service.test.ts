import assert from "node:assert/strict";
import { test } from "node:test";
import {
  object,
  pathsOf,
  pool,
  service,
  servingCluster,
  supportingOf,
  type Thing,
  workload,
} from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";

test("a Service in front of a model server, by image, command or accelerator", () => {
  const seen = (work: object): number => pathsOf([workload("m", work), service("m", { app: "m" })]).length;
  assert.equal(seen({ image: "docker.io/vllm/vllm-openai:v0.14" }), 2);
  assert.equal(seen({ args: ["python", "-m", "sglang.launch_server"] }), 2);
  assert.equal(seen({ gpus: 1 }), 2);
  assert.equal(seen({}), 0);
});

test("a marked Service with nothing behind it is an endpoint of which nothing is known", () => {
  const marked = service("m", { app: "m" }, { annotations: { "holdfast.dev/endpoint": "true" } });
  assert.deepEqual(openOf([marked]), ["nothing that serves is known behind it"]);
  assert.deepEqual(openOf([marked, workload("m")]), []);
});

function openOf(things: readonly Thing[]): readonly string[] {
  const { endpoints } = endpointsOf(servingCluster(things));
  return endpoints.flatMap(({ notModelled }) => notModelled.map(({ what }) => what));
}

test("nothing is invented: without endpoints there are no supporting parts either", () => {
  const things = [workload("web"), service("web", { app: "web" }), workload("trust-manager")];
  assert.deepEqual(pathsOf(things), []);
  assert.deepEqual(supportingOf(things), []);
});

test("what a custom resource makes is changed there, whatever the resource is", () => {
  const owner = { apiVersion: "kaito.sh/v1beta1", kind: "Workspace", name: "phi" };
  const things = [workload("m", { gpus: 1, kind: "StatefulSet", owner }), service("m", { app: "m" })];
  assert.deepEqual(pathsOf(things), ["service ns/m", "  engine StatefulSet/m x1; code"]);
  const resource = object("kaito.sh/v1beta1", "Workspace", "phi", {});
  assert.deepEqual(pathsOf([...things, resource]), ["service ns/m", "  engine StatefulSet/m x1; code"]);
});

test("a Service another system serves from is not an endpoint again", () => {
  const things = [workload("m", { gpus: 1 }), service("m", { app: "m" }), pool("p", { app: "m" }, "none")];
  assert.deepEqual(pathsOf(things)[0], "gateway-api-inference ns/p");
  assert.equal(pathsOf(things).filter((line) => !line.startsWith(" ")).length, 1);
});

test("two Services in front of the same pods are one endpoint; discovery inside a group is none", () => {
  const things = [
    workload("m", { gpus: 1 }),
    service("a", { app: "m" }),
    service("b", { app: "m" }),
    service("0-peers", { app: "m" }, { spec: { clusterIP: "None" } }),
  ];
  assert.deepEqual(pathsOf(things), ["service ns/a", "  engine Deployment/m x1; Deployment/m spec.replicas"]);
});

test("a person may mark, name and unmark", () => {
  const marked = (mark: string) => [
    workload("m"),
    service("m", { app: "m" }, { annotations: { "holdfast.dev/endpoint": mark } }),
  ];
  assert.equal(pathsOf(marked("chat"))[0], "service ns/chat");
  assert.equal(pathsOf(marked("true"))[0], "service ns/m");
  assert.deepEqual(pathsOf(marked("false")), []);
  const workloadMarked = [
    workload("m", { annotations: { "holdfast.dev/endpoint": "chat" } }),
    service("m", { app: "m" }),
  ];
  assert.deepEqual(pathsOf(workloadMarked), [
    "service ns/chat",
    "  engine Deployment/m x1; Deployment/m spec.replicas",
  ]);
});

test("an autoscaler owns the replicas of what it scales; KEDA's maker owns the autoscaler", () => {
  const scaler = (owner?: object) =>
    object(
      "autoscaling/v2",
      "HorizontalPodAutoscaler",
      "keda-hpa-m",
      { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "m" }, minReplicas: 1, maxReplicas: 3 },
      owner ? { owner: { ...owner } } : {},
    );
  const scaled = object("keda.sh/v1alpha1", "ScaledObject", "m", {});
  const engine = [workload("m", { gpus: 1 }), service("m", { app: "m" })];
  assert.equal(
    pathsOf([...engine, scaler()])[1],
    "  engine Deployment/m x1; HorizontalPodAutoscaler/keda-hpa-m spec.minReplicas",
  );
  const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "m" };
  assert.equal(
    pathsOf([...engine, scaler(owner), scaled])[1],
    "  engine Deployment/m x1; ScaledObject/m spec.minReplicaCount",
  );
});
