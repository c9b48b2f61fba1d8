import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import type { Fields } from "../wire/fields.ts";
import { type Facts, fieldsOf, type Part, selectorOf } from "./facts.ts";
import { createBudget, field, type Knobs, none } from "./knobs.ts";
import { helmPart } from "./part-rules.ts";
import { partsBehind, serviceKey } from "./route-kind.ts";
import { type Entry, entryOf, isNeeded, type Need, type Stage, type System } from "./system.ts";

const clusterLabel = "ray.io/cluster";
const typeLabel = "ray.io/node-type";
const groupLabel = "ray.io/group";
const replicaLabel = "ray.io/worker-group-replica-name";
/** KubeRay sets RAY_gcs_rpc_server_reconnect_timeout_s of workers to this where GCS is fault tolerant. */
const reconnectMs = 600_000;

/**
 * Ray Serve under KubeRay: one head, groups of workers, pods owned by the RayCluster itself.
 * Mirrors: KubeRay v1.7, kinds and labels.
 */
export const ray: System = {
  name: "ray",
  title: "KubeRay (Ray Serve)",
  about:
    "RayServices and the pods of their active RayCluster (labels ray.io/cluster, ray.io/node-type). There is one head for ever; " +
    "with gcsFaultToleranceOptions the workers serve on while it restarts. Budgets need an integer " +
    "minAvailable: RayCluster has no scale. A template change builds a whole second cluster. While KubeRay runs, a pod that is gone is made again.",
  gateways: [],
  entries: (facts) => facts.others("RayService", "ray.io").map((service) => serviceEntry(facts, service)),
  parts: [
    helmPart({
      hop: "controller",
      component: "KubeRay operator",
      whileGone: "Ray pods are not replaced.",
      match: { kinds: ["Deployment"], labels: { "app.kubernetes.io/name": "kuberay-operator" } },
      values: { replicas: "replicas", budget: null, spread: null },
    }),
  ],
};

function serviceEntry(facts: Facts, service: OtherObject): Entry {
  const { namespace, name } = service.ref;
  const spec = fieldsOf(service).object("spec");
  const cluster = activeCluster(facts, service);
  const stated = spec.object("rayClusterConfig");
  const made = facts.other("RayCluster", "ray.io", namespace, cluster);
  const own = made === undefined ? stated : fieldsOf(made).object("spec");
  // KubeRay takes no counts of the service over to a cluster that is there, and its autoscaler sets those of the cluster.
  const config = own.has("workerGroupSpecs") ? own : stated;
  const parts = facts.partsIn(namespace).filter(({ labels }) => labels.get(clusterLabel) === cluster);
  return {
    ...entryOf(service),
    backends: [serviceKey(namespace, `${name}-serve-svc`)],
    stages: [
      headStage(service.ref, cluster, parts, headNeed(service, [stated, own])),
      ...config.objects("workerGroupSpecs").map((group) => workerStage(service.ref, cluster, parts, group, config)),
    ],
    notModelled: [
      ...(config.flag("enableInTreeAutoscaling")
        ? config.objects("workerGroupSpecs").flatMap((group) => scalingGap(service.ref, cluster, group))
        : []),
      ...[stated, own].flatMap((one) => redisGap(facts, namespace, one)),
    ],
  };
}

/** The head serves again only as far as its Redis still knows; one outside the cluster is taken to stay. */
function redisGap(facts: Facts, namespace: string, config: Fields): Entry["notModelled"] {
  const address = config.object("gcsFaultToleranceOptions").text("redisAddress");
  return partsBehind(facts, address, namespace).map(({ workload: { ref } }) => ({
    what: "the Redis of its fault tolerance runs in this cluster: what it forgets when it moves is not played",
    ref: `${ref.kind} ${ref.namespace}/${ref.name}`,
    couldChange: "whether the workers serve on without their head",
  }));
}

/** Idle workers are taken away down to the group's least. */
function scalingGap({ namespace }: ObjectRef, cluster: string, group: Fields): Entry["notModelled"] {
  const [least, now] = [group.count("minReplicas") ?? 0, group.count("replicas") ?? 0];
  if (least >= Math.min(2, now)) return [];
  return [
    {
      what: `the load, by which Ray's autoscaler may take the ${now} replicas of worker group ${group.text("groupName")} down to ${least}`,
      ref: `RayCluster ${namespace}/${cluster}`,
      couldChange: "whether anything serves while the last one moves",
    },
  ];
}

/** The cluster that serves now: during an upgrade there are two. */
function activeCluster(facts: Facts, service: OtherObject): string {
  const status = fieldsOf(service).object("status").object("activeServiceStatus").text("rayClusterName");
  if (status !== "") return status;
  const { namespace, name } = service.ref;
  const made = facts
    .others("RayCluster", "ray.io")
    .find(
      (cluster) => cluster.ref.namespace === namespace && cluster.labels.get("ray.io/originated-from-cr-name") === name,
    );
  return made?.ref.name ?? name;
}

