import { noObjects, type Projection, podLabelOf, podWays, way } from "./projection.ts";

/**
 * InferenceService to the Deployment of a component. Replicas arrive as they are without an autoscaler, through the
 * HorizontalPodAutoscaler's minimum with one.
 * Mirrors: KServe v0.20, as seen on the running controller.
 */
export const inferenceService: Projection = {
  kind: "InferenceService",
  group: "serving.kserve.io",
  needs: [],
  ways: (made) => {
    const component = podLabelOf(made, "component");
    if (!["predictor", "transformer", "explainer"].includes(component)) return [];
    const at = `spec.${component}`;
    return [
      way("replicas", `${at}.minReplicas`, "spec.replicas"),
      way("strategy", `${at}.deploymentStrategy`, "spec.strategy"),
      ...podWays(at, "spec.template.spec"),
    ];
  },
  objects: noObjects,
};
