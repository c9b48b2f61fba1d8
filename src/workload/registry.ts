import { underKey } from "../base/under-key.ts";
import type { Controller } from "./controller.ts";
import { daemonSet } from "./daemon-set.ts";
import { deployment } from "./deployment.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";
import { job } from "./job.ts";
import { leaderWorkerSet } from "./leader-worker-set.ts";
import { podKeeper } from "./pod-keeper.ts";
import { replicaSet } from "./replica-set.ts";
import { setKeeper } from "./set-keeper.ts";
import { statefulSet } from "./stateful-set.ts";

/**
 * Owners before what they own, so that one pass carries a change from the top to the pods. The order decides nothing
 * else: each controller reads only what is there, and all are asked again until none wants anything.
 */
export const controllers: readonly Controller[] = [
  horizontalPodAutoscaler,
  leaderWorkerSet,
  deployment,
  replicaSet,
  statefulSet,
  daemonSet,
  job,
  setKeeper,
  podKeeper,
];

/** Those that reconcile workloads of this kind. */
export function controllersOf(kind: string): readonly Controller[] {
  return byKind.get(kind) ?? underKey(byKind, kind, () => controllers.filter(({ kinds }) => kinds.includes(kind)));
}

const byKind = new Map<string, readonly Controller[]>();
