import { isJsonObject } from "../../wire/fields.ts";
import { pathSteps, valueAt } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { budgetFor, type Projection, podWays, type Shape, way } from "./projection.ts";

const at = "spec.provider.kubernetes";

/**
 * EnvoyProxy to the proxies' Deployment and its budget, which has the Deployment's name and selector. What it leaves unset
 * stays as it is in the Deployment.
 * Mirrors: Envoy Gateway v1.9.1, as seen on the running controller.
 */
export const envoyProxy: Projection = {
  kind: "EnvoyProxy",
  group: "gateway.envoyproxy.io",
  needs: [{ path: "spec.provider.type", value: "Kubernetes" }],
  ways: (made) =>
    made.kind !== "Deployment"
      ? []
      : [
          way("replicas", `${at}.envoyDeployment.replicas`, "spec.replicas"),
          way("budget", `${at}.envoyPDB`, ""),
          way("strategy", `${at}.envoyDeployment.strategy`, "spec.strategy"),
          way(
            "drainTimeout",
            "spec.shutdown.drainTimeout",
            "spec.template.spec.terminationGracePeriodSeconds",
            graceOfDrain,
          ),
          ...podWays(`${at}.envoyDeployment.pod`, "spec.template.spec").filter(({ aspect }) => aspect !== "grace"),
        ],
  objects: (owner, made) => {
    const budget = valueAt(owner, pathSteps(`${at}.envoyPDB`));
    return budgetFor(made, isJsonObject(budget) ? numbersOf(budget) : undefined);
  },
};

/** The pods' grace is the drain timeout and five minutes. */
const graceOfDrain: Shape = {
  toOwner: (value) => (typeof value === "number" ? `${Math.max(0, value - 300)}s` : value),
  toWorkload: (value) => {
    const seconds = typeof value === "string" ? secondsOf(value) : null;
    return seconds === null ? value : seconds + 300;
  },
};

/** Go's durations of whole hours, minutes and seconds. */
function secondsOf(text: string): number | null {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (found === null || text === "") return null;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function numbersOf(budget: JsonObject): JsonObject {
  const kept: { [field: string]: Json } = {};
  for (const field of ["minAvailable", "maxUnavailable"]) {
    const value = budget[field];
    if (value !== undefined && value !== null) kept[field] = value;
  }
  return kept;
}
