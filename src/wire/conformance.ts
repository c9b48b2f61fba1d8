import type {
  ResourceV1ResourceClaim,
  V1alpha3DeviceTaintRule,
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1DeviceClass,
  V1Job,
  V1LimitRange,
  V1Namespace,
  V1Node,
  V1ObjectMeta,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1PriorityClass,
  V1ReplicaSet,
  V1ReplicationController,
  V1ResourceClaimTemplate,
  V1ResourceQuota,
  V1ResourceSlice,
  V1RuntimeClass,
  V1Service,
  V1StatefulSet,
  V1StorageClass,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";

/**
 * The fields that are read of each kind, held at compile time against the types the client library generates from the
 * API's own description: a name that is misspelt here, or that a new version drops, does not compile. That this is what
 * is really read, no more and no less, is a test's matter. Fields the generated types lack are in `beyondTheTypes`.
 */

type Property<T, Name extends string> = Name extends keyof T
  ? T[Name]
  : `_${Name}` extends keyof T
    ? T[`_${Name}`]
    : never;

type Step<T, Segment extends string> = Segment extends `${infer Name}[]`
  ? NonNullable<Property<T, Name>> extends readonly (infer Element)[]
    ? Element
    : never
  : Property<T, Segment>;

type At<T, Path extends string> = [T] extends [never]
  ? never
  : Path extends `${infer Segment}.${infer Rest}`
    ? At<NonNullable<Step<NonNullable<T>, Segment>>, Rest>
    : Step<NonNullable<T>, Path>;

/** The paths that lead nowhere in T. */
type Astray<T, Path extends string> = Path extends string ? ([At<T, Path>] extends [never] ? Path : never) : never;

/** Does not compile while some path leads nowhere: then an argument is missing, and its type is those paths. */
function fieldsOf<T>(): <const P extends readonly string[]>(
  paths: P,
  ...astray: [Astray<T, P[number]>] extends [never] ? [] : [Astray<T, P[number]>]
) => P {
  return (paths, ..._astray) => paths;
}

type Under<Prefix extends string, P extends readonly string[]> = { readonly [K in keyof P]: `${Prefix}.${P[K]}` };

/** The same fields inside another. */
function under<const Prefix extends string, const P extends readonly string[]>(
  prefix: Prefix,
  paths: P,
): Under<Prefix, P>;
function under(prefix: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `${prefix}.${path}`);
}

const requirement = ["key", "operator", "values"] as const;
const selector = ["matchLabels", ...under("matchExpressions[]", requirement)] as const;
const nodeTerm = [...under("matchExpressions[]", requirement), ...under("matchFields[]", requirement)] as const;
const podTerm = [
  ...under("labelSelector", selector),
  ...under("namespaceSelector", selector),
  "namespaces",
  "topologyKey",
  "matchLabelKeys",
  "mismatchLabelKeys",
] as const;

export const metadataFields = fieldsOf<V1ObjectMeta>()([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "labels",
  "annotations",
  "creationTimestamp",
  "deletionTimestamp",
  ...under("ownerReferences[]", ["apiVersion", "kind", "name", "uid", "controller"]),
]);

