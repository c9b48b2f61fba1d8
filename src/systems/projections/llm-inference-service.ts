import { isJsonObject } from "../../wire/fields.ts";
import { noObjects, type Projection, podLabelOf, podWays, type Shape, way } from "./projection.ts";

/** spec.rolloutStrategy holds the two numbers themselves. */
const rolloutNumbers: Shape = {
  toOwner: (value) => (isJsonObject(value) ? (value["rollingUpdate"] ?? {}) : {}),
  toWorkload: (value) => ({ type: "RollingUpdate", rollingUpdate: value }),
};

/**
 * LLMInferenceService to the Deployments and LeaderWorkerSets of its engines and to its router scheduler.
 * Mirrors: KServe v0.20, v1alpha2, as seen on the running controller.
 */
export const llmInferenceService: Projection = {
  kind: "LLMInferenceService",
  group: "serving.kserve.io",
  needs: [],
  ways: (made) => {
    if (made.kind === "LeaderWorkerSet") {
      const prefill = String(made.metadata["name"]).endsWith("-prefill") ? "spec.prefill" : "spec";
      return [
        way("replicas", `${prefill}.replicas`, "spec.replicas"),
        ...podWays(`${prefill}.template`, "spec.leaderWorkerTemplate.leaderTemplate.spec"),
        ...podWays(`${prefill}.worker`, "spec.leaderWorkerTemplate.workerTemplate.spec"),
      ];
    }
    switch (podLabelOf(made, "app.kubernetes.io/component")) {
      case "llminferenceservice-workload":
        return engineWays("spec");
      case "llminferenceservice-workload-prefill":
        return engineWays("spec.prefill");
      case "llminferenceservice-router-scheduler":
        return [
          way("replicas", "spec.router.scheduler.replicas", "spec.replicas"),
          ...podWays("spec.router.scheduler.template", "spec.template.spec"),
        ];
      case "tokenizer":
        return podWays("spec.router.scheduler.tokenizer.template", "spec.template.spec");
      default:
        return [];
    }
  },
  objects: noObjects,
};

function engineWays(at: string): ReturnType<Projection["ways"]> {
  return [
    way("replicas", `${at}.replicas`, "spec.replicas"),
    way("strategy", "spec.rolloutStrategy", "spec.strategy", rolloutNumbers),
    ...podWays(`${at}.template`, "spec.template.spec"),
  ];
}
