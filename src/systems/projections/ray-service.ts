import { isJsonList, isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { noObjects, type Projection, way } from "./projection.ts";

/**
 * RayService to its active RayCluster: the counts of each worker group. A change of a template reaches no cluster that is there:
 * the service builds a second one beside it, which needs as many GPUs again.
 * Mirrors: KubeRay v1.7, kinds; read, not seen on a running one.
 */
export const rayService: Projection = {
  kind: "RayService",
  group: "ray.io",
  needs: [],
  ways: (made) => {
    if (made.kind !== "RayCluster") return [];
    return groupsOf(made).flatMap((name) => {
      const group = `workerGroupSpecs[groupName=${name}]`;
      return ["minReplicas", "replicas"].map((count) =>
        way("replicas", `spec.rayClusterConfig.${group}.${count}`, `spec.${group}.${count}`),
      );
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
