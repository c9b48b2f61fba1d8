import { scaledValue } from "../model/int-or-percent.ts";
import type { Deployment } from "../model/workload.ts";

/**
 * How many pods a rolling Deployment may have above and lack below its replicas. Surge rounds up, unavailable down; when
 * both come out 0, one may be unavailable, as surge might not work. Recreate: neither.
 * Mirrors: pkg/controller/deployment/util/deployment_util.go ResolveFenceposts, MaxSurge, MaxUnavailable, 1.36.
 */
export function rolloutRoom(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const { strategy, replicas } = deployment;
  if (strategy.type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(strategy.maxSurge, replicas, "up");
  let maxUnavailable = scaledValue(strategy.maxUnavailable, replicas, "down");
  if (maxSurge === 0 && maxUnavailable === 0) maxUnavailable = 1;
  return { maxSurge, maxUnavailable: replicas === 0 ? 0 : Math.min(maxUnavailable, replicas) };
}
