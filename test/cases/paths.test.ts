import { budget, deployment, type Fields, type Item, node, nodes, service } from "../../scripts/recordings/objects.ts";
import type { Items } from "../../scripts/recordings/recording.ts";
import { testAll } from "./judged.ts";

const gatewayApi = "gateway.networking.k8s.io/v1";
const places = [...nodes("g1 g2 g3", { gpu: 1 }), ...nodes("s1 s2 s3")];
const engines: Items = [deployment("m1", "g1 g2", { gpu: 1 }), service("m1"), budget("m1", { max: 1, status: [2, 2] })];

const windows = (taints: readonly Fields[] = []): Item =>
  node("w1", { taints, labels: { "kubernetes.io/os": "windows" } });

const gateway: readonly Items[] = [
  {
    apiVersion: gatewayApi,
    kind: "GatewayClass",
    metadata: { name: "istio" },
    spec: { controllerName: "istio.io/gateway-controller" },
  },
  {
    apiVersion: gatewayApi,
    kind: "Gateway",
    metadata: { name: "gw", namespace: "serving" },
    spec: { gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
  },
  deployment("gw-istio", "s1 s2", { labels: { "gateway.networking.k8s.io/gateway-name": "gw" } }),
  budget("gw-istio", { max: 1, status: [2, 2] }),
];

const poolGroup = "inference.networking.k8s.io";
const pool = (picker: Fields = {}): Item => ({
  apiVersion: `${poolGroup}/v1`,
  kind: "InferencePool",
  metadata: { name: "m1", namespace: "serving" },
  spec: {
    selector: { matchLabels: { app: "m1" } },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: "picker", port: { number: 9002 }, ...picker },
  },
});
const canary: Items = [deployment("m2", "g3", { gpu: 1 }), service("m2")];
const route = (backendRefs: readonly Fields[], parent: Fields = {}): Item => ({
  apiVersion: gatewayApi,
  kind: "HTTPRoute",
  metadata: { name: "m1", namespace: "serving" },
  spec: { parentRefs: [{ name: "gw", ...parent }], rules: [{ backendRefs }] },
});
const toPool = route([{ group: poolGroup, kind: "InferencePool", name: "m1" }]);

testAll([
  {
    name: "a picker whose Service is not there: requests fail before anything is drained",
    why: "InferencePool v1: failureMode FailClose drops requests when the picker does not answer.",
    cluster: [places, engines, gateway, pool(), toPool],
    verdict: "unsafe",
    now: "down",
  },
  {
    name: "a picker's Service that selects nothing",
    cluster: [places, engines, gateway, pool(), toPool, service("picker")],
    verdict: "unsafe",
    now: "down",
  },
  {
    name: "no picker, and the gateway serves on without one",
    why: "Istio sets failure_mode_allow of its filter when the pool says FailOpen (pilot, inferencepool shadow Service).",
    cluster: [places, engines, gateway, pool({ failureMode: "FailOpen" }), toPool],
    verdict: "safe",
    now: "up",
  },
  {
    name: "where no Service was read, the picker's may be there",
    cluster: [
      places,
      deployment("m1", "g1 g2", { gpu: 1 }),
      budget("m1", { max: 1, status: [2, 2] }),
      gateway,
      pool(),
      toPool,
    ],
    verdict: "undecided",
    gaps: ["the picker's Service is not in the input"],
  },
  {
    name: "a picker's Service without a selector: its endpoints are written by hand",
    cluster: [places, engines, gateway, pool(), toPool, { ...service("picker"), spec: { ports: [{ port: 9002 }] } }],
    verdict: "undecided",
    gaps: ["the picker's Service has no selector"],
  },
  {
    name: "a canary that gets no requests is not needed, and not judged",
    why: "Gateway API HTTPBackendRef.weight: if 0, no traffic is forwarded to this backend.",
    cluster: [places, engines, gateway, canary, route([{ name: "m1" }, { name: "m2", weight: 0 }])],
    verdict: "safe",
    endpoints: ["m1 safe", "m2 null"],
    told: ["HF036"],
  },
  {
    name: "and one of weight 1 is",
    cluster: [
      places,
      engines,
      gateway,
      canary,
      route([
        { name: "m1", weight: 99 },
        { name: "m2", weight: 1 },
      ]),
    ],
    verdict: "safe",
    endpoints: ["m1 safe", "m2 unsafe"],
  },
  {
    name: "without weight in one route, and led to by another maker's: it is judged",
    cluster: [
      [places, engines, gateway, route([{ name: "m1", weight: 0 }])],
      {
        apiVersion: "networking.istio.io/v1",
        kind: "VirtualService",
        metadata: { name: "m1", namespace: "serving" },
        spec: { gateways: ["elsewhere/gw"], http: [{ route: [{ destination: { host: "m1" } }] }] },
      },
    ],
    verdict: "undecided",
    gaps: ["the proxies behind VirtualService.networking.istio.io are not known here"],
  },
  {
    name: "a person says that others call the canary too",
    cluster: [
      [places, engines, gateway, deployment("m2", "g3", { gpu: 1 })],
      {
        ...service("m2"),
        metadata: { name: "m2", namespace: "serving", annotations: { "holdfast.dev/endpoint": "" } },
      },
      route([{ name: "m1" }, { name: "m2", weight: 0 }]),
    ],
    verdict: "safe",
    endpoints: ["m1 safe", "m2 unsafe"],
  },
  {
    name: "a route to a listener that is not there is not attached, and told",
    why: "Gateway API ParentReference.sectionName: no such section, then the reference is not accepted (NoMatchingParent).",
    cluster: [places, engines, gateway, route([{ name: "m1" }], { sectionName: "https" })],
    verdict: "safe",
    codes: ["HF036"],
  },
  {
    name: "a node of Windows that nothing keeps the proxies off",
    why: "No filter of the scheduler reads spec.os or the image; the kubelet there cannot start it.",
    cluster: [places, windows(), engines, gateway, route([{ name: "m1" }])],
    verdict: "undecided",
    gaps: ["w1, a node of windows that nothing keeps its pods of linux off"],
  },
  {
    name: "one with a taint is nobody's place",
    cluster: [
      [places, windows([{ key: "node.kubernetes.io/os", value: "windows", effect: "NoSchedule" }])],
      [engines, gateway, route([{ name: "m1" }])],
    ],
    verdict: "safe",
  },
  {
    name: "both proxies on one node: the budget lets the second go when the first is Ready elsewhere",
    cluster: [
      [places, engines, gateway.slice(0, 2)],
      deployment("gw-istio", "s1 s1", { labels: { "gateway.networking.k8s.io/gateway-name": "gw" } }),
      budget("gw-istio", { max: 1, status: [2, 2] }),
      route([{ name: "m1" }]),
    ],
    verdict: "safe",
  },
]);
