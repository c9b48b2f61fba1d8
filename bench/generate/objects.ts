import type { Json, JsonObject } from "../../src/wire/snapshot.ts";
import type { Draw } from "./draw.ts";
import type { OpenNode } from "./nodes.ts";
import { type Drawn, labelsOf, selectorOf } from "./workloads.ts";

export function podObject(workload: Drawn, spec: JsonObject, node: OpenNode, draw: Draw): JsonObject {
  const isDaemon = workload.place === "daemon";
  const base = isDaemon ? workload.name : `${workload.name}-${workload.hash}`;
  const startedAt = draw.time();
  const podIP = `100.${64 + draw.below(64)}.${draw.below(256)}.${draw.below(256)}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      annotations: annotationsOf(workload),
      creationTimestamp: startedAt,
      generateName: `${base}-`,
      labels: {
        ...labelsOf(workload),
        ...(isDaemon
          ? { "controller-revision-hash": workload.hash, "pod-template-generation": "1" }
          : { "pod-template-hash": workload.hash }),
      },
      name: draw.nameFrom(`${base}-`),
      namespace: workload.namespace,
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          blockOwnerDeletion: true,
          controller: true,
          kind: isDaemon ? "DaemonSet" : "ReplicaSet",
          name: base,
          uid: workload.makerUid,
        },
      ],
      resourceVersion: draw.resourceVersion(),
      uid: draw.uid(),
    },
    spec: {
      ...(isDaemon ? { affinity: onlyOn(node.name) } : {}),
      ...spec,
      nodeName: node.name,
    },
    status: {
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        (type) => ({
          lastProbeTime: null,
          lastTransitionTime: startedAt,
          observedGeneration: 1,
          status: "True",
          type,
        }),
      ),
      containerStatuses: statusesOf(spec["containers"], startedAt, draw),
      hostIP: node.address,
      hostIPs: [{ ip: node.address }],
      observedGeneration: 1,
      phase: "Running",
      podIP,
      podIPs: [{ ip: podIP }],
      qosClass: "Burstable",
      startTime: startedAt,
    },
  };
}

function annotationsOf({ checksum }: Drawn): JsonObject {
  return { "checksum/config": checksum, "prometheus.io/port": "9090", "prometheus.io/scrape": "true" };
}

function onlyOn(node: string): JsonObject {
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
      },
    },
  };
}

function statusesOf(containers: Json | undefined, startedAt: string, draw: Draw): readonly JsonObject[] {
  const list: readonly Json[] = Array.isArray(containers) ? containers : [];
  return list.flatMap((each) => {
    if (each === null || typeof each !== "object" || Array.isArray(each)) return [];
    const { image, name, resources } = each as JsonObject;
    const requests = (resources as JsonObject | undefined)?.["requests"];
    return [
      {
        allocatedResources: requests,
        containerID: `containerd://${draw.hex(64)}`,
        image,
        imageID: `${String(image).split(":")[0]}@sha256:${draw.hex(64)}`,
        lastState: {},
        name,
        ready: true,
        resources,
        restartCount: draw.chance(0.05) ? 1 : 0,
        started: true,
        state: { running: { startedAt } },
      },
    ];
  });
}

interface Described {
  readonly workload: Drawn;
  readonly spec: JsonObject;
  readonly pods: number;
}

function meta(workload: Drawn, name: string, uid: string, draw: Draw, more: JsonObject = {}): JsonObject {
  return {
    creationTimestamp: draw.time(),
    generation: 1,
    labels: labelsOf(workload),
    name,
    namespace: workload.namespace,
    resourceVersion: draw.resourceVersion(),
    uid,
    ...more,
  };
}

function templateOf({ workload, spec }: Described, labels: JsonObject): JsonObject {
  const { priority: _p, preemptionPolicy: _q, enableServiceLinks: _s, ...written } = spec;
  return {
    metadata: {
      annotations: annotationsOf(workload),
      labels: { ...labelsOf(workload), ...labels },
    },
    spec: written,
  };
}

export function daemonSetObject(described: Described, draw: Draw): JsonObject {
  const { workload, pods } = described;
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: meta(workload, workload.name, workload.makerUid, draw),
    spec: {
      revisionHistoryLimit: 10,
      selector: selectorOf(workload),
      template: templateOf(described, {}),
      updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }, type: "RollingUpdate" },
    },
    status: {
      currentNumberScheduled: pods,
      desiredNumberScheduled: pods,
      numberAvailable: pods,
      numberMisscheduled: 0,
      numberReady: pods,
      observedGeneration: 1,
      updatedNumberScheduled: pods,
    },
  };
}

export function deploymentObject(described: Described, draw: Draw): JsonObject {
  const { workload, pods } = described;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(workload, workload.name, workload.uid, draw, {
      annotations: { "deployment.kubernetes.io/revision": "1", "meta.helm.sh/release-name": workload.name },
    }),
    spec: {
      progressDeadlineSeconds: 600,
      replicas: pods,
      revisionHistoryLimit: 10,
      selector: selectorOf(workload),
      strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }, type: "RollingUpdate" },
      template: templateOf(described, {}),
    },
    status: {
      availableReplicas: pods,
      observedGeneration: 1,
      readyReplicas: pods,
      replicas: pods,
      updatedReplicas: pods,
    },
  };
}

export function replicaSetObject(described: Described, draw: Draw): JsonObject {
  const { workload, pods } = described;
  const hash = { "pod-template-hash": workload.hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: meta(workload, `${workload.name}-${workload.hash}`, workload.makerUid, draw, {
      annotations: { "deployment.kubernetes.io/revision": "1" },
      labels: { ...labelsOf(workload), ...hash },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          blockOwnerDeletion: true,
          controller: true,
          kind: "Deployment",
          name: workload.name,
          uid: workload.uid,
        },
      ],
    }),
    spec: {
      replicas: pods,
      selector: {
        matchLabels: { "app.kubernetes.io/instance": workload.name, "app.kubernetes.io/name": workload.app, ...hash },
      },
      template: templateOf(described, hash),
    },
    status: { availableReplicas: pods, observedGeneration: 1, readyReplicas: pods, replicas: pods },
  };
}

export function budgetObject({ workload, pods }: Described, draw: Draw): JsonObject {
  const alone = pods <= 1;
  const limit: JsonObject = draw.chance(0.5)
    ? { maxUnavailable: alone ? 1 : draw.pick<number | string>([1, 1, "25%"]) }
    : { minAvailable: alone ? 1 : draw.pick<number | string>(["50%", pods - 1]) };
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: meta(workload, workload.name, draw.uid(), draw),
    spec: { ...limit, selector: selectorOf(workload) },
    status: {
      conditions: [],
      currentHealthy: pods,
      desiredHealthy: Math.max(0, pods - 1),
      disruptionsAllowed: limit["minAvailable"] !== undefined && alone ? 0 : Math.min(1, pods),
      expectedPods: pods,
      observedGeneration: 1,
    },
  };
}

export function serviceObject({ workload }: Described, draw: Draw): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(workload, workload.name, draw.uid(), draw),
    spec: {
      clusterIP: `10.96.${draw.below(256)}.${draw.below(256)}`,
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "http" }],
      selector: { "app.kubernetes.io/instance": workload.name, "app.kubernetes.io/name": workload.app },
      sessionAffinity: "None",
      type: "ClusterIP",
    },
    status: { loadBalancer: {} },
  };
}

export function namespaceObject(name: string, draw: Draw): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      creationTimestamp: draw.time(),
      labels: { "kubernetes.io/metadata.name": name },
      name,
      resourceVersion: draw.resourceVersion(),
      uid: draw.uid(),
    },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}