const podSpec = fieldsOf<V1PodSpec>()([
  ...under("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].preference", nodeTerm),
  "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight",
  ...under("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[]", nodeTerm),
  ...under("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm", podTerm),
  "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight",
  ...under("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]", podTerm),
  ...under("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm", podTerm),
  "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight",
  ...under("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]", podTerm),
  "containers[].args",
  "containers[].command",
  "containers[].image",
  "containers[].lifecycle.preStop.exec.command",
  "containers[].lifecycle.preStop.sleep.seconds",
  "containers[].name",
  "containers[].ports[].containerPort",
  "containers[].ports[].hostPort",
  "containers[].ports[].name",
  "containers[].ports[].protocol",
  "containers[].readinessProbe",
  "containers[].resources.claims[].name",
  "containers[].resources.limits",
  "containers[].resources.requests",
  "containers[].restartPolicyRules",
  "containers[].startupProbe",
  "hostNetwork",
  "hostname",
  "initContainers[].args",
  "initContainers[].command",
  "initContainers[].image",
  "initContainers[].lifecycle.preStop.exec.command",
  "initContainers[].lifecycle.preStop.sleep.seconds",
  "initContainers[].name",
  "initContainers[].ports[].containerPort",
  "initContainers[].ports[].name",
  "initContainers[].ports[].protocol",
  "initContainers[].readinessProbe",
  "initContainers[].resources.claims[].name",
  "initContainers[].resources.limits",
  "initContainers[].resources.requests",
  "initContainers[].restartPolicy",
  "initContainers[].restartPolicyRules",
  "initContainers[].startupProbe",
  "nodeName",
  "nodeSelector",
  "os.name",
  "overhead",
  "preemptionPolicy",
  "priority",
  "priorityClassName",
  "readinessGates[].conditionType",
  "resourceClaims[].name",
  "resourceClaims[].resourceClaimName",
  "resourceClaims[].resourceClaimTemplateName",
  "resources.limits",
  "resources.requests",
  "restartPolicy",
  "runtimeClassName",
  "schedulerName",
  "schedulingGates[].name",
  "schedulingGroup",
  "subdomain",
  "terminationGracePeriodSeconds",
  "tolerations[].effect",
  "tolerations[].key",
  "tolerations[].operator",
  "tolerations[].tolerationSeconds",
  "tolerations[].value",
  ...under("topologySpreadConstraints[].labelSelector", selector),
  "topologySpreadConstraints[].matchLabelKeys",
  "topologySpreadConstraints[].maxSkew",
  "topologySpreadConstraints[].minDomains",
  "topologySpreadConstraints[].nodeAffinityPolicy",
  "topologySpreadConstraints[].nodeTaintsPolicy",
  "topologySpreadConstraints[].topologyKey",
  "topologySpreadConstraints[].whenUnsatisfiable",
  "volumes[].awsElasticBlockStore.readOnly",
  "volumes[].awsElasticBlockStore.volumeID",
  "volumes[].azureDisk.diskURI",
  "volumes[].azureDisk.readOnly",
  "volumes[].cinder.readOnly",
  "volumes[].cinder.volumeID",
  "volumes[].csi.driver",
  "volumes[].csi.readOnly",
  "volumes[].emptyDir",
  "volumes[].ephemeral.volumeClaimTemplate.spec.accessModes",
  "volumes[].ephemeral.volumeClaimTemplate.spec.resources.requests",
  "volumes[].ephemeral.volumeClaimTemplate.spec.storageClassName",
  "volumes[].gcePersistentDisk.pdName",
  "volumes[].gcePersistentDisk.readOnly",
  "volumes[].hostPath",
  "volumes[].image.reference",
  "volumes[].iscsi.iqn",
  "volumes[].iscsi.readOnly",
  "volumes[].name",
  "volumes[].persistentVolumeClaim.claimName",
  "volumes[].persistentVolumeClaim.readOnly",
  "volumes[].portworxVolume.readOnly",
  "volumes[].portworxVolume.volumeID",
  "volumes[].rbd.image",
  "volumes[].rbd.monitors",
  "volumes[].rbd.pool",
  "volumes[].rbd.readOnly",
  "volumes[].vsphereVolume.volumePath",
]);

const node = fieldsOf<V1Node>()([
  "spec.providerID",
  "spec.taints[].effect",
  "spec.taints[].key",
  "spec.taints[].value",
  "spec.unschedulable",
  "status.allocatable",
  "status.capacity",
  "status.conditions[].message",
  "status.conditions[].reason",
  "status.conditions[].status",
  "status.conditions[].type",
  "status.declaredFeatures",
  "status.images[].names",
  "status.images[].sizeBytes",
  "status.nodeInfo.kubeletVersion",
  "status.nodeInfo.osImage",
]);

const namespace = fieldsOf<V1Namespace>()(["status.phase"]);

const pod = fieldsOf<V1Pod>()([
  "metadata.deletionGracePeriodSeconds",
  "metadata.finalizers",
  "spec.nodeName",
  "status.allocatedResources",
  "status.conditions[].lastTransitionTime",
  "status.conditions[].status",
  "status.conditions[].type",
  "status.containerStatuses[].allocatedResources",
  "status.containerStatuses[].name",
  "status.containerStatuses[].resources.requests",
  "status.containerStatuses[].restartCount",
  "status.initContainerStatuses[].allocatedResources",
  "status.initContainerStatuses[].name",
  "status.initContainerStatuses[].resources.requests",
  "status.nominatedNodeName",
  "status.phase",
  "status.resourceClaimStatuses[].name",
  "status.resourceClaimStatuses[].resourceClaimName",
  "status.resources.requests",
  "status.startTime",
]);

