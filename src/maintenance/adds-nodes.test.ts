import assert from "node:assert/strict";
import { test } from "node:test";
import { cluster, container, deployment, labels, node, template } from "../../test/support/tiny.ts";
import { whoAddsNodes } from "./adds-nodes.ts";

test("who adds nodes is known by who may take them away", () => {
  const own = template("ca", {
    containers: [container({ image: "registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.0" })],
  });
  assert.equal(whoAddsNodes(cluster({ nodes: [node("n1")] })), null);
  assert.equal(
    whoAddsNodes(cluster({ workloads: [deployment("ca", { template: own })], nodes: [node("n1")] })),
    "cluster-autoscaler",
  );
  const made = node("n1", { labels: labels({ "karpenter.sh/nodepool": "gpu" }) });
  assert.equal(whoAddsNodes(cluster({ nodes: [made] })), "karpenter");
});
