import assert from "node:assert/strict";
import { test } from "node:test";
import { object, pathsOf, service, type Thing, workload } from "../../test/support/serving.ts";

const model = workload("m", { gpus: 1 });
const labelled = (labels: Thing): Thing => service("m", { app: "m" }, { labels });
const named = (name: string): Thing => ({
  "gateway.networking.k8s.io/gateway-name": name,
  "gateway.istio.io/managed": "x",
});
const waypoint = workload("waypoint", { labels: named("waypoint") });
const gateway = [
  object("gateway.networking.k8s.io/v1", "Gateway", "edge", { gatewayClassName: "istio" }),
  workload("edge-istio", { labels: named("edge") }),
  object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", {
    parentRefs: [{ name: "edge" }],
    rules: [{ backendRefs: [{ name: "m" }] }],
  }),
];

function waypointsOf(things: readonly Thing[]): readonly string[] {
  return pathsOf([model, waypoint, ...things]).filter((line) => line.startsWith("  waypoint"));
}

test("requests of the mesh pass the waypoint their Service names", () => {
  const [line, ...more] = waypointsOf([labelled({ "istio.io/use-waypoint": "waypoint" })]);
  assert.match(line ?? "", /^ {2}waypoint Deployment\/waypoint x1;/);
  assert.deepEqual(more, []);
});

test("those through a gateway do where the Service says so", () => {
  const uses = { "istio.io/use-waypoint": "waypoint" };
  assert.match(waypointsOf([...gateway, labelled(uses)])[0] ?? "", /not needed/);
  assert.doesNotMatch(
    waypointsOf([...gateway, labelled({ ...uses, "istio.io/ingress-use-waypoint": "true" })])[0] ?? "",
    /not needed/,
  );
});

test("a namespace may name it, and a Service take itself out", () => {
  const namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "ns", labels: { "istio.io/use-waypoint": "waypoint" } },
  };
  assert.equal(waypointsOf([namespace, labelled({})]).length, 1);
  assert.equal(waypointsOf([namespace, labelled({ "istio.io/use-waypoint": "none" })]).length, 0);
  assert.equal(waypointsOf([labelled({})]).length, 0);
});
