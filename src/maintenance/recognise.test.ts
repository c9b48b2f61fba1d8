import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterFrom } from "../../test/support/cluster.ts";
import { recogniseActors } from "./recognise.ts";

const actorOf = (metadata: string, status = "{}"): readonly string[] =>
  recogniseActors(
    clusterFrom(`apiVersion: v1\nkind: Node\nmetadata: ${metadata}\nstatus: ${status}`, { problemsAllowed: true }),
  ).map(({ actor }) => actor.name);

for (const [what, metadata, status, names] of [
  ["nothing said: a person with kubectl", "{name: n1}", "{}", ["kubectl-drain"]],
  ["a Nebius node by its name", "{name: computeinstance-e00abc}", "{}", ["nebius"]],
  [
    "an announced maintenance",
    "{name: n1}",
    '{conditions: [{type: NebiusMaintenanceScheduled, status: "True"}]}',
    ["nebius"],
  ],
  [
    "a node under the Machine Config Operator",
    "{name: n1, annotations: {machineconfiguration.openshift.io/currentConfig: rendered-worker-1}}",
    "{}",
    ["openshift-mco"],
  ],
] as const) {
  test(what, () => assert.deepEqual(actorOf(metadata, status), names));
}
