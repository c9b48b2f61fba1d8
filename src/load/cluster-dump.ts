import { basename, dirname, join } from "node:path";
import type { Snapshot } from "../wire/snapshot.ts";

/** What `kubectl cluster-info dump` leaves out and the model would read. */
const leftOut: readonly string[] = [
  "poddisruptionbudgets.policy",
  "statefulsets.apps",
  "jobs.batch",
  "horizontalpodautoscalers.autoscaling",
  "resourcequotas",
  "persistentvolumeclaims",
  "persistentvolumes",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "priorityclasses.scheduling.k8s.io",
];

/** Entries of `notSeen` for the dump folders among these files: `nodes.json` beside folders with the dump's lists. */
export function dumpGaps(files: readonly string[]): Snapshot["notSeen"] {
  const known = new Set(files);
  const isDump = files.some((file) => {
    if (basename(file) !== "replication-controllers.json") return false;
    const folder = dirname(file);
    return known.has(join(folder, "pods.json")) && known.has(join(dirname(folder), "nodes.json"));
  });
  if (!isDump) return [];
  return leftOut.map((resource) => ({ resource, why: "kubectl cluster-info dump does not contain them" }));
}
