import type { Cluster } from "../model/cluster.ts";
import { kinOf } from "../model/pod-columns.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";
import type { Part } from "../systems/facts.ts";
import { keptBy } from "../systems/pod-keepers.ts";

const podsComeBack = "whether and when its pods come back";
const podsPlaced = "whether and where its new pods start";
const podsUngated = "when its new pods are scheduled";
const leftAlone: ReadonlySet<string> = new Set([podsComeBack, podsPlaced, podsUngated]);

/**
 * Its pods are made again by a controller, placed by a scheduler or let go by a gate's owner that is not modelled: the play
 * leaves them gone or waiting, which proves nothing.
 */
export function isLeftToOthers({ notModelled }: Endpoint, { ref }: Hop): boolean {
  const name = `${ref.kind} ${ref.namespace}/${ref.name}`;
  return notModelled.some((one) => one.ref === name && leftAlone.has(one.couldChange));
}

/** What about a part on the path is outside the model and could change its verdict. */
export function notModelledOf(cluster: Cluster, part: Part): Endpoint["notModelled"] {
  const { workload, template } = part;
  const { kind, namespace, name } = workload.ref;
  const ref = `${kind} ${namespace}/${name}`;
  const found: Endpoint["notModelled"][number][] = [];
  const kept = workload.kind === "Other" && template !== null ? keptBy(cluster, workload, template) : null;
  if (kept !== null)
    found.push({ what: `${kind} is played as making its pods again, one for one`, ref, couldChange: kept.unsure });
  else if (workload.kind === "Other" && kind !== "Pod" && !isReplicated(cluster, part))
    found.push({
      what: workload.present ? `${kind} is not modelled` : `${kind} is not in the input`,
      ref,
      couldChange: podsComeBack,
    });
  if (cluster.namespaces.get(namespace)?.terminating === true)
    found.push({
      what: `namespace ${namespace} is being deleted, and its pods with it`,
      ref,
      couldChange: "when its pods go",
    });
  if (template === null) return found;
  if (template.schedulerName !== "default-scheduler" && template.schedulerName !== "")
    found.push({ what: `scheduler ${template.schedulerName} is not modelled`, ref, couldChange: podsPlaced });
  const gates = gatesOf(template, part);
  if (gates.length > 0)
    found.push({
      what: `its pods wait for scheduling gates ${gates.join(", ")}`,
      ref,
      couldChange: podsUngated,
    });
  const awaited = template.readinessGates.filter((gate) => !hostedGates.has(gate));
  if (awaited.length > 0)
    found.push({
      what: `its pods are Ready only once a controller says so (${awaited.join(", ")})`,
      ref,
      couldChange: "when its new pods turn Ready",
    });
  for (const what of template.notModelled) found.push({ what, ref, couldChange: "where its pods go" });
  return found;
}

/** A webhook may put gates on each pod, so that the template has none: then a pod that waits tells of them, or Kueue's mark on one that runs. */
function gatesOf({ schedulingGates }: PodTemplate, { pods }: Part): readonly string[] {
  if (schedulingGates.length > 0) return schedulingGates;
  const gated = pods.find(({ nodeName, template }) => nodeName === "" && template.schedulingGates.length > 0);
  if (gated !== undefined) return gated.template.schedulingGates;
  return pods.some((pod) => kinOf(pod).template.labels.get(managedByKueue) === "true") ? [gateOfKueue] : [];
}

/** Kueue's webhook puts both on a pod as it is made, and takes the gate off when a queue admits the pod. */
const managedByKueue = "kueue.x-k8s.io/managed";
const gateOfKueue = "kueue.x-k8s.io/admission";

/** Readiness gates whose controllers run outside the cluster: no drain takes them away. GKE's says that its load balancer knows the pod. */
const hostedGates: ReadonlySet<string> = new Set(["cloud.google.com/load-balancer-neg-ready"]);

/** ReplicaSets that were read stand between it and its pods, as under Argo's Rollouts: these make the pods again. */
function isReplicated({ workloads }: Cluster, { pods }: Part): boolean {
  return pods.every(({ owner }) => owner !== null && workloads.get(owner)?.kind === "ReplicaSet");
}
