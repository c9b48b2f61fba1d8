import { noObjects, type Projection, podLabelOf, podWays, way } from "./projection.ts";

/**
 * DynamoGraphDeployment to the Deployment of one of its components: a list of components since v1beta1, a map of services before.
 * A component of several nodes becomes groups of pods, whose count is the same field.
 * Mirrors: NVIDIA Dynamo v1.5 line, kinds and labels of its operator; read, not seen on a running one.
 */
export const dynamoGraph: Projection = {
  kind: "DynamoGraphDeployment",
  group: "nvidia.com",
  needs: [],
  ways: (made, apiVersion) => {
    const name = podLabelOf(made, "nvidia.com/dynamo-component");
    if (name === "" || (made.kind !== "Deployment" && made.kind !== "LeaderWorkerSet")) return [];
    const isMap = apiVersion.endsWith("/v1alpha1");
    const at = isMap ? `spec.services.${name}` : `spec.components[name=${name}]`;
    const template =
      made.kind === "Deployment" ? "spec.template.spec" : "spec.leaderWorkerTemplate.workerTemplate.spec";
    return [
      way("replicas", `${at}.replicas`, "spec.replicas"),
      ...podWays(isMap ? `${at}.extraPodSpec` : `${at}.podTemplate.spec`, template),
    ];
  },
  objects: noObjects,
};
