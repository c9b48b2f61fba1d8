import { noObjects, type Projection, way } from "./projection.ts";

/**
 * The operator's kinds to their Deployments. They have no field for spread, affinity or a budget: what holds is a budget of its
 * own, and the chart instead of the operator for the rest.
 * Mirrors: vLLM production-stack 0.1.12, operator kinds; read, not seen on a running one.
 */
export const vllmRouter: Projection = {
  kind: "VLLMRouter",
  group: "production-stack.vllm.ai",
  needs: [],
  ways: (made) => (made.kind === "Deployment" ? [way("replicas", "spec.replicas", "spec.replicas")] : []),
  objects: noObjects,
};

export const vllmRuntime: Projection = {
  kind: "VLLMRuntime",
  group: "production-stack.vllm.ai",
  needs: [],
  ways: (made) =>
    made.kind === "Deployment" ? [way("replicas", "spec.deploymentConfig.replicas", "spec.replicas")] : [],
  objects: noObjects,
};
