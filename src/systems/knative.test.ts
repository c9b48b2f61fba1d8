import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, type Thing, workload } from "../../test/support/serving.ts";

const api = "serving.knative.dev/v1";
const internal = "networking.internal.knative.dev/v1alpha1";
const chat = object(api, "Service", "chat", {});
const revision = (number: number, extra: Thing = {}): Thing =>
  workload(`chat-0000${number}-deployment`, {
    gpus: 1,
    labels: { "serving.knative.dev/service": "chat", "serving.knative.dev/revision": `chat-0000${number}` },
    podAnnotations: { "autoscaling.knative.dev/min-scale": "1" },
    ...extra,
  });
const activator = workload("activator", { namespace: "knative-serving", labels: { app: "activator" }, replicas: 2 });
const kourier = workload("kourier", { namespace: "kourier-system", labels: { app: "3scale-kourier-gateway" } });
const ingress = object(
  internal,
  "Ingress",
  "chat",
  { rules: [{ http: { paths: [{ splits: [{ serviceName: "chat-00002", serviceNamespace: "ns" }] }] } }] },
  { annotations: { "networking.knative.dev/ingress.class": "kourier.ingress.networking.knative.dev" } },
);
const engine =
  '  engine Deployment/chat-00002-deployment x1; Service/chat spec.template.metadata.annotations["autoscaling.knative.dev/min-scale"]';
const through = "  gateway Deployment/kourier x1; Deployment/kourier spec.replicas";

test("Kourier, the activator, and the revision that has pods", () => {
  const old = revision(1, { replicas: 0 });
  assert.deepEqual(pathsOf([chat, old, revision(2), activator, kourier, ingress]), [
    "knative ns/chat",
    through,
    "  activator Deployment/activator x2; Deployment/activator spec.replicas",
    engine,
  ]);
});

test("with capacity enough requests do without the activator", () => {
  const serves = object(internal, "ServerlessService", "chat-00002", { mode: "Serve" });
  const proxied = object(internal, "ServerlessService", "chat-00002", { mode: "Proxy" });
  assert.match(pathsOf([chat, revision(2), activator, serves])[1] ?? "", /not needed/);
  assert.doesNotMatch(pathsOf([chat, revision(2), activator, proxied])[1] ?? "", /not needed/);
});

test("a Service of Knative's that runs no model is none, and one of KServe's is KServe's", () => {
  assert.deepEqual(pathsOf([chat, revision(2, { gpus: 0 })]), []);
  const kserve = { "serving.kserve.io/inferenceservice": "chat", component: "predictor" };
  const owned = revision(2, {
    labels: { ...kserve, "serving.knative.dev/service": "chat", "serving.knative.dev/revision": "r" },
  });
  assert.deepEqual(
    pathsOf([chat, owned]).filter((line) => !line.startsWith(" ")),
    ["kserve ns/chat"],
  );
});
