import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

/** Plain objects as the API server returns them. */
export interface Fields {
  [field: string]: unknown;
}

export interface Item extends Fields {
  apiVersion: string;
  kind: string;
  metadata: Fields & { name: string; namespace?: string };
}

const letters = "bcdfghjklmnpqrstvwxz2456789";

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Same text, same uid: a regenerated example has no diff. */
export function uid(text: string): string {
  const hex = digest(text).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A name's random-looking end, in the alphabet Kubernetes draws from. */
export function suffix(text: string, length: number): string {
  return [...digest(text).subarray(0, length)].map((byte) => letters[byte % letters.length]).join("");
}

export function at(base: string, seconds: number): string {
  return new Date(Date.parse(base) + seconds * 1000).toISOString().replace(".000Z", "Z");
}

export interface PodPlace {
  /** Null: Pending, with `message`. */
  readonly node: string | null;
  readonly ready?: boolean;
  readonly message?: string;
}

export interface Parts {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Fields;
  readonly selector: Fields;
  readonly podLabels?: Fields;
  readonly annotations?: Fields;
  readonly podAnnotations?: Fields;
  readonly strategy?: Fields;
  readonly owner?: Item;
  readonly places: readonly PodPlace[];
  readonly replicas?: number;
  /** From scheduled to Ready. */
  readonly startSeconds: number;
  readonly spec: Fields;
  readonly created?: string;
}

/** Objects of one example cluster, each with the fields its real writer sets. */
export class World {
  readonly items: Item[] = [];
  readonly created: string;
  readonly version: string;

  constructor(created: string, version: string) {
    this.created = created;
    this.version = version;
  }

  add(item: Item): Item {
    const { apiVersion, kind, metadata } = item;
    metadata["uid"] ??= uid(`${this.version}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`);
    metadata["creationTimestamp"] ??= this.created;
    metadata["resourceVersion"] ??= String(1000 + this.items.length * 7);
    this.items.push({ ...item, apiVersion, kind, metadata });
    return item;
  }

  namespace(name: string): void {
    this.add({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }

  node(options: {
    name: string;
    labels: Fields;
    annotations?: Fields;
    taints?: Fields[];
    capacity: Fields;
    allocatable: Fields;
    conditions?: Fields[];
    providerID: string;
    osImage: string;
    created?: string;
  }): void {
    const created = options.created ?? this.created;
    const condition = (type: string, status: string, reason: string, message: string): Fields => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: at(created, 86400 * 12),
      lastTransitionTime: at(created, 40),
    });
    this.add({
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: options.name,
        creationTimestamp: created,
        labels: {
          "beta.kubernetes.io/arch": "amd64",
          "beta.kubernetes.io/os": "linux",
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/hostname": options.name,
          "kubernetes.io/os": "linux",
          ...options.labels,
        },
        annotations: { "node.alpha.kubernetes.io/ttl": "0", ...options.annotations },
      },
      spec: {
        providerID: options.providerID,
        ...(options.taints ? { taints: options.taints } : {}),
      },
      status: {
        capacity: options.capacity,
        allocatable: options.allocatable,
        conditions: [
          ...(options.conditions ?? []),
          condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
          condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
          condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
          condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        ],
        nodeInfo: {
          architecture: "amd64",
          bootID: uid(`boot/${options.name}`),
          containerRuntimeVersion: "containerd://2.1.4",
          kernelVersion: "6.8.0-79-generic",
          kubeletVersion: this.version,
          kubeProxyVersion: this.version,
          machineID: uid(`machine/${options.name}`).replaceAll("-", ""),
          operatingSystem: "linux",
          osImage: options.osImage,
          systemUUID: uid(`system/${options.name}`),
        },
      },
    });
  }

  /** A Deployment with its ReplicaSet and pods. Returns the Deployment. */
  deployment(parts: Parts): Item {
    const created = parts.created ?? at(this.created, 3600);
    const replicas = parts.replicas ?? parts.places.length;
    const ready = parts.places.filter((place) => place.node !== null && place.ready !== false).length;
    const podLabels = { ...parts.podLabels, ...parts.selector };
    const template = {
      metadata: { labels: podLabels, ...(parts.podAnnotations ? { annotations: parts.podAnnotations } : {}) },
      spec: {
        dnsPolicy: "ClusterFirst",
        restartPolicy: "Always",
        schedulerName: "default-scheduler",
        securityContext: {},
        terminationGracePeriodSeconds: 30,
        ...parts.spec,
      },
    };
    const hash = suffix(`hash/${parts.namespace}/${parts.name}/${JSON.stringify(template)}`, 10);
    const counts = {
      replicas: parts.places.length,
      updatedReplicas: parts.places.length,
      readyReplicas: ready,
      availableReplicas: ready,
      ...(ready < replicas ? { unavailableReplicas: replicas - ready } : {}),
    };
    const available = ready >= replicas - Math.floor(replicas * 0.25);
    const deployment = this.add({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: parts.name,
        namespace: parts.namespace,
        creationTimestamp: created,
        generation: 1,
        labels: parts.labels,
        annotations: { "deployment.kubernetes.io/revision": "1", ...parts.annotations },
        ...ownedBy(parts.owner),
      },
      spec: {
        replicas,
        selector: { matchLabels: parts.selector },
        template,
        strategy: parts.strategy ?? {
          type: "RollingUpdate",
          rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" },
        },
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
      },
      status: {
        observedGeneration: 1,
        ...counts,
        conditions: [
          {
            type: "Progressing",
            status: "True",
            reason: "NewReplicaSetAvailable",
            message: `ReplicaSet "${parts.name}-${hash}" has successfully progressed.`,
            lastUpdateTime: at(created, parts.startSeconds),
            lastTransitionTime: created,
          },
          {
            type: "Available",
            status: available ? "True" : "False",
            reason: available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
            message: available
              ? "Deployment has minimum availability."
              : "Deployment does not have minimum availability.",
            lastUpdateTime: at(created, parts.startSeconds),
            lastTransitionTime: at(created, parts.startSeconds),
          },
        ],
      },
    });
    const hashed = { ...podLabels, "pod-template-hash": hash };
    const replicaSet = this.add({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `${parts.name}-${hash}`,
        namespace: parts.namespace,
        creationTimestamp: created,
        generation: 1,
        labels: hashed,
        annotations: {
          "deployment.kubernetes.io/desired-replicas": String(replicas),
          "deployment.kubernetes.io/max-replicas": String(replicas + Math.ceil(replicas * 0.25)),
          "deployment.kubernetes.io/revision": "1",
        },
        ...ownedBy(deployment),
      },
      spec: {
        replicas,
        selector: { matchLabels: { ...parts.selector, "pod-template-hash": hash } },
        template: { ...template, metadata: { ...template.metadata, labels: hashed } },
      },
      status: {
        replicas: parts.places.length,
        fullyLabeledReplicas: parts.places.length,
        readyReplicas: ready,
        availableReplicas: ready,
        observedGeneration: 1,
      },
    });
    parts.places.forEach((place, index) => {
      this.pod({
        name: `${parts.name}-${hash}-${suffix(`pod/${parts.namespace}/${parts.name}/${index}`, 5)}`,
        namespace: parts.namespace,
        labels: hashed,
        ...(parts.podAnnotations ? { annotations: parts.podAnnotations } : {}),
        owner: replicaSet,
        place,
        spec: template.spec,
        created: at(created, 60 * index),
        startSeconds: parts.startSeconds,
      });
    });
    return deployment;
  }

  daemonSet(parts: Omit<Parts, "places" | "replicas" | "strategy"> & { nodes: readonly string[] }): void {
    const created = parts.created ?? at(this.created, 600);
    const podLabels = { ...parts.podLabels, ...parts.selector };
    const spec = {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      ...parts.spec,
    };
    const revision = suffix(`revision/${parts.namespace}/${parts.name}`, 10);
    const count = parts.nodes.length;
    const set = this.add({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: {
        name: parts.name,
        namespace: parts.namespace,
        creationTimestamp: created,
        generation: 1,
        labels: parts.labels,
        annotations: { "deprecated.daemonset.template.generation": "1", ...parts.annotations },
      },
      spec: {
        selector: { matchLabels: parts.selector },
        template: { metadata: { labels: podLabels }, spec },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        revisionHistoryLimit: 10,
      },
      status: {
        currentNumberScheduled: count,
        desiredNumberScheduled: count,
        numberAvailable: count,
        numberMisscheduled: 0,
        numberReady: count,
        observedGeneration: 1,
        updatedNumberScheduled: count,
      },
    });
    const kept = ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];
    const tolerations = [
      ...((parts.spec["tolerations"] ?? []) as Fields[]),
      ...kept.map((name, index) => ({
        key: `node.kubernetes.io/${name}`,
        operator: "Exists",
        effect: index < 2 ? "NoExecute" : "NoSchedule",
      })),
    ];
    parts.nodes.forEach((node) => {
      this.pod({
        name: `${parts.name}-${suffix(`daemon/${parts.name}/${node}`, 5)}`,
        namespace: parts.namespace,
        labels: { ...podLabels, "controller-revision-hash": revision, "pod-template-generation": "1" },
        owner: set,
        place: { node },
        spec: {
          ...spec,
          tolerations,
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
              },
            },
          },
        },
        created,
        startSeconds: parts.startSeconds,
        ownTolerations: true,
      });
    });
  }

  pod(options: {
    name: string;
    namespace: string;
    labels: Fields;
    annotations?: Fields;
    owner?: Item;
    place: PodPlace;
    spec: Fields;
    created: string;
    startSeconds: number;
    ownTolerations?: boolean;
  }): void {
    const { place, created } = options;
    const bound = place.node !== null;
    const ready = bound && place.ready !== false;
    const readyAt = at(created, options.startSeconds);
    const containers = options.spec["containers"] as { name: string; image: string }[];
    const priority = options.spec["priorityClassName"];
    const unready = {
      reason: "ContainersNotReady",
      message: `containers with unready status: [${containers.map((c) => c.name).join(" ")}]`,
    };
    const conditions = bound
      ? [
          {
            type: "PodReadyToStartContainers",
            status: "True",
            lastProbeTime: null,
            lastTransitionTime: at(created, 2),
          },
          { type: "Initialized", status: "True", lastProbeTime: null, lastTransitionTime: created },
          {
            type: "Ready",
            status: ready ? "True" : "False",
            lastProbeTime: null,
            lastTransitionTime: readyAt,
            ...(ready ? {} : unready),
          },
          {
            type: "ContainersReady",
            status: ready ? "True" : "False",
            lastProbeTime: null,
            lastTransitionTime: readyAt,
            ...(ready ? {} : unready),
          },
          { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: created },
        ]
      : [
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            message: place.message,
            lastProbeTime: null,
            lastTransitionTime: created,
          },
        ];
    const ip = [...digest(`ip/${options.namespace}/${options.name}`)];
    this.add({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: options.name,
        namespace: options.namespace,
        generateName: options.name.slice(0, options.name.lastIndexOf("-") + 1),
        creationTimestamp: created,
        labels: options.labels,
        ...(options.annotations ? { annotations: options.annotations } : {}),
        ...ownedBy(options.owner),
      },
      spec: {
        ...options.spec,
        ...(bound ? { nodeName: place.node } : {}),
        enableServiceLinks: true,
        preemptionPolicy: "PreemptLowerPriority",
        priority:
          priority === "system-node-critical" ? 2000001000 : priority === "system-cluster-critical" ? 2000000000 : 0,
        tolerations: options.ownTolerations
          ? options.spec["tolerations"]
          : [
              ...((options.spec["tolerations"] ?? []) as Fields[]),
              ...["not-ready", "unreachable"].map((name) => ({
                key: `node.kubernetes.io/${name}`,
                operator: "Exists",
                effect: "NoExecute",
                tolerationSeconds: 300,
              })),
            ],
      },
      status: {
        phase: bound ? "Running" : "Pending",
        conditions,
        qosClass: "Burstable",
        ...(bound
          ? {
              podIP: `10.${96 + ((ip[0] ?? 0) % 16)}.${ip[1]}.${1 + ((ip[2] ?? 0) % 253)}`,
              startTime: created,
              containerStatuses: containers.map((container) => ({
                name: container.name,
                image: container.image,
                imageID: "",
                ready,
                restartCount: 0,
                started: true,
                lastState: {},
                state: { running: { startedAt: at(created, 3) } },
              })),
            }
          : {}),
      },
    });
  }

  service(options: {
    namespace: string;
    name: string;
    labels?: Fields;
    selector: Fields;
    ports: Fields[];
    owner?: Item;
    type?: string;
    externalTrafficPolicy?: string;
  }): Item {
    const ip = [...digest(`service/${options.namespace}/${options.name}`)];
    const clusterIP = `10.80.${ip[0]}.${1 + ((ip[1] ?? 0) % 253)}`;
    return this.add({
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: options.name,
        namespace: options.namespace,
        ...(options.labels ? { labels: options.labels } : {}),
        ...ownedBy(options.owner),
      },
      spec: {
        type: options.type ?? "ClusterIP",
        clusterIP,
        clusterIPs: [clusterIP],
        selector: options.selector,
        ports: options.ports,
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        internalTrafficPolicy: "Cluster",
        ...(options.externalTrafficPolicy ? { externalTrafficPolicy: options.externalTrafficPolicy } : {}),
        sessionAffinity: "None",
      },
      status: { loadBalancer: {} },
    });
  }

  /** `expected` pods, of which `healthy`; the arithmetic is the disruption controller's. */
  budget(options: {
    namespace: string;
    name: string;
    labels?: Fields;
    owner?: Item;
    selector: Fields;
    minAvailable?: number;
    maxUnavailable?: number;
    expected: number;
    healthy: number;
  }): void {
    const { minAvailable, maxUnavailable, expected, healthy } = options;
    const desired = minAvailable ?? Math.max(0, expected - (maxUnavailable ?? 0));
    const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
    this.add({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: {
        name: options.name,
        namespace: options.namespace,
        generation: 1,
        ...(options.labels ? { labels: options.labels } : {}),
        ...ownedBy(options.owner),
      },
      spec: {
        ...(minAvailable === undefined ? {} : { minAvailable }),
        ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
        selector: { matchLabels: options.selector },
      },
      status: {
        conditions: [
          {
            type: "DisruptionAllowed",
            status: allowed > 0 ? "True" : "False",
            reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
            message: "",
            observedGeneration: 1,
            lastTransitionTime: this.created,
          },
        ],
        currentHealthy: healthy,
        desiredHealthy: desired,
        disruptionsAllowed: allowed,
        expectedPods: expected,
        observedGeneration: 1,
      },
    });
  }

  /** Writes `kubectl get … -o yaml` lists, one file a group of kinds. */
  write(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const old of readdirSync(folder)) if (old.endsWith(".yaml")) rmSync(join(folder, old));
    for (const [file, kinds] of files) {
      const items = this.items.filter((item) => kinds.includes(item.kind)).sort(byName);
      if (items.length === 0) continue;
      const list = { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
      writeFileSync(
        join(folder, file),
        stringify(list, {
          sortMapEntries: true,
          lineWidth: 0,
          aliasDuplicateObjects: false,
          indentSeq: false,
          version: "1.1",
        }),
      );
    }
    const known = new Set(files.flatMap(([, kinds]) => kinds));
    const lost = this.items.filter((item) => !known.has(item.kind)).map((item) => item.kind);
    if (lost.length > 0) throw new Error(`no file for ${lost.join(", ")}`);
  }
}