const deployment = fieldsOf<V1Deployment>()([
  "spec.minReadySeconds",
  "spec.paused",
  "spec.progressDeadlineSeconds",
  "spec.replicas",
  "spec.revisionHistoryLimit",
  ...under("spec.selector", selector),
  "spec.strategy.rollingUpdate.maxSurge",
  "spec.strategy.rollingUpdate.maxUnavailable",
  "spec.strategy.type",
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
  "status.replicas",
]);

const replicaSet = fieldsOf<V1ReplicaSet>()([
  "spec.minReadySeconds",
  "spec.replicas",
  ...under("spec.selector", selector),
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
  "status.replicas",
]);

const replicationController = fieldsOf<V1ReplicationController>()([
  "spec.minReadySeconds",
  "spec.replicas",
  "spec.selector",
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
]);

const statefulSet = fieldsOf<V1StatefulSet>()([
  "spec.minReadySeconds",
  "spec.ordinals.start",
  "spec.podManagementPolicy",
  "spec.replicas",
  ...under("spec.selector", selector),
  "spec.serviceName",
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
  "spec.updateStrategy.rollingUpdate.maxUnavailable",
  "spec.updateStrategy.rollingUpdate.partition",
  "spec.updateStrategy.type",
  "spec.volumeClaimTemplates[].metadata.name",
  "spec.volumeClaimTemplates[].spec.accessModes",
  "spec.volumeClaimTemplates[].spec.resources.requests",
  "spec.volumeClaimTemplates[].spec.storageClassName",
  "status.currentRevision",
  "status.replicas",
  "status.updateRevision",
]);

const daemonSet = fieldsOf<V1DaemonSet>()([
  "spec.minReadySeconds",
  ...under("spec.selector", selector),
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
  "spec.updateStrategy.rollingUpdate.maxSurge",
  "spec.updateStrategy.rollingUpdate.maxUnavailable",
  "spec.updateStrategy.type",
  "status.currentNumberScheduled",
]);

const job = fieldsOf<V1Job>()([
  "spec.backoffLimit",
  "spec.completions",
  "spec.parallelism",
  "spec.podFailurePolicy.rules[].onPodConditions[].type",
  "spec.podReplacementPolicy",
  "spec.suspend",
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec",
  "status.conditions[].type",
  "status.succeeded",
]);

const service = fieldsOf<V1Service>()([
  "spec.clusterIP",
  "spec.externalTrafficPolicy",
  "spec.internalTrafficPolicy",
  "spec.ports[].name",
  "spec.ports[].port",
  "spec.ports[].protocol",
  "spec.ports[].targetPort",
  "spec.publishNotReadyAddresses",
  "spec.selector",
  "spec.type",
]);

const podDisruptionBudget = fieldsOf<V1PodDisruptionBudget>()([
  "metadata.generation",
  "spec.maxUnavailable",
  "spec.minAvailable",
  ...under("spec.selector", selector),
  "spec.unhealthyPodEvictionPolicy",
  "status.conditions[].type",
  "status.currentHealthy",
  "status.desiredHealthy",
  "status.disruptedPods",
  "status.disruptionsAllowed",
  "status.expectedPods",
  "status.observedGeneration",
]);

const horizontalPodAutoscaler = fieldsOf<V2HorizontalPodAutoscaler>()([
  "spec.behavior.scaleDown.selectPolicy",
  "spec.maxReplicas",
  "spec.minReplicas",
  "spec.scaleTargetRef.apiVersion",
  "spec.scaleTargetRef.kind",
  "spec.scaleTargetRef.name",
  "status.conditions[].type",
  "status.desiredReplicas",
]);

const resourceQuota = fieldsOf<V1ResourceQuota>()([
  "spec.hard",
  "spec.scopeSelector.matchExpressions[].operator",
  "spec.scopeSelector.matchExpressions[].scopeName",
  "spec.scopeSelector.matchExpressions[].values",
  "spec.scopes",
  "status.used",
]);

const limitRange = fieldsOf<V1LimitRange>()([
  "spec.limits[].default",
  "spec.limits[].defaultRequest",
  "spec.limits[].max",
  "spec.limits[].min",
  "spec.limits[].type",
]);

