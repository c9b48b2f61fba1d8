import { rows } from "../../../test/support/rows.ts";
import { incoming, node, object, pod, verdicts } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/interpodaffinity/filtering.go and plugin.go, Kubernetes 1.34.4, 1.36.3 and 1.37.2.
const noAffinity = "for good, InterPodAffinity: node(s) didn't match pod affinity rules";
const repels = "for now, InterPodAffinity: node(s) didn't match pod anti-affinity rules";
const repelled = "for now, InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules";

const inZone = (name: string, zone: string) => node(name, { labels: { zone } });
const a = inZone("a", "one");
const a2 = inZone("a2", "one");
const b = inZone("b", "two");
const term = (fields: JsonObject = {}): JsonObject => ({
  labelSelector: { matchLabels: { app: "db" } },
  topologyKey: "zone",
  ...fields,
});
const required = (kind: "podAffinity" | "podAntiAffinity", ...terms: readonly JsonObject[]) => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const db = (name: string, on: string, fields: Parameters<typeof pod>[1] = {}) =>
  pod(name, { labels: { app: "db" }, on, ...fields });
const near = (fields: JsonObject = {}, labels = {}) =>
  incoming({ labels, spec: required("podAffinity", term(fields)) });
const far = (fields: JsonObject = {}, labels = {}) =>
  incoming({ labels, spec: required("podAntiAffinity", term(fields)) });
const teamB = object("Namespace", "team-b", { metadata: { labels: { team: "b" } } });

rows("InterPodAffinity", verdicts, [
  ["affinity by zone", { objects: [a, a2, b, db("d", "a"), near()] }, { a: "pass", a2: "pass", b: noAffinity }],
  ["anti-affinity by zone", { objects: [a, a2, b, db("d", "a"), far()] }, { a: repels, a2: repels, b: "pass" }],
  [
    "anti-affinity by host",
    { objects: [a, a2, db("d", "a"), far({ topologyKey: "kubernetes.io/hostname" })] },
    { a: repels, a2: "pass" },
  ],
  ["a terminating pod still repels", { objects: [a, db("d", "a", { terminating: true }), far()] }, { a: repels }],
  ["nothing to be near to", { objects: [a, near()] }, { a: noAffinity }],
  [
    "the first of a group that wants to be together may go anywhere with the key",
    { objects: [a, node("bare"), near({}, { app: "db" })] },
    { a: "pass", bare: noAffinity },
  ],
  [
    "but not once one of the group is there",
    { objects: [a, b, db("d", "a"), near({}, { app: "db" })] },
    { a: "pass", b: noAffinity },
  ],
  [
    "all affinity terms must be met by the same pod",
    {
      objects: [
        a,
        db("d", "a"),
        pod("x", { labels: { tier: "back" }, on: "a" }),
        incoming({
          spec: required("podAffinity", term(), term({ labelSelector: { matchLabels: { tier: "back" } } })),
        }),
      ],
    },
    { a: noAffinity },
  ],
  [
    "one anti-affinity term is enough",
    {
      objects: [
        a,
        db("d", "a"),
        incoming({
          spec: required("podAntiAffinity", term(), term({ labelSelector: { matchLabels: { tier: "back" } } })),
        }),
      ],
    },
    { a: repels },
  ],
  [
    "a node without the key is nowhere near, and repels nobody",
    { objects: [node("bare"), db("d", "bare"), near()] },
    { bare: noAffinity },
  ],
  ["a node without the key repels nobody", { objects: [node("bare"), db("d", "bare"), far()] }, { bare: "pass" }],
  [
    "anti-affinity of a pod that is there",
    {
      objects: [
        a,
        b,
        pod("shy", { on: "a", spec: required("podAntiAffinity", term()) }),
        incoming({ labels: { app: "db" } }),
      ],
    },
    { a: repelled, b: "pass" },
  ],
  [
    "its own anti-affinity is told before that of others",
    {
      objects: [
        a,
        pod("shy", { labels: { app: "db" }, on: "a", spec: required("podAntiAffinity", term()) }),
        far({}, { app: "db" }),
      ],
    },
    { a: repels },
  ],
  [
    "affinity of a pod that is there is no rule for others",
    { objects: [a, b, pod("fond", { on: "a", spec: required("podAffinity", term()) }), incoming()] },
    { a: "pass", b: "pass" },
  ],
  [
    "without namespaces a term means its own namespace",
    { objects: [a, db("d", "a", { namespace: "team-b" }), far()] },
    { a: "pass" },
  ],
  [
    "named namespaces",
    { objects: [a, db("d", "a", { namespace: "team-b" }), far({ namespaces: ["team-b"] })] },
    { a: repels },
  ],
  [
    "an empty namespace selector means all",
    { objects: [a, db("d", "a", { namespace: "team-b" }), far({ namespaceSelector: {} })] },
    { a: repels },
  ],
  [
    "a namespace selector by label",
    {
      objects: [
        a,
        teamB,
        db("d", "a", { namespace: "team-b" }),
        far({ namespaceSelector: { matchLabels: { team: "b" } } }),
      ],
    },
    { a: repels },
  ],
  [
    "a namespace selector of a pod that is there looks at the new pod's namespace",
    {
      objects: [
        a,
        object("Namespace", "ns", { metadata: { labels: { team: "a" } } }),
        pod("shy", {
          namespace: "team-b",
          on: "a",
          spec: required("podAntiAffinity", term({ namespaceSelector: { matchLabels: { team: "a" } } })),
        }),
        incoming({ labels: { app: "db" } }),
      ],
    },
    { a: repelled },
  ],
  [
    "up to 1.36 a selector that also matches no labels takes in every namespace",
    {
      objects: [
        a,
        teamB,
        db("d", "a", { namespace: "team-b" }),
        far({ namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] } }),
      ],
    },
    { a: repels },
  ],
  [
    "from 1.37 on it does not",
    {
      objects: [
        a,
        teamB,
        db("d", "a", { namespace: "team-b" }),
        far({ namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] } }),
      ],
      minor: 37,
    },
    { a: "pass" },
  ],
  ["no selector matches no pod", { objects: [a, db("d", "a"), far({ labelSelector: null })] }, { a: "pass" }],
  [
    "an empty selector matches every pod",
    { objects: [a, pod("x", { on: "a" }), far({ labelSelector: {} })] },
    { a: repels },
  ],
  [
    "matchLabelKeys tell the revisions apart",
    {
      objects: [
        a,
        db("d", "a", { labels: { app: "db", rev: "1" } }),
        far({ matchLabelKeys: ["rev"] }, { app: "db", rev: "2" }),
      ],
    },
    { a: "pass" },
  ],
]);
