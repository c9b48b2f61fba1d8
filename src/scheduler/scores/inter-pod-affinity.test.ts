import { rows } from "../../../test/support/rows.ts";
import { incoming, node, pod, scores } from "../../../test/support/scheduling.ts";
import type { JsonObject } from "../../wire/snapshot.ts";

// Read from plugins/interpodaffinity/scoring.go, Kubernetes 1.36.3.
const inZone = (name: string, zone: string) => node(name, { labels: { zone } });
const nodes = [inZone("a", "one"), inZone("b", "two"), inZone("c", "three")];
const term = (topologyKey = "zone"): JsonObject => ({ labelSelector: { matchLabels: { app: "db" } }, topologyKey });
const wants = (kind: string, weight: number, topologyKey = "zone"): JsonObject => ({
  affinity: {
    [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(topologyKey) }] },
  },
});
const needs: JsonObject = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term()] } } };
const db = (name: string, on: string) => pod(name, { labels: { app: "db" }, on });

rows("InterPodAffinity score", scores("InterPodAffinity"), [
  [
    "each matching pod adds the weight, from the lowest to the highest",
    { objects: [...nodes, db("d1", "a"), db("d2", "a"), db("d3", "b"), incoming({ spec: wants("podAffinity", 7) })] },
    { a: [14, 100], b: [7, 50], c: [0, 0] },
  ],
  [
    "anti-affinity takes it off",
    {
      objects: [...nodes, db("d1", "a"), db("d2", "a"), db("d3", "b"), incoming({ spec: wants("podAntiAffinity", 7) })],
    },
    { a: [-14, 0], b: [-7, 50], c: [0, 100] },
  ],
  [
    "what pods that are there want counts as much",
    {
      objects: [
        ...nodes,
        pod("fond", { on: "a", spec: wants("podAffinity", 3) }),
        pod("shy", { on: "b", spec: wants("podAntiAffinity", 6) }),
        incoming({ labels: { app: "db" } }),
      ],
    },
    { a: [3, 100], b: [-6, 0], c: [0, 66] },
  ],
  [
    "a required affinity of theirs weighs 1",
    { objects: [...nodes, pod("fond", { on: "a", spec: needs }), incoming({ labels: { app: "db" } })] },
    { a: [1, 100], b: [0, 0], c: [0, 0] },
  ],
  [
    "nobody wants anything: no score",
    { objects: [...nodes, db("d1", "a"), incoming({ labels: { app: "db" } })] },
    null,
  ],
  [
    "a match on a node without the key is no match",
    { objects: [...nodes, db("d1", "a"), incoming({ spec: wants("podAffinity", 7, "rack") })] },
    null,
  ],
  [
    "wishes that cancel out are still a score, of 0 everywhere",
    {
      objects: [
        ...nodes,
        pod("fond", { on: "a", spec: wants("podAffinity", 3) }),
        pod("shy", { on: "a", spec: wants("podAntiAffinity", 3) }),
        incoming({ labels: { app: "db" } }),
      ],
    },
    { a: [0, 0], b: [0, 0], c: [0, 0] },
  ],
]);