const validatingWebhookConfiguration = fieldsOf<V1ValidatingWebhookConfiguration>()([
  "webhooks[].clientConfig.service.name",
  "webhooks[].clientConfig.service.namespace",
  "webhooks[].clientConfig.service.port",
  "webhooks[].failurePolicy",
  "webhooks[].matchConditions",
  "webhooks[].name",
  ...under("webhooks[].namespaceSelector", selector),
  ...under("webhooks[].objectSelector", selector),
  "webhooks[].rules[].apiGroups",
  "webhooks[].rules[].operations",
  "webhooks[].rules[].resources",
  "webhooks[].rules[].scope",
]);

const priorityClass = fieldsOf<V1PriorityClass>()(["globalDefault", "value"]);

const runtimeClass = fieldsOf<V1RuntimeClass>()([
  "overhead.podFixed",
  "scheduling.nodeSelector",
  "scheduling.tolerations[].effect",
  "scheduling.tolerations[].key",
  "scheduling.tolerations[].operator",
  "scheduling.tolerations[].tolerationSeconds",
  "scheduling.tolerations[].value",
]);

const persistentVolume = fieldsOf<V1PersistentVolume>()([
  "spec.accessModes",
  "spec.awsElasticBlockStore.readOnly",
  "spec.awsElasticBlockStore.volumeID",
  "spec.azureDisk.diskURI",
  "spec.azureDisk.readOnly",
  "spec.capacity",
  "spec.cinder.readOnly",
  "spec.cinder.volumeID",
  "spec.claimRef.name",
  "spec.claimRef.namespace",
  "spec.claimRef.uid",
  "spec.csi.driver",
  "spec.csi.volumeHandle",
  "spec.gcePersistentDisk.pdName",
  "spec.gcePersistentDisk.readOnly",
  "spec.iscsi.iqn",
  "spec.iscsi.readOnly",
  ...under("spec.nodeAffinity.required.nodeSelectorTerms[]", nodeTerm),
  "spec.portworxVolume.readOnly",
  "spec.portworxVolume.volumeID",
  "spec.rbd.image",
  "spec.rbd.monitors",
  "spec.rbd.pool",
  "spec.rbd.readOnly",
  "spec.storageClassName",
  "spec.volumeMode",
  "spec.vsphereVolume.volumePath",
  "status.phase",
]);

const persistentVolumeClaim = fieldsOf<V1PersistentVolumeClaim>()([
  "spec.accessModes",
  "spec.resources.requests",
  ...under("spec.selector", selector),
  "spec.storageClassName",
  "spec.volumeMode",
  "spec.volumeName",
  "status.phase",
]);

const storageClass = fieldsOf<V1StorageClass>()([
  "allowedTopologies[].matchLabelExpressions[].key",
  "allowedTopologies[].matchLabelExpressions[].values",
  "provisioner",
  "volumeBindingMode",
]);

const csiNode = fieldsOf<V1CSINode>()([
  "spec.drivers[].allocatable.count",
  "spec.drivers[].name",
  "spec.drivers[].nodeID",
  "spec.drivers[].topologyKeys",
]);

const csiDriver = fieldsOf<V1CSIDriver>()([
  "spec.attachRequired",
  "spec.preventPodSchedulingIfMissing",
  "spec.storageCapacity",
]);

const csiStorageCapacity = fieldsOf<V1CSIStorageCapacity>()([
  "capacity",
  "maximumVolumeSize",
  ...under("nodeTopology", selector),
  "storageClassName",
]);

const volumeAttachment = fieldsOf<V1VolumeAttachment>()([
  "spec.attacher",
  "spec.nodeName",
  "spec.source.persistentVolumeName",
]);

const resourceSlice = fieldsOf<V1ResourceSlice>()([
  "spec.allNodes",
  "spec.devices[].allNodes",
  "spec.devices[].allowMultipleAllocations",
  "spec.devices[].attributes",
  "spec.devices[].bindingConditions",
  "spec.devices[].bindsToNode",
  "spec.devices[].capacity",
  "spec.devices[].consumesCounters[].counterSet",
  "spec.devices[].consumesCounters[].counters",
  "spec.devices[].name",
  "spec.devices[].nodeName",
  ...under("spec.devices[].nodeSelector.nodeSelectorTerms[]", nodeTerm),
  "spec.devices[].taints[].effect",
  "spec.devices[].taints[].key",
  "spec.devices[].taints[].value",
  "spec.driver",
  "spec.nodeName",
  ...under("spec.nodeSelector.nodeSelectorTerms[]", nodeTerm),
  "spec.perDeviceNodeSelection",
  "spec.pool.generation",
  "spec.pool.name",
  "spec.pool.resourceSliceCount",
  "spec.sharedCounters[].counters",
  "spec.sharedCounters[].name",
]);

