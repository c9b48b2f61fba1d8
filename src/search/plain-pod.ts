import type { PodTemplate } from "../model/pod-template.ts";

/** Where such a pod goes depends on nodes, on the room there and on other pods: on no volume, device or gate, and no scheduler of its own. */
export function isPlainPod({ volumes, resourceClaims, schedulingGates, schedulerName }: PodTemplate): boolean {
  if (resourceClaims.length > 0 || schedulingGates.length > 0 || schedulerName !== "default-scheduler") return false;
  return !volumes.some(({ kind }) => kind === "claim" || kind === "ephemeral" || kind === "inline");
}