/** Fault tolerance of GCS by its field, or by the annotation that came before it. */
function headNeed(service: OtherObject, configs: readonly Fields[]): Need {
  const isTolerant =
    configs.some((config) => config.has("gcsFaultToleranceOptions")) ||
    service.annotations.get("ray.io/ft-enabled")?.toLowerCase() === "true";
  if (!isTolerant)
    return { needed: true, because: "Without GCS fault tolerance the whole Ray cluster restarts with its head." };
  return {
    needed: false,
    outlivedMs: reconnectMs,
    because:
      "With GCS fault tolerance the proxies of the workers serve on while the head restarts: the workers wait 10 min for it.",
  };
}

function headStage(ref: ObjectRef, cluster: string, parts: readonly Part[], needed: Need): Stage {
  const alone =
    "Ray has one head. Put a second RayService behind the same route or Service; with spec.gcsFaultToleranceOptions the workers at least serve on while the head is away.";
  return {
    ...podStage({ ref, cluster, parts, hop: "head", component: "Ray head" }),
    pods: podsWith(ref, { [clusterLabel]: cluster, [typeLabel]: "head" }),
    desired: 1,
    needed,
    knobs: {
      replicas: none(alone),
      budget: none(`${alone} A budget over it only holds drains.`),
      spread: none(alone),
      overwrites: "KubeRay replaces pods, it patches none.",
      managedBy: `RayService ${ref.name}`,
    },
  };
}

function workerStage(ref: ObjectRef, cluster: string, parts: readonly Part[], group: Fields, config: Fields): Stage {
  const name = group.text("groupName");
  const stage = podStage({ ref, cluster, parts, hop: "engine", component: `Ray workers ${name}` });
  return {
    ...stage,
    pods: podsWith(ref, { [clusterLabel]: cluster, [groupLabel]: name }),
    ...unitsOf(parts, group),
    needed: isNeeded,
    knobs: workerKnobs(ref, stage.ref, name, config.flag("enableInTreeAutoscaling") ? "minReplicas" : "replicas"),
  };
}

/**
 * With several hosts a replica is a group of pods, told apart by a label that KubeRay sets since v1.5 (host indexing on). Without
 * the label each pod is counted: stricter than what is lost.
 */
function unitsOf(parts: readonly Part[], group: Fields): Pick<Extract<Stage, { by: "pods" }>, "desired" | "unit"> {
  const replicas = group.count("replicas") ?? group.count("minReplicas") ?? 1;
  const hosts = group.count("numOfHosts") ?? 1;
  const name = group.text("groupName");
  const told = parts
    .flatMap(({ pods }) => pods)
    .filter(({ template }) => template.labels.get(groupLabel) === name)
    .every(({ template }) => template.labels.has(replicaLabel));
  return hosts > 1 && told
    ? { desired: replicas, unit: { kind: "group", groupLabel: replicaLabel, size: hosts } }
    : { desired: replicas * hosts, unit: { kind: "pod" } };
}

/**
 * The counts of a RayService reach no cluster that is there (what it tells clusters apart by leaves them out), and those of the
 * RayCluster stay as they are set: the one that serves takes the change, the service says it for the next one.
 */
function workerKnobs(ref: ObjectRef, made: ObjectRef, name: string, count: string): Knobs {
  const own = `workerGroupSpecs[groupName=${name}]`;
  const group = `spec.rayClusterConfig.${own}`;
  const also = {
    target: ref,
    path: `${group}.${count}`,
    why: "The cluster that serves does not read it; the next one is made with it.",
  };
  return {
    replicas: field(
      made,
      `spec.${own}.${count}`,
      "A worker serves once Serve has a replica on it: num_replicas of each deployment in the RayService's spec.serveConfigV2 has to be as large, and max_replicas_per_node 1 keeps them apart.",
      { also },
    ),
    budget: createBudget(
      "An integer minAvailable: a RayCluster has no scale. A new cluster's pods carry another ray.io/cluster.",
    ),
    spread: field(
      ref,
      `${group}.template.spec.topologySpreadConstraints`,
      "Builds a whole new cluster beside the old one.",
    ),
    overwrites: "KubeRay replaces pods, it patches none.",
    managedBy: `RayService ${ref.name}`,
  };
}

function podStage(options: {
  readonly ref: ObjectRef;
  readonly cluster: string;
  readonly parts: readonly Part[];
  readonly hop: string;
  readonly component: string;
}): Pick<Extract<Stage, { by: "pods" }>, "by" | "hop" | "component" | "role" | "ref" | "owner" | "parts" | "unit"> {
  const { ref, cluster, parts, hop, component } = options;
  const made: ObjectRef = { apiVersion: "ray.io/v1", kind: "RayCluster", namespace: ref.namespace, name: cluster };
  return { by: "pods", hop, component, role: "", ref: made, owner: ref, parts, unit: { kind: "pod" } };
}

function podsWith(ref: ObjectRef, labels: { readonly [key: string]: string }) {
  const selector = selectorOf(new Map(Object.entries(labels)));
  return { by: "selector" as const, namespace: ref.namespace, selector };
}