const files: [string, string[]][] = [
  ["nodes.yaml", ["Node"]],
  ["namespaces.yaml", ["Namespace"]],
  ["gateway.yaml", ["GatewayClass", "Gateway", "EnvoyProxy", "ConfigMap", "HTTPRoute", "InferencePool", "Route"]],
  ["services-kserve.yaml", ["InferenceService", "LLMInferenceService"]],
  ["workloads.yaml", ["Deployment", "ReplicaSet", "DaemonSet"]],
  ["pods.yaml", ["Pod"]],
  ["services.yaml", ["Service"]],
  ["budgets.yaml", ["PodDisruptionBudget"]],
  ["webhooks.yaml", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]],
  ["machine-config.yaml", ["MachineConfigPool"]],
];

/** The API server lists by namespace, then name. */
function byName(a: Item, b: Item): number {
  const key = (item: Item): string =>
    `${files.findIndex(([, kinds]) => kinds.includes(item.kind))}/${item.kind}/${item.metadata.namespace ?? ""}/${item.metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}

function ownedBy(owner: Item | undefined): Fields {
  if (!owner) return {};
  return {
    ownerReferences: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: owner.metadata.name,
        uid: owner.metadata["uid"],
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

export function container(name: string, image: string, requests: Fields, limits: Fields, more: Fields = {}): Fields {
  return {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    resources: { requests, limits },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    ...more,
  };
}

export function httpProbe(path: string, port: number, periodSeconds: number): Fields {
  return {
    readinessProbe: {
      httpGet: { path, port, scheme: "HTTP" },
      periodSeconds,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    },
  };
}
