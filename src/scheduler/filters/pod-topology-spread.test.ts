import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, verdicts } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/podtopologyspread/filtering.go and common.go, Kubernetes 1.36.3.
const skewed = "for now, PodTopologySpread: node(s) didn't match pod topology spread constraints";
const noLabel =
  "for good, PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)";
const labels = { app: "web" };
const web = (name: string, on: string, fields: JsonObject = {}) => pod(name, { labels, on, ...fields });
const inZone = (name: string, zone: string, fields: Parameters<typeof node>[1] = {}) =>
  node(name, { ...fields, labels: { zone, ...fields.labels } });

function spreading(constraint: JsonObject = {}, spec: JsonObject = {}, own: Readonly<Record<string, string>> = labels) {
  const whole = {
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app: "web" } },
    ...constraint,
  };
  return incoming({ labels: own, spec: { ...spec, topologySpreadConstraints: [whole] } });
}
const taint = { key: "gpu", effect: "NoSchedule" };
const a = inZone("a", "one");
const b = inZone("b", "two");

rows("PodTopologySpread", verdicts, [
  ["the emptier zone only", { objects: [a, b, web("w", "a"), spreading()] }, { a: skewed, b: "pass" }],
  [
    "maxSkew 2 allows one more",
    { objects: [a, b, web("w", "a"), spreading({ maxSkew: 2 })] },
    { a: "pass", b: "pass" },
  ],
  [
    "pods of a zone count together",
    { objects: [a, inZone("a2", "one"), b, web("w", "a"), spreading()] },
    { a: skewed, a2: skewed, b: "pass" },
  ],
  [
    "a pod that its own selector leaves out does not add to the skew",
    { objects: [a, b, web("w", "a"), spreading({}, {}, { app: "other" })] },
    { a: "pass", b: "pass" },
  ],
  [
    "a node without the key is no domain and takes no such pod",
    { objects: [a, node("bare"), web("w", "a"), web("w2", "bare"), spreading()] },
    { a: "pass", bare: noLabel },
  ],
  [
    "terminating pods do not count",
    { objects: [a, b, web("w", "a", { terminating: true }), spreading()] },
    { a: "pass", b: "pass" },
  ],
  [
    "pods of other namespaces do not count",
    { objects: [a, b, web("w", "a", { namespace: "elsewhere" }), spreading()] },
    { a: "pass", b: "pass" },
  ],
  [
    "a tainted node is an empty domain by default: the textbook spread then fits nowhere",
    { objects: [a, inZone("gpu", "two", { taints: [taint] }), web("w", "a"), spreading()] },
    { a: skewed, gpu: "for good, TaintToleration: node(s) had untolerated taint(s)" },
  ],
  [
    "nodeTaintsPolicy Honor leaves it out",
    {
      objects: [a, inZone("gpu", "two", { taints: [taint] }), web("w", "a"), spreading({ nodeTaintsPolicy: "Honor" })],
    },
    { a: "pass", gpu: "for good, TaintToleration: node(s) had untolerated taint(s)" },
  ],
  [
    "nodes the pod's own selector excludes are left out by default",
    {
      objects: [
        inZone("a", "one", { labels: { pool: "x" } }),
        b,
        web("w", "a"),
        spreading({}, { nodeSelector: { pool: "x" } }),
      ],
    },
    { a: "pass", b: "for good, NodeAffinity: node(s) didn't match Pod's node affinity/selector" },
  ],
  [
    "nodeAffinityPolicy Ignore counts them",
    {
      objects: [
        inZone("a", "one", { labels: { pool: "x" } }),
        b,
        web("w", "a"),
        spreading({ nodeAffinityPolicy: "Ignore" }, { nodeSelector: { pool: "x" } }),
      ],
    },
    { a: skewed, b: "for good, NodeAffinity: node(s) didn't match Pod's node affinity/selector" },
  ],
  [
    "fewer zones than minDomains count as an empty one more",
    { objects: [a, b, web("w", "a"), web("w2", "b"), spreading({ minDomains: 3 })] },
    { a: skewed, b: skewed },
  ],
  [
    "as many zones as minDomains",
    { objects: [a, b, web("w", "a"), web("w2", "b"), spreading({ minDomains: 2 })] },
    { a: "pass", b: "pass" },
  ],
  [
    "matchLabelKeys tell the revisions apart",
    {
      objects: [
        a,
        b,
        pod("old", { labels: { app: "web", rev: "1" }, on: "a" }),
        spreading({ matchLabelKeys: ["rev", "absent"] }, {}, { app: "web", rev: "2" }),
      ],
    },
    { a: "pass", b: "pass" },
  ],
  [
    "an empty selector counts no pod but matches the new one",
    { objects: [a, b, web("w", "a"), spreading({ labelSelector: {} })] },
    { a: "pass", b: "pass" },
  ],
  [
    "no selector matches nothing",
    { objects: [a, b, web("w", "a"), spreading({ labelSelector: null })] },
    { a: "pass", b: "pass" },
  ],
  [
    "ScheduleAnyway never rejects",
    { objects: [a, b, web("w", "a"), spreading({ whenUnsatisfiable: "ScheduleAnyway" })] },
    { a: "pass", b: "pass" },
  ],
  [
    "with two constraints a node that lacks one key counts for neither",
    {
      objects: [
        a,
        b,
        web("w", "a"),
        incoming({
          labels,
          spec: {
            topologySpreadConstraints: ["zone", "rack"].map((topologyKey) => ({
              maxSkew: 1,
              topologyKey,
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: labels },
            })),
          },
        }),
      ],
    },
    { a: noLabel, b: noLabel },
  ],
]);
