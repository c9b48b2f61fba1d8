import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { object, pod, pool, service, servingCluster, workload } from "../../test/support/serving.ts";
import { loadText } from "../load/from-files.ts";
import { buildCluster } from "../model/build.ts";
import { endpointsOf, type Routes } from "./build.ts";

const examples = new URL("../../examples/", import.meta.url).pathname;

function exampleRoutes(name: string): Routes {
  const folder = join(examples, name, "cluster");
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const cluster = buildCluster(loadText(texts.join("\n---\n"), name));
  assert.deepEqual(cluster.problems, []);
  return endpointsOf(cluster);
}

const names = ({ endpoints }: Routes): readonly string[] =>
  endpoints.flatMap((endpoint) => [
    `${endpoint.system} ${endpoint.namespace}/${endpoint.name}`,
    ...endpoint.hops.map(({ component, desired }) => `${component} ${desired}`),
  ]);

test("the incident's path is the one its operators wrote down", () => {
  const routes = exampleRoutes("modelplane-incident");
  assert.deepEqual(names(routes), [
    "modelplane mp-ml-team-5f2a9c/chat-0",
    "CoreDNS 2",
    "Cluster gateway proxy 1",
    "Endpoint picker 1",
    "Engine 2",
  ]);
  assert.deepEqual(routes.endpoints[0]?.notModelled, []);
  assert.deepEqual(
    routes.supporting.map(({ component }) => component),
    [
      "cert-manager controller",
      "cert-manager CA injector",
      "cert-manager webhook",
      "AI Gateway controller",
      "Envoy Gateway controller",
      "LWS controller",
      "Modelplane collector",
      "trust-manager",
    ],
  );
});

test("one endpoint a KServe service, each with its own way in", () => {
  assert.deepEqual(names(exampleRoutes("openshift-two-replicas")), [
    "kserve-llm demo-models/chat",
    "OpenShift DNS null",
    "Gateway proxy 2",
    "Endpoint picker 1",
    "Engine 2",
    "kserve demo-models/rank",
    "OpenShift DNS null",
    "OpenShift router 2",
    "Predictor 2",
  ]);
});

test("the order of the input does not show", () => {
  const things = [
    workload("a", { gpus: 1 }),
    service("a", { app: "a" }),
    workload("b", { gpus: 1 }),
    service("b", { app: "b" }),
    workload("c"),
    service("epp", { app: "epp" }),
    workload("epp"),
    pool("c", { app: "c" }, "epp"),
    workload("trust-manager"),
  ];
  const plain = ({ endpoints, supporting }: Routes): string =>
    JSON.stringify([endpoints, supporting], (_key, value) => (value instanceof Map ? [...value] : value));
  const forward = plain(endpointsOf(servingCluster(things)));
  assert.equal(plain(endpointsOf(servingCluster([...things].reverse()))), forward);
});

test("an endpoint's floor is read from the endpoint, then from its engines", () => {
  const limits = (onService: object, onEngine: object): readonly [string, number] => {
    const [endpoint] = endpointsOf(
      servingCluster([
        workload("a", { gpus: 1, annotations: { ...onEngine } }),
        service("a", { app: "a" }, { annotations: { ...onService } }),
      ]),
    ).endpoints;
    return [endpoint?.minAvailable ?? "", endpoint?.maxDownMs ?? -1];
  };
  assert.deepEqual(limits({}, {}), ["", 0]);
  assert.deepEqual(limits({}, { "holdfast.dev/min-available": "50%" }), ["50%", 0]);
  assert.deepEqual(limits({ "holdfast.dev/min-available": "2" }, { "holdfast.dev/min-available": "50%" }), ["2", 0]);
  assert.deepEqual(limits({ "holdfast.dev/max-down": "1m30s" }, {}), ["", 90_000]);
});

test("an annotation nobody can read is noted", () => {
  const engine = workload("a", { gpus: 1, annotations: { "holdfast.dev/min-available": "most" } });
  const { notes, endpoints } = endpointsOf(servingCluster([engine, service("a", { app: "a" })]));
  assert.equal(endpoints[0]?.minAvailable, "");
  assert.deepEqual(
    notes.map(({ ref }) => ref),
    ["Service ns/a"],
  );
});

test("what would replace a part is said when it is not modelled", () => {
  const engine = workload("a", {
    gpus: 1,
    spec: { schedulerName: "kai-scheduler", schedulingGates: [{ name: "queue" }] },
  });
  const [endpoint] = endpointsOf(servingCluster([engine, service("a", { app: "a" })])).endpoints;
  assert.deepEqual(
    endpoint?.notModelled.map(({ what, couldChange }) => `${what}: ${couldChange}`),
    [
      "scheduler kai-scheduler is not modelled: whether and where its new pods start",
      "its pods wait for scheduling gates queue: when its new pods are scheduled",
    ],
  );
});

test("a scheduler that a webhook names in each pod places the next one too", () => {
  const engine = workload("a", { gpus: 1 });
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a-1" };
  const above = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
  const set = object("apps/v1", "ReplicaSet", "a-1", { selector: { matchLabels: { app: "a" } } }, { owner: above });
  const placed = pod("a-1-x", { labels: { app: "a" }, gpus: 1, owner, spec: { schedulerName: "hami-scheduler" } });
  const things = [engine, set, placed, service("a", { app: "a" })];
  const [endpoint] = endpointsOf(servingCluster(things)).endpoints;
  assert.deepEqual(
    endpoint?.notModelled.map(({ what, ref }) => `${ref}: ${what}`),
    ["Deployment ns/a: scheduler hami-scheduler is not modelled"],
  );
});

test("what sets a readiness gate may be drained too, but for one that is hosted", () => {
  const gaps = (gate: string): readonly string[] => {
    const engine = workload("a", { gpus: 1, spec: { readinessGates: [{ conditionType: gate }] } });
    const [endpoint] = endpointsOf(servingCluster([engine, service("a", { app: "a" })])).endpoints;
    return (endpoint?.notModelled ?? []).map(({ what, ref }) => `${ref}: ${what}`);
  };
  assert.deepEqual(gaps("target-health.elbv2.k8s.aws/k8s-a"), [
    "Deployment ns/a: its pods are Ready only once a controller says so (target-health.elbv2.k8s.aws/k8s-a)",
  ]);
  assert.deepEqual(gaps("cloud.google.com/load-balancer-neg-ready"), []);
});
