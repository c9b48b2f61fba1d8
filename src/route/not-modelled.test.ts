import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { endpointsOf } from "./build.ts";

const engine = (phase: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: ml}
status: {phase: ${phase}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: m1, namespace: ml}
spec:
  replicas: 1
  selector: {matchLabels: {app: m1}}
  template: {metadata: {labels: {app: m1}}, spec: {containers: [{name: c, image: "vllm/vllm-openai:v1"}]}}
---
apiVersion: v1
kind: Service
metadata: {name: m1, namespace: ml}
spec: {selector: {app: m1}, ports: [{port: 80}]}
`;

test("when pods go with their namespace is left open", () => {
  const doubts = (phase: string): readonly string[] =>
    endpointsOf(clusterFrom(engine(phase))).endpoints.flatMap(({ notModelled }) =>
      notModelled.filter(({ couldChange }) => couldChange === "when its pods go").map(({ what }) => what),
    );
  assert.deepEqual(doubts("Terminating"), ["namespace ml is being deleted, and its pods with it"]);
  assert.deepEqual(doubts("Active"), []);
});
