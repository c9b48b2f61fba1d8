import assert from "node:assert/strict";
import { test } from "node:test";
import { servingCluster } from "../../test/support/serving.ts";
import { notSeenOf } from "./not-seen.ts";

function told(resource: string): string {
  const cluster = { ...servingCluster([]), notSeen: [{ resource, why: "forbidden" }] };
  return notSeenOf(cluster)
    .map(({ what, couldChange }) => `${what} | ${couldChange}`)
    .join("; ");
}

test("what could change a verdict is told with what it could change", () => {
  assert.equal(
    told("poddisruptionbudgets.policy"),
    "poddisruptionbudgets.policy were not seen (forbidden) | which evictions are allowed",
  );
  for (const resource of [
    "pods",
    "nodes",
    "services",
    "statefulsets.apps",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "resourceclaims.resource.k8s.io",
    "httproutes.gateway.networking.k8s.io",
    "inferencepools.inference.networking.k8s.io",
    "inferenceservices.serving.kserve.io",
    "podautoscalers.autoscaling.aibrix.ai",
    "leaderworkersets.leaderworkerset.x-k8s.io",
    "virtualservices.networking.istio.io",
    "httpproxies.projectcontour.io",
    "services.serving.knative.dev",
    "serverlessservices.networking.internal.knative.dev",
  ])
    assert.notEqual(told(resource), "", resource);
});

test("what no verdict rests on is not", () => {
  for (const resource of [
    "leases.coordination.k8s.io",
    "configmaps",
    "machinesets.machine.openshift.io",
    "apps",
    "destinationrules.networking.istio.io",
  ])
    assert.equal(told(resource), "", resource);
});
