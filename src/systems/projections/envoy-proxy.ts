import { isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { budgetFor, type Projection, podWays, way } from "./projection.ts";

const at = "spec.provider.kubernetes";

/**
 * EnvoyProxy to the proxies' Deployment and its budget, which has the Deployment's name and selector. What it leaves unset
 * stays as it is in the Deployment.
 * Mirrors: Envoy Gateway v1.9.1, as seen on the running controller.
 */
export const envoyProxy: Projection = {
  kind: "EnvoyProxy",
  group: "gateway.envoyproxy.io",
  ways: (made) =>
    made.kind !== "Deployment"
      ? []
      : [
          way("replicas", `${at}.envoyDeployment.replicas`, "spec.replicas"),
          way("budget", `${at}.envoyPDB`, ""),
          way("strategy", `${at}.envoyDeployment.strategy`, "spec.strategy"),
          ...podWays(`${at}.envoyDeployment.pod`, "spec.template.spec").filter(({ aspect }) => aspect !== "grace"),
        ],
  objects: (owner, made) => {
    const budget = valueAt(owner, pathSteps(`${at}.envoyPDB`));
    return budgetFor(made, isJsonObject(budget) ? numbersOf(budget) : undefined);
  },
};

function numbersOf(budget: JsonObject): JsonObject {
  const kept: { [field: string]: Json } = {};
  for (const field of ["minAvailable", "maxUnavailable"]) {
    const value = budget[field];
    if (value !== undefined && value !== null) kept[field] = value;
  }
  return kept;
}
