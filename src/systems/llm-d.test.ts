import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsOf, pool, service, type Thing, workload } from "../../test/support/serving.ts";

const engine = (role: string, replicas: number, labels: Thing = { "helm.sh/chart": "llm-d-modelservice-v0.4.12" }) =>
  workload(`m-${role}`, {
    replicas,
    labels,
    podLabels: { "llm-d.ai/inference-serving": "true", "llm-d.ai/role": role, "llm-d.ai/model": "m" },
  });
const picker = [
  workload("gaie-epp", { labels: { "llm-d.ai/igw-mode": "llm-d-router-gateway", "llm-d-router-gateway": "gaie-epp" } }),
  service("gaie-epp", { app: "gaie-epp" }),
];

test("decode and prefill are both needed, also where the pool selects decoders only", () => {
  const decoders = { "llm-d.ai/inference-serving": "true", "llm-d.ai/role": "decode" };
  assert.deepEqual(
    pathsOf([engine("decode", 2), engine("prefill", 4), ...picker, pool("gaie", decoders, "gaie-epp")]),
    [
      "llm-d ns/gaie",
      "  picker Deployment/gaie-epp x1; helm router.epp.replicas",
      "  engine(decode) Deployment/m-decode x2; helm decode.replicas",
      "  engine(prefill) Deployment/m-prefill x4; helm prefill.replicas",
    ],
  );
});

test("a standalone router brings its own proxy and needs no pool", () => {
  const labels = { "llm-d.ai/igw-mode": "llm-d-router-standalone", "llm-d-router-standalone": "r-epp" };
  const things = [
    workload("r-epp", { labels }),
    workload("r-proxy", { labels: { "llm-d-router-proxy": "r" }, replicas: 2 }),
    service("r", { app: "r-proxy" }),
    engine("decode", 2),
  ];
  assert.deepEqual(pathsOf(things), [
    "llm-d ns/r-epp",
    "  gateway Deployment/r-proxy x2; helm router.proxy.replicas",
    "  picker Deployment/r-epp x1; helm router.epp.replicas",
    "  engine(decode) Deployment/m-decode x2; helm decode.replicas",
  ]);
});

test("engines that no chart made are set by their own fields", () => {
  const decoders = { "llm-d.ai/inference-serving": "true", "llm-d.ai/role": "decode" };
  assert.equal(
    pathsOf([engine("decode", 2, {}), ...picker, pool("gaie", decoders, "gaie-epp")]).at(-1),
    "  engine(decode) Deployment/m-decode x2; Deployment/m-decode spec.replicas",
  );
});

test("the label of earlier charts tells the engines too", () => {
  const labels = { "llm-d.ai/inferenceServing": "true", "llm-d.ai/role": "decode" };
  const old = workload("m-decode", { podLabels: labels });
  assert.equal(pathsOf([old, ...picker, pool("gaie", labels, "gaie-epp")])[0], "llm-d ns/gaie");
});
