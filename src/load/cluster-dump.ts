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
  "ingresses.networking.k8s.io",
  "httproutes.gateway.networking.k8s.io",
  "inferencepools.inference.networking.k8s.io",
  "leaderworkersets.leaderworkerset.x-k8s.io",
];

/** What is in it unless all namespaces are asked for. */
const usualNamespaces: ReadonlySet<string> = new Set(["default", "kube-system"]);

/** Entries of `notSeen` for the dump folders among these files: a list of nodes beside folders with the dump's lists, in JSON or YAML. */
export function dumpGaps(files: readonly string[]): Snapshot["notSeen"] {
  const known = new Set(files);
  const namespaces = files.flatMap((file) => {
    const format = /^replication-controllers\.(json|yaml)$/.exec(basename(file))?.[1];
    if (format === undefined) return [];
    const folder = dirname(file);
    const isDump = known.has(join(folder, `pods.${format}`)) && known.has(join(dirname(folder), `nodes.${format}`));
    return isDump ? [basename(folder)] : [];
  });
  if (namespaces.length === 0) return [];
  const gaps = leftOut.map((resource) => ({ resource, why: "kubectl cluster-info dump does not contain them" }));
  if (namespaces.some((name) => !usualNamespaces.has(name))) return gaps;
  const why =
    "kubectl cluster-info dump has those of default and kube-system only, unless it is given --all-namespaces";
  return [{ resource: "pods", why }, ...gaps];
}
