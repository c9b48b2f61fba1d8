import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, object, pathsOf, pool, route, service, toPool, workload } from "../../test/support/serving.ts";

const engine = workload("vllm", { replicas: 2 });
const picker = (args: string[] = []) => [workload("epp", { args, replicas: 2 }), service("epp", { app: "epp" })];
const proxy = workload("g-proxy", { labels: { "gateway.networking.k8s.io/gateway-name": "g" } });

test("a picker is spared only when the pool fails open and the gateway is known to honour it", () => {
  const pickerWith = (failureMode: string, className: string): string | undefined =>
    pathsOf([
      engine,
      ...picker(),
      pool("m", { app: "vllm" }, "epp", failureMode),
      gateway("g", className),
      proxy,
      route("m", "g", toPool("m")),
    ])[2];
  const needed = "  picker Deployment/epp x2; Deployment/epp spec.replicas";
  const spared = "  picker Deployment/epp x2, not needed; Deployment/epp spec.replicas";
  assert.equal(pickerWith("FailOpen", "istio"), spared);
  assert.equal(pickerWith("FailOpen", "agentgateway"), spared);
  assert.equal(pickerWith("FailClose", "istio"), needed);
  assert.equal(pickerWith("FailOpen", "kgateway"), needed);
  assert.equal(pickerWith("FailOpen", "of-our-own"), needed);
});

test("a pool nothing routes to fails closed", () => {
  const paths = pathsOf([engine, ...picker(), pool("m", { app: "vllm" }, "epp")]);
  assert.deepEqual(paths[1], "  picker Deployment/epp x2; Deployment/epp spec.replicas");
});

test("a pool may have no picker at all", () => {
  const alone = object("inference.networking.k8s.io/v1", "InferencePool", "m", {
    selector: { matchLabels: { app: "vllm" } },
  });
  assert.deepEqual(pathsOf([engine, alone]), [
    "gateway-api-inference ns/m",
    "  engine Deployment/vllm x2; Deployment/vllm spec.replicas",
  ]);
});

test("leader election is read from the picker's arguments", () => {
  const line = (args: string[]): boolean | undefined =>
    pathsOf([engine, ...picker(args), pool("m", { app: "vllm" }, "epp")])[1]?.includes("leader");
  assert.equal(line(["--ha-enable-leader-election"]), true);
  assert.equal(line(["--ha-enable-leader-election=true"]), true);
  assert.equal(line(["--ha-enable-leader-election=false"]), false);
  assert.equal(line(["--ha-enable-leader-election", "false"]), false);
  assert.equal(line([]), false);
});

test("the API's first version is read too", () => {
  const old = object("inference.networking.x-k8s.io/v1alpha2", "InferencePool", "m", {
    selector: { app: "vllm" },
    extensionRef: { name: "epp", failureMode: "FailClose" },
  });
  assert.deepEqual(pathsOf([engine, ...picker(), old]).length, 3);
});

test("an engine that is wanted zero times makes the endpoint idle", () => {
  const none = workload("vllm", { replicas: 0 });
  assert.deepEqual(
    pathsOf([none, ...picker(), pool("m", { app: "vllm" }, "epp")])[0],
    "gateway-api-inference ns/m idle",
  );
});

test("a pool that selects nothing still has its engines' place, empty", () => {
  assert.deepEqual(pathsOf([...picker(), pool("m", { app: "vllm" }, "epp")]).at(-1), "  engine InferencePool/m; none");
});
