import { isJsonObject } from "../../wire/fields.ts";
import type { WireObject } from "../../wire/snapshot.ts";
import { namesIn, noObjects, type Projection, podWays, way } from "./projection.ts";

/**
 * StormService to its RoleSets: each is a copy of the template, changed where it stands with InPlaceUpdate, else replaced by another.
 * The number of sets arrives in none of them.
 * Mirrors: AIBrix v0.7 stormservice/rolesetoperations.go renderRoleSet, updateRoleSet.
 */
export const stormService: Projection = {
  kind: "StormService",
  group: "orchestration.aibrix.ai",
  needs: [],
  ways: (made) => {
    if (made.kind === "PodSet") return podSetWays(made);
    if (made.kind !== "RoleSet") return [];
    const roles = namesIn(made, "spec.roles", "name").flatMap((name) => {
      const role = `roles[name=${name}]`;
      const [from, to] = [`spec.template.spec.${role}`, `spec.${role}`];
      return [
        way("replicas", `${from}.replicas`, `${to}.replicas`),
        ...podWays(`${from}.template.spec`, `${to}.template.spec`),
      ];
    });
    return [way("replicas", "spec.replicas", ""), ...roles];
  },
  objects: noObjects,
};

/**
 * RoleSet to the PodSets of a role of several pods a unit.
 * Mirrors: AIBrix v0.7 roleset/podset_rollsyncer.go createPodSetForRole.
 */
export const roleSet: Projection = {
  kind: "RoleSet",
  group: "orchestration.aibrix.ai",
  needs: [],
  ways: (made) => (made.kind === "PodSet" ? podSetWays(made, "spec") : []),
  objects: noObjects,
};

function podSetWays(made: WireObject, at = "spec.template.spec"): ReturnType<Projection["ways"]> {
  const labels = made.metadata["labels"];
  const name = isJsonObject(labels) ? labels["role-name"] : undefined;
  return typeof name === "string" ? podWays(`${at}.roles[name=${name}].template.spec`, "spec.template.spec") : [];
}
