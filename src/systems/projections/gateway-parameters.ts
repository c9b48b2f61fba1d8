import { pathSteps, valueAt } from "../../wire/object-path.ts";
import { budgetFor, type Projection, podWays, way } from "./projection.ts";

/**
 * GatewayParameters to the proxies' Deployment; the budget only where its overlay is there.
 * Mirrors: kgateway v2, GatewayParameters types.
 */
export const kgatewayParameters: Projection = {
  kind: "GatewayParameters",
  group: "gateway.kgateway.dev",
  needs: [],
  ways: (made) =>
    made.kind !== "Deployment"
      ? []
      : [
          way("replicas", "spec.kube.deployment.replicas", "spec.replicas"),
          way("budget", "spec.kube.podDisruptionBudget.spec", ""),
          ...podWays("spec.kube.podTemplate", "spec.template.spec").filter(({ aspect }) => aspect !== "priority"),
        ],
  objects: (owner, made) => budgetFor(made, valueAt(owner, pathSteps("spec.kube.podDisruptionBudget.spec"))),
};

/** Mirrors: agentgateway v1.4, AgentgatewayParameters: overlays of the objects it makes. */
export const agentgatewayParameters: Projection = {
  kind: "AgentgatewayParameters",
  group: "agentgateway.dev",
  needs: [],
  ways: (made) =>
    made.kind !== "Deployment"
      ? []
      : [
          way("replicas", "spec.deployment.spec.replicas", "spec.replicas"),
          way("strategy", "spec.deployment.spec.strategy", "spec.strategy"),
          way("budget", "spec.podDisruptionBudget.spec", ""),
          ...podWays("spec.deployment.spec.template.spec", "spec.template.spec"),
        ],
  objects: (owner, made) => budgetFor(made, valueAt(owner, pathSteps("spec.podDisruptionBudget.spec"))),
};