const resourceClaim = fieldsOf<ResourceV1ResourceClaim>()([
  "spec.devices.constraints[].distinctAttribute",
  "spec.devices.constraints[].matchAttribute",
  "spec.devices.constraints[].requests",
  "spec.devices.requests[].exactly.adminAccess",
  "spec.devices.requests[].exactly.allocationMode",
  "spec.devices.requests[].exactly.capacity.requests",
  "spec.devices.requests[].exactly.count",
  "spec.devices.requests[].exactly.deviceClassName",
  "spec.devices.requests[].exactly.selectors[].cel.expression",
  "spec.devices.requests[].exactly.tolerations[].effect",
  "spec.devices.requests[].exactly.tolerations[].key",
  "spec.devices.requests[].exactly.tolerations[].operator",
  "spec.devices.requests[].exactly.tolerations[].tolerationSeconds",
  "spec.devices.requests[].exactly.tolerations[].value",
  "spec.devices.requests[].firstAvailable[].allocationMode",
  "spec.devices.requests[].firstAvailable[].capacity.requests",
  "spec.devices.requests[].firstAvailable[].count",
  "spec.devices.requests[].firstAvailable[].deviceClassName",
  "spec.devices.requests[].firstAvailable[].name",
  "spec.devices.requests[].firstAvailable[].selectors[].cel.expression",
  "spec.devices.requests[].firstAvailable[].tolerations[].effect",
  "spec.devices.requests[].firstAvailable[].tolerations[].key",
  "spec.devices.requests[].firstAvailable[].tolerations[].operator",
  "spec.devices.requests[].firstAvailable[].tolerations[].tolerationSeconds",
  "spec.devices.requests[].firstAvailable[].tolerations[].value",
  "spec.devices.requests[].name",
  "status.allocation.devices.results[].adminAccess",
  "status.allocation.devices.results[].consumedCapacity",
  "status.allocation.devices.results[].device",
  "status.allocation.devices.results[].driver",
  "status.allocation.devices.results[].pool",
  "status.allocation.devices.results[].request",
  ...under("status.allocation.nodeSelector.nodeSelectorTerms[]", nodeTerm),
  "status.reservedFor[].name",
  "status.reservedFor[].resource",
]);

const resourceClaimTemplate = fieldsOf<V1ResourceClaimTemplate>()([
  "spec.spec.devices.constraints[].distinctAttribute",
  "spec.spec.devices.constraints[].matchAttribute",
  "spec.spec.devices.constraints[].requests",
  "spec.spec.devices.requests[].exactly.adminAccess",
  "spec.spec.devices.requests[].exactly.allocationMode",
  "spec.spec.devices.requests[].exactly.capacity.requests",
  "spec.spec.devices.requests[].exactly.count",
  "spec.spec.devices.requests[].exactly.deviceClassName",
  "spec.spec.devices.requests[].exactly.selectors[].cel.expression",
  "spec.spec.devices.requests[].exactly.tolerations[].effect",
  "spec.spec.devices.requests[].exactly.tolerations[].key",
  "spec.spec.devices.requests[].exactly.tolerations[].operator",
  "spec.spec.devices.requests[].exactly.tolerations[].tolerationSeconds",
  "spec.spec.devices.requests[].exactly.tolerations[].value",
  "spec.spec.devices.requests[].firstAvailable[].allocationMode",
  "spec.spec.devices.requests[].firstAvailable[].capacity.requests",
  "spec.spec.devices.requests[].firstAvailable[].count",
  "spec.spec.devices.requests[].firstAvailable[].deviceClassName",
  "spec.spec.devices.requests[].firstAvailable[].name",
  "spec.spec.devices.requests[].firstAvailable[].selectors[].cel.expression",
  "spec.spec.devices.requests[].firstAvailable[].tolerations[].effect",
  "spec.spec.devices.requests[].firstAvailable[].tolerations[].key",
  "spec.spec.devices.requests[].firstAvailable[].tolerations[].operator",
  "spec.spec.devices.requests[].firstAvailable[].tolerations[].tolerationSeconds",
  "spec.spec.devices.requests[].firstAvailable[].tolerations[].value",
  "spec.spec.devices.requests[].name",
]);

