import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsOf, service, servingCluster, workload } from "../../test/support/serving.ts";
import { endpointsOf } from "../route/build.ts";

const engine = (name: string, labels = {}) => workload(name, { replicas: 2, gpus: 1, labels });
const router = (...args: readonly string[]) =>
  workload("front", { args: ["python3", "-m", "sglang_router.launch_router", ...args] });

test("the engines a router finds by labels stand behind it, itself not among them", () => {
  const things = [
    workload("front", {
      image: "lmsysorg/sgl-model-gateway:v0.3",
      labels: { tier: "llm" },
      args: ["--service-discovery", "--selector", "tier=llm"],
    }),
    service("llm", { app: "front" }),
    engine("a", { tier: "llm" }),
    engine("b", { tier: "other" }),
  ];
  assert.deepEqual(pathsOf(things), [
    "engine-router ns/llm",
    "  router Deployment/front x1; Deployment/front spec.replicas",
    "  engine Deployment/a x2; Deployment/a spec.replicas",
  ]);
});

test("discovery looks into its namespace, or into all", () => {
  const things = (flags: readonly string[]) => [
    router("--service-discovery", "--selector", "tier=llm", ...flags),
    workload("a", { namespace: "one", labels: { tier: "llm" }, gpus: 1 }),
    workload("b", { namespace: "two", labels: { tier: "llm" }, gpus: 1 }),
  ];
  const engines = (flags: readonly string[]) => pathsOf(things(flags)).filter((line) => line.includes("engine "));
  assert.equal(engines([]).length, 2);
  assert.equal(engines(["--service-discovery-namespace", "two"]).length, 1);
});

test("addresses are those of Services, prefill and decode are each needed, and their Services no endpoints", () => {
  const things = [
    router("--pd-disaggregation", "--prefill", "http://p:8000", "9000", "--decode", "http://d-0.d.ns.svc:8000"),
    engine("p"),
    engine("d"),
    service("p", { app: "p" }),
    service("d", { app: "d" }, { spec: { clusterIP: "None" } }),
  ];
  assert.deepEqual(pathsOf(things), [
    "engine-router ns/front",
    "  router Deployment/front x1; Deployment/front spec.replicas",
    "  engine(prefill) Deployment/p x2; Deployment/p spec.replicas",
    "  engine(decode) Deployment/d x2; Deployment/d spec.replicas",
  ]);
});

test("a router whose engines are not seen is an endpoint of which that is said", () => {
  const gaps = (...args: readonly string[]) =>
    endpointsOf(servingCluster([router(...args), engine("a")])).endpoints.flatMap(({ notModelled }) =>
      notModelled.map(({ what, ref }) => `${ref}: ${what}`),
    );
  assert.deepEqual(gaps("--enable-igw"), ["Deployment ns/front: its arguments name no engines"]);
  assert.deepEqual(gaps("--worker-urls", "http://elsewhere.example.com:8000"), [
    "Deployment ns/front: nothing in the input is behind elsewhere.example.com, where it sends requests for engines",
  ]);
  assert.deepEqual(gaps("--service-discovery", "--prefill-selector", "app=a", "--decode-selector", "app=b"), [
    "Deployment ns/front: no workload of the input has the labels by which it finds its decode engines",
  ]);
});

test("what only has a name like one is none", () => {
  assert.deepEqual(pathsOf([workload("smg", { args: ["smg-exporter", "--url", "http://a"] }), engine("a")]), []);
});
