import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, service, supportingOf, type Thing, workload } from "../../test/support/serving.ts";

const isvc = (name: string, spec: object = {}, annotations = {}) =>
  object(
    "serving.kserve.io/v1beta1",
    "InferenceService",
    name,
    { predictor: { maxReplicas: 4, ...spec } },
    { annotations },
  );
const part = (name: string, component: string, replicas = 1) =>
  workload(`${name}-${component}`, {
    replicas,
    labels: { "serving.kserve.io/inferenceservice": name, component },
    owner: { apiVersion: "serving.kserve.io/v1beta1", kind: "InferenceService", name },
  });

test("the predictor scales at the service, past its Deployment", () => {
  assert.deepEqual(pathsOf([isvc("llama"), part("llama", "predictor", 2)]), [
    "kserve ns/llama",
    "  engine Deployment/llama-predictor x2; InferenceService/llama spec.predictor.minReplicas",
  ]);
});

test("a transformer stands in front of the predictor; an explainer is passed by nobody else", () => {
  const things = [isvc("llama"), part("llama", "predictor"), part("llama", "transformer"), part("llama", "explainer")];
  assert.deepEqual(pathsOf(things).slice(1), [
    "  explainer Deployment/llama-explainer x1, not needed; InferenceService/llama spec.explainer.minReplicas",
    "  transformer(transformer) Deployment/llama-transformer x1; InferenceService/llama spec.transformer.minReplicas",
    "  engine Deployment/llama-predictor x1; InferenceService/llama spec.predictor.minReplicas",
  ]);
});

test("labels are enough where the service itself was not read", () => {
  assert.deepEqual(pathsOf([part("llama", "predictor")])[0], "kserve ns/llama");
});

test("a stopped service is idle", () => {
  const stopped = isvc("llama", {}, { "serving.kserve.io/stop": "true" });
  assert.deepEqual(pathsOf([stopped, part("llama", "predictor")])[0], "kserve ns/llama idle");
});

test("OpenShift's router is in front of a Route", () => {
  const router = workload("router-default", {
    namespace: "openshift-ingress",
    labels: { "ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default" },
    replicas: 2,
  });
  const exposed = object("route.openshift.io/v1", "Route", "llama", {
    to: { kind: "Service", name: "llama-predictor" },
  });
  assert.deepEqual(
    pathsOf([isvc("llama"), part("llama", "predictor"), router, exposed])[1],
    "  gateway Deployment/router-default x2; IngressController/default spec.replicas",
  );
});

const revisionLabels = {
  "serving.kserve.io/inferenceservice": "llama",
  component: "predictor",
  "serving.knative.dev/service": "llama-predictor",
  "serving.knative.dev/revision": "llama-predictor-00001",
};
const revision = (least: string): Thing =>
  workload("llama-predictor-00001-deployment", {
    labels: revisionLabels,
    podAnnotations: { "autoscaling.knative.dev/min-scale": least },
    owner: { apiVersion: "serving.knative.dev/v1", kind: "Revision", name: "llama-predictor-00001" },
  });
const activator = workload("activator", { namespace: "knative-serving", labels: { app: "activator" } });

test("under Knative the activator is before the predictor", () => {
  assert.deepEqual(pathsOf([isvc("llama"), revision("1"), activator]), [
    "kserve ns/llama",
    "  activator Deployment/activator x1; Deployment/activator spec.replicas",
    "  engine Deployment/llama-predictor-00001-deployment x1; InferenceService/llama spec.predictor.minReplicas",
  ]);
});

test("what Knative may scale to zero is said, so that nothing is called safe", () => {
  const last = pathsOf([isvc("llama"), revision("0")]).at(-1) ?? "";
  assert.match(last, /^ {2}! Knative may scale it to zero/);
});

test("the webhook that must answer before a predictor's pod can be created is told as such", () => {
  const hook = object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "k", {});
  const webhooks = [
    {
      name: "pod-mutator",
      failurePolicy: "Fail",
      clientConfig: { service: { namespace: "ns", name: "kserve-webhook", port: 443 } },
      objectSelector: { matchExpressions: [{ key: "serving.kserve.io/inferenceservice", operator: "Exists" }] },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    },
  ];
  const controller = [
    workload("kserve-controller-manager"),
    service("kserve-webhook", { app: "kserve-controller-manager" }),
  ];
  const things = [isvc("llama"), part("llama", "predictor"), ...controller];
  assert.deepEqual(supportingOf(things), ["controller KServe controller"]);
  assert.deepEqual(supportingOf([...things, { ...hook, webhooks }]), ["webhook KServe controller"]);
});
