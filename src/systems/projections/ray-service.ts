import { namesIn, noObjects, type Projection, podWays, way } from "./projection.ts";

/**
 * RayService to the RayCluster that serves: nothing arrives in it but new groups at the end. Counts of workers and tolerations are left
 * out of what clusters are told apart by; anything else makes another cluster beside this one.
 * Mirrors: KubeRay v1.6 rayservice_controller.go shouldUpdateCluster, shouldPrepareNewCluster.
 */
export const rayService: Projection = {
  kind: "RayService",
  group: "ray.io",
  needs: [],
  ways: (made) => {
    if (made.kind !== "RayCluster") return [];
    const groups = namesIn(made, "spec.workerGroupSpecs", "groupName").map(
      (name) => `workerGroupSpecs[groupName=${name}]`,
    );
    return [...groups, "headGroupSpec"].flatMap((group) => {
      const pods = podWays(`spec.rayClusterConfig.${group}.template.spec`, "");
      return pods.filter(({ aspect }) => aspect !== "tolerations").map(({ aspect, from }) => way(aspect, from, ""));
    });
  },
  objects: noObjects,
};
