import { rows } from "../../../test/support/rows.ts";
import { incoming, node, object, pod, scores } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/podtopologyspread/scoring.go and plugins/helper/spread.go, Kubernetes 1.36.3.
const labels = { app: "web" };
const inZone = (name: string, zone: string, extra = {}) =>
  node(name, { labels: { "topology.kubernetes.io/zone": zone, ...extra } });
const web = (name: string, on: string, fields: Parameters<typeof pod>[1] = {}) => pod(name, { labels, on, ...fields });
const a = inZone("a", "one");
const b = inZone("b", "two");
const c = inZone("c", "three");

function preferring(...constraints: readonly JsonObject[]) {
  return incoming({
    labels,
    spec: {
      topologySpreadConstraints: constraints.map((constraint) => ({
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: labels },
        ...constraint,
      })),
    },
  });
}
const service = object("Service", "web", { spec: { selector: labels } });
const replicaSet = object("ReplicaSet", "web", { spec: { replicas: 1, selector: { matchLabels: labels } } });

rows("PodTopologySpread score", scores("PodTopologySpread"), [
  [
    // 3 zones: log(5) = 1.609 a pod; 3.2 and 1.6 round to 3 and 2; 100 * (3 + 0 - s) / 3.
    "fewer matching pods in the zone is better",
    { objects: [a, b, c, web("w1", "a"), web("w2", "a"), web("w3", "b"), preferring({})] },
    { a: [3, 0], b: [2, 33], c: [0, 100] },
  ],
  [
    // maxSkew − 1 is added: 5, 4 and 2; the worst stays above 0.
    "a larger maxSkew makes less of it",
    { objects: [a, b, c, web("w1", "a"), web("w2", "a"), web("w3", "b"), preferring({ maxSkew: 3 })] },
    { a: [5, 40], b: [4, 60], c: [2, 100] },
  ],
  [
    "a node without the key gets 0 and is no domain",
    { objects: [a, b, node("bare"), web("w1", "a"), preferring({})] },
    { a: [1, 0], b: [0, 100], bare: [0, 0] },
  ],
  ["nothing there is 100 everywhere", { objects: [a, b, preferring({})] }, { a: [0, 100], b: [0, 100] }],
  [
    "terminating pods do not count",
    { objects: [a, b, web("w1", "a", { terminating: true }), preferring({})] },
    { a: [0, 100], b: [0, 100] },
  ],
  [
    "by host name, pods of each node, log of the nodes",
    {
      objects: [a, b, web("w1", "a"), web("w2", "a"), preferring({ topologyKey: "kubernetes.io/hostname" })],
    },
    { a: [3, 0], b: [0, 100] },
  ],
  [
    "a pod with a constraint of its own, DoNotSchedule too, gets no default ones",
    { objects: [a, b, service, web("w1", "a"), preferring({ whenUnsatisfiable: "DoNotSchedule", maxSkew: 9 })] },
    null,
  ],
  ["nobody selects the pod: no default constraints", { objects: [a, b, incoming({ labels })] }, null],
  [
    // a: host 2 × log 4 + 2 = 4.77, zone 2 × log 4 + 4 = 6.77, together 11.5; b: 6.
    "a Service selects it: host with maxSkew 3, zone with 5",
    { objects: [a, b, service, web("w1", "a"), web("w2", "a"), incoming({ labels })] },
    { a: [12, 50], b: [6, 100] },
  ],
  [
    "its ReplicaSet does as well",
    {
      objects: [
        a,
        b,
        replicaSet,
        web("w1", "a"),
        web("w2", "a"),
        incoming({ labels, owner: { kind: "ReplicaSet", name: "web" } }),
      ],
    },
    { a: [12, 50], b: [6, 100] },
  ],
  [
    "with the defaults a node without a zone is a zone of its own, and scores by host only",
    { objects: [a, b, node("bare"), service, web("w1", "a"), incoming({ labels })] },
    // log 5: a 1.609 + 2 + 1.609 + 4 = 9.2, b 6, bare 2.
    { a: [9, 22], b: [6, 55], bare: [2, 100] },
  ],
]);
