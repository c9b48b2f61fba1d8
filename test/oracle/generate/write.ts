import type { KubeObject } from "../decision.ts";
import type { ContainerDraft, NodeDraft, PodDraft, World } from "./world.ts";

const epochMs = Date.UTC(2026, 0, 5, 8, 0, 0);

/** A time, seconds after the beginning of the drawn world, as the API server writes it. */
export function timeAt(seconds: number): string {
  return new Date(epochMs + seconds * 1000).toISOString().replace(".000Z", "Z");
}

export function writeObjects(world: World): KubeObject[] {
  return [
    ...world.namespaces.map(
      (namespace): KubeObject => ({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: {
          name: namespace.name,
          labels: { "kubernetes.io/metadata.name": namespace.name, ...namespace.labels },
        },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      }),
    ),
    ...world.nodes.map((node) => writeNode(node, world.minor)),
    ...world.others,
    ...world.placed.map((pod, i) => writePod(pod, i)),
    ...world.pending.map((pod, i) => writePod(pod, world.placed.length + i)),
  ];
}

function writeNode(node: NodeDraft, minor: number): KubeObject {
  const taints =
    node.unschedulable !== node.lagging
      ? [...node.taints, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded: timeAt(60) }]
      : node.taints;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: node.name, uid: `node-${node.name}`, labels: node.labels, annotations: node.annotations },
    spec: { ...(node.unschedulable ? { unschedulable: true } : {}), ...(taints.length > 0 ? { taints } : {}) },
    status: {
      allocatable: node.allocatable,
      capacity: node.allocatable,
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }],
      images: node.images,
      nodeInfo: {
        kubeletVersion: `v1.${minor}.0`,
        operatingSystem: "linux",
        architecture: node.labels["kubernetes.io/arch"],
      },
      ...(node.declaredFeatures.length > 0 ? { declaredFeatures: node.declaredFeatures } : {}),
    },
  };
}

function writePod(pod: PodDraft, index: number): KubeObject {
  const bound = pod.nodeName !== "" && pod.status["phase"] !== "Pending";
  const gates = pod.spec["schedulingGates"] !== undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      uid: pod.uid,
      labels: pod.labels,
      creationTimestamp: timeAt(100 + index * 7),
      ownerReferences: [
        {
          apiVersion: pod.app.ownerKind === "ReplicationController" ? "v1" : "apps/v1",
          kind: pod.app.ownerKind,
          name: pod.app.name,
          uid: `${pod.app.ownerKind}-${pod.app.namespace}-${pod.app.name}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      ...pod.metadata,
    },
    spec: {
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      enableServiceLinks: true,
      serviceAccountName: "default",
      preemptionPolicy: "PreemptLowerPriority",
      priority: pod.priority,
      ...pod.spec,
      ...(pod.nodeName === "" ? {} : { nodeName: pod.nodeName }),
      containers: pod.containers.map(writeContainer),
      ...(pod.initContainers.length > 0 ? { initContainers: pod.initContainers.map(writeContainer) } : {}),
      ...(pod.volumes.length > 0 ? { volumes: pod.volumes } : {}),
      tolerations: [
        ...pod.tolerations,
        ...["not-ready", "unreachable"].map((state) => ({
          key: `node.kubernetes.io/${state}`,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        })),
      ],
    },
    status: {
      phase: bound ? "Running" : "Pending",
      qosClass: "Burstable",
      ...(bound
        ? {
            startTime: timeAt(103 + index * 7),
            conditions: [
              { type: "PodScheduled", status: "True", lastTransitionTime: timeAt(102 + index * 7) },
              { type: "Ready", status: "True", lastTransitionTime: timeAt(140 + index * 7) },
            ],
          }
        : gates
          ? { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }
          : {}),
      ...(pod.nodeName !== "" && !bound ? { ...pod.status, nominatedNodeName: undefined } : pod.status),
    },
  };
}

/** Limits without requests become requests: the API server does so on creation. */
function writeContainer(container: ContainerDraft): unknown {
  const { requests, limits, claims } = container.resources;
  const filled = limits === undefined ? requests : { ...limits, ...requests };
  return {
    imagePullPolicy: "IfNotPresent",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    ...container,
    resources: {
      ...(filled === undefined ? {} : { requests: filled }),
      ...(limits === undefined ? {} : { limits }),
      ...(claims === undefined ? {} : { claims }),
    },
  };
}
