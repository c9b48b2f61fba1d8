import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { noObjects, type Projection, podWays, way } from "./projection.ts";

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
    const groups = groupsOf(made).map((name) => `workerGroupSpecs[groupName=${name}]`);
    return [...groups, "headGroupSpec"].flatMap((group) => {
      const pods = podWays(`spec.rayClusterConfig.${group}.template.spec`, "");
      return pods.filter(({ aspect }) => aspect !== "tolerations").map(({ aspect, from }) => way(aspect, from, ""));
    });
  },
  objects: noObjects,
};

function groupsOf(cluster: WireObject): readonly string[] {
  const groups = valueAt(cluster, pathSteps("spec.workerGroupSpecs"));
  if (!isJsonList(groups)) return [];
  return groups.flatMap((group) => {
    const name = isJsonObject(group) ? group["groupName"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
