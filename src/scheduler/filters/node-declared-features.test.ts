import { rows } from "../../../test/support/rows.ts";
import { incoming, node, verdicts } from "../../../test/support/scheduling.ts";

// Read from plugins/nodedeclaredfeatures and component-helpers nodedeclaredfeatures, Kubernetes 1.36.3 and 1.37.2.
const missing = "for good, NodeDeclaredFeatures: node(s) didn't match Pod's required features";
const knows = node("knows", { declaredFeatures: ["UserNamespacesHostNetworkSupport", "Other"] });
const ignorant = node("ignorant", { declaredFeatures: ["Other"] });
const asks = incoming({ spec: { hostNetwork: true, hostUsers: false } });
const restarts = incoming({
  spec: {
    containers: [
      {
        name: "main",
        image: "registry.test/main:v1",
        restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } }],
      },
    ],
  },
});

rows("NodeDeclaredFeatures", verdicts, [
  ["only nodes that declare the feature", { objects: [knows, ignorant, asks] }, { knows: "pass", ignorant: missing }],
  ["a pod that needs none goes anywhere", { objects: [ignorant, incoming()] }, { ignorant: "pass" }],
  [
    "host network alone needs nothing",
    { objects: [ignorant, incoming({ spec: { hostNetwork: true } })] },
    { ignorant: "pass" },
  ],
  ["restarting all containers is another feature", { objects: [knows, restarts] }, { knows: missing }],
  ["off before 1.36", { objects: [ignorant, asks], minor: 35 }, { ignorant: "pass" }],
]);
