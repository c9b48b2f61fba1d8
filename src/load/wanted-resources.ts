import type { ApiResource } from "../api/discovery.ts";

/** What is read of groups that have more than is needed. Secrets are in no list: they are never asked for. */
const wantedOfGroup: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "",
    [
      "nodes",
      "namespaces",
      "pods",
      "services",
      "replicationcontrollers",
      "persistentvolumes",
      "persistentvolumeclaims",
      "resourcequotas",
      "limitranges",
      "configmaps",
    ],
  ],
  ["apps", ["deployments", "replicasets", "statefulsets", "daemonsets"]],
  ["batch", ["jobs", "cronjobs"]],
  ["policy", ["poddisruptionbudgets"]],
  ["autoscaling", ["horizontalpodautoscalers"]],
  ["coordination.k8s.io", ["leases"]],
  ["scheduling.k8s.io", ["priorityclasses"]],
  ["node.k8s.io", ["runtimeclasses"]],
  ["networking.k8s.io", ["ingresses", "ingressclasses"]],
  ["apiregistration.k8s.io", ["apiservices"]],
  ["apiextensions.k8s.io", ["customresourcedefinitions"]],
  ["storage.k8s.io", ["storageclasses", "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments"]],
  ["admissionregistration.k8s.io", ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"]],
  [
    "resource.k8s.io",
    ["resourceslices", "resourceclaims", "resourceclaimtemplates", "deviceclasses", "devicetaintrules"],
  ],
  ["config.openshift.io", ["clusterversions", "infrastructures", "ingresses", "dnses", "nodes"]],
  ["machineconfiguration.openshift.io", ["machineconfigpools"]],
  ["route.openshift.io", ["routes"]],
  ["operator.openshift.io", ["dnses", "ingresscontrollers"]],
  ["machine.openshift.io", ["machinesets", "machines", "machinehealthchecks"]],
]);

/** Groups read whole: they serve models, route to them, scale them, or drain nodes. A name covers its subgroups. */
const wantedGroups: readonly string[] = [
  "modelplane.ai",
  "serving.kserve.io",
  "serving.knative.dev",
  "networking.internal.knative.dev",
  "operator.knative.dev",
  "gateway.networking.k8s.io",
  "gateway.networking.x-k8s.io",
  "inference.networking.k8s.io",
  "inference.networking.x-k8s.io",
  "leaderworkerset.x-k8s.io",
  "llm-d.ai",
  "production-stack.vllm.ai",
  "aibrix.ai",
  "nvidia.com",
  "grove.io",
  "ray.io",
  "keda.sh",
  "kaito.sh",
  "gateway.envoyproxy.io",
  "aigateway.envoyproxy.io",
  "networking.istio.io",
  "kgateway.dev",
  "agentgateway.dev",
  "networking.gke.io",
  "traefik.io",
  "traefik.containo.us",
  "projectcontour.io",
  "apisix.apache.org",
  "karpenter.sh",
  "karpenter.k8s.aws",
  "karpenter.azure.com",
  "upgrade.cattle.io",
  "helm.cattle.io",
  "kured.io",
  "kueue.x-k8s.io",
  "argoproj.io",
  "crossplane.io",
];

/** Of those, kinds that come in great numbers and say nothing of what a drain does. */
const unwantedKinds: ReadonlySet<string> = new Set(["WorkflowTaskResult", "Workflow", "Application", "AppProject"]);

/** True for what is read of every cluster. */
export function isWanted({ group, resource, kind }: ApiResource): boolean {
  const listed = wantedOfGroup.get(group);
  if (listed !== undefined) return listed.includes(resource);
  return wantedGroups.some((wanted) => group === wanted || group.endsWith(`.${wanted}`)) && !unwantedKinds.has(kind);
}

/** Groups without which the model knows too little; where the server lacks them there is nothing to miss. */
export function isForbiddenToRead({ group, resource }: ApiResource): boolean {
  return group === "" && resource === "secrets";
}
