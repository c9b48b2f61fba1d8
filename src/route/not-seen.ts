import type { Cluster } from "../model/cluster.ts";
import type { Endpoint } from "../systems/endpoint.ts";

type NotSeen = Cluster["notSeen"][number];

/** Resource (plural and group) → what those that were not seen could change. A leading `*` covers every resource of the group. */
const matters: ReadonlyMap<string, string> = new Map([
  ["pods", "what runs where, what is on the path and who takes whose room"],
  ["nodes", "where anything would run"],
  ["services", "which endpoints there are and what leads to them"],
  ["namespaces", "which namespaces there are, and which webhooks see them"],
  ["replicationcontrollers", "whether their pods come back"],
  ["*.apps", "how many pods are wanted and whether they come back"],
  ["jobs.batch", "whether their pods come back"],
  ["poddisruptionbudgets.policy", "which evictions are allowed"],
  ["horizontalpodautoscalers.autoscaling", "how many replicas there are"],
  ["resourcequotas", "whether a replacement is admitted"],
  ["limitranges", "what a replacement asks for"],
  ["persistentvolumeclaims", "where pods with volumes can go"],
  ["persistentvolumes", "where pods with volumes can go"],
  ["storageclasses.storage.k8s.io", "where pods with volumes can go"],
  ["csinodes.storage.k8s.io", "where pods with volumes can go"],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", "whether evictions and replacements are admitted"],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", "whether replacements are admitted, and how changed"],
  ["priorityclasses.scheduling.k8s.io", "who may push whom aside"],
  ["*.resource.k8s.io", "where pods with device claims can go"],
  ["*.leaderworkerset.x-k8s.io", "which pods live and die together"],
  ["*.gateway.networking.k8s.io", "what stands in front of an endpoint"],
  ["ingresses.networking.k8s.io", "what stands in front of an endpoint"],
  ["routes.route.openshift.io", "what stands in front of an endpoint"],
  ...[
    "*.gateway.networking.x-k8s.io",
    "virtualservices.networking.istio.io",
    "gateways.networking.istio.io",
    "ingressroutes.traefik.io",
    "ingressroutetcps.traefik.io",
    "httpproxies.projectcontour.io",
    "apisixroutes.apisix.apache.org",
    "httpscaledobjects.http.keda.sh",
  ].map((resource) => [resource, "what stands in front of an endpoint"] as const),
  ["*.inference.networking.k8s.io", "which endpoints there are and whether they need a picker"],
  ["*.inference.networking.x-k8s.io", "which endpoints there are and whether they need a picker"],
]);

/** Groups of serving systems, with their subgroups: their objects declare endpoints. */
const servingGroups: readonly string[] = [
  "modelplane.ai",
  "serving.kserve.io",
  "knative.dev",
  "production-stack.vllm.ai",
  "aibrix.ai",
  "nvidia.com",
  "grove.io",
  "ray.io",
  "llm-d.ai",
  "aigateway.envoyproxy.io",
];

/**
 * Resources that were not permitted, or that this kind of input never has, and that could change a verdict: with them
 * unseen nothing is called safe. Others (leases, ConfigMaps) are listed and change none.
 */
export function notSeenOf(cluster: Cluster): Endpoint["notModelled"] {
  return cluster.notSeen.flatMap((entry) => {
    const couldChange = effectOf(entry);
    return couldChange === "" ? [] : [{ what: `${entry.resource} were not seen (${entry.why})`, ref: "", couldChange }];
  });
}

/** "" when nothing that is judged depends on it. */
function effectOf({ resource }: NotSeen): string {
  const dot = resource.indexOf(".");
  const group = dot < 0 ? "" : resource.slice(dot + 1);
  const known = matters.get(resource) ?? (group === "" ? undefined : matters.get(`*.${group}`));
  if (known !== undefined) return known;
  const serves = servingGroups.some((one) => group === one || group.endsWith(`.${one}`));
  return serves ? "which endpoints there are and who owns their parts" : "";
}