const deviceClass = fieldsOf<V1DeviceClass>()(["spec.extendedResourceName", "spec.selectors[].cel.expression"]);

const deviceTaintRule = fieldsOf<V1alpha3DeviceTaintRule>()([
  "spec.deviceSelector.device",
  "spec.deviceSelector.driver",
  "spec.deviceSelector.pool",
  "spec.taint.effect",
  "spec.taint.key",
  "spec.taint.value",
]);

const customResourceDefinition = fieldsOf<V1CustomResourceDefinition>()([
  "spec.group",
  "spec.names.kind",
  "spec.versions[].served",
  "spec.versions[].subresources.scale.specReplicasPath",
]);

/** Fields of a pod's spec, wherever it stands. */
export const podSpecFields: readonly string[] = podSpec;

/** Kind.group → its fields beside metadata and pod specs. Where children of a field are named it is not. */
export const kindFields: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["Node.", node],
  ["Namespace.", namespace],
  ["Pod.", pod],
  ["Deployment.apps", deployment],
  ["ReplicaSet.apps", replicaSet],
  ["ReplicationController.", replicationController],
  ["StatefulSet.apps", statefulSet],
  ["DaemonSet.apps", daemonSet],
  ["Job.batch", job],
  ["Service.", service],
  ["PodDisruptionBudget.policy", podDisruptionBudget],
  ["HorizontalPodAutoscaler.autoscaling", horizontalPodAutoscaler],
  ["ResourceQuota.", resourceQuota],
  ["LimitRange.", limitRange],
  ["ValidatingWebhookConfiguration.admissionregistration.k8s.io", validatingWebhookConfiguration],
  ["PriorityClass.scheduling.k8s.io", priorityClass],
  ["RuntimeClass.node.k8s.io", runtimeClass],
  ["PersistentVolume.", persistentVolume],
  ["PersistentVolumeClaim.", persistentVolumeClaim],
  ["StorageClass.storage.k8s.io", storageClass],
  ["CSINode.storage.k8s.io", csiNode],
  ["CSIDriver.storage.k8s.io", csiDriver],
  ["CSIStorageCapacity.storage.k8s.io", csiStorageCapacity],
  ["VolumeAttachment.storage.k8s.io", volumeAttachment],
  ["ResourceSlice.resource.k8s.io", resourceSlice],
  ["ResourceClaim.resource.k8s.io", resourceClaim],
  ["ResourceClaimTemplate.resource.k8s.io", resourceClaimTemplate],
  ["DeviceClass.resource.k8s.io", deviceClass],
  ["DeviceTaintRule.resource.k8s.io", deviceTaintRule],
  ["CustomResourceDefinition.apiextensions.k8s.io", customResourceDefinition],
]);

/**
 * Fields that are read and that the generated types do not have: of older and newer API versions.
 * A field covers what is inside it.
 */
export const beyondTheTypes: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [
    "PodSpec",
    [
      "containers[].volumeMounts[].bindMountOptions",
      "initContainers[].volumeMounts[].bindMountOptions",
      "resourceClaims[].source",
      "volumes[].vsphereVolume.readOnly",
      "workloadRef",
    ],
  ],
  ["PersistentVolume.", ["spec.vsphereVolume.readOnly"]],
  ["ResourceSlice.resource.k8s.io", ["spec.devices[].basic"]],
  [
    "ResourceClaim.resource.k8s.io",
    [
      "spec.devices.requests[].adminAccess",
      "spec.devices.requests[].allocationMode",
      "spec.devices.requests[].capacity",
      "spec.devices.requests[].count",
      "spec.devices.requests[].deviceClassName",
      "spec.devices.requests[].selectors",
      "spec.devices.requests[].tolerations",
      "spec.devices.requests[].firstAvailable[].adminAccess",
    ],
  ],
  [
    "ResourceClaimTemplate.resource.k8s.io",
    [
      "spec.spec.devices.requests[].adminAccess",
      "spec.spec.devices.requests[].allocationMode",
      "spec.spec.devices.requests[].capacity",
      "spec.spec.devices.requests[].count",
      "spec.spec.devices.requests[].deviceClassName",
      "spec.spec.devices.requests[].selectors",
      "spec.spec.devices.requests[].tolerations",
      "spec.spec.devices.requests[].firstAvailable[].adminAccess",
    ],
  ],
]);
