import { parseDuration } from "../base/duration.ts";
import type { Cluster } from "../model/cluster.ts";
import { groupOf, type ObjectKey } from "../model/key.ts";
import type { PodTemplate } from "../model/pod-template.ts";
import type { OtherOwner, Workload } from "../model/workload.ts";
import { fieldsOf } from "./facts.ts";

interface PodKeeper {
  /** Kind.group of the owner of the pods. */
  readonly kind: string;
  isOperator(workload: Workload): boolean;
  /** Label whose value the pods of one replica share: with one of them gone the others are deleted, and all are made anew. "" none. */
  readonly replicaLabel: string;
  /** What about its new pods is not known: they may be Ready and not serve. */
  readonly unsure: string;
  /** New pods serve once they are Ready; but for so long a gang may be short of them before it is torn down. Null: see `unsure`. */
  patienceMs(cluster: Cluster, template: PodTemplate): number | null;
}

const named =
  (name: string) =>
  ({ labels }: Workload): boolean =>
    labels.get("app.kubernetes.io/name") === name;

const noGang = (): null => null;

/** Grove's default for `terminationDelay`. */
const gangPatienceMs = 4 * 3_600_000;

/**
 * Custom resources whose operator makes a pod of theirs again, one for one and once the old one is gone: as many pods are counted
 * as exist, terminating ones too.
 * Mirrors: KubeRay v1.5 to v1.7 reconcilePods and reconcileMultiHostWorkerGroup, Grove 2026-08 syncflow and its condition
 * MinAvailableBreached, AIBrix v0.7 rolesyncer without surge.
 */
const keepers: readonly PodKeeper[] = [
  {
    kind: "RayCluster.ray.io",
    isOperator: named("kuberay-operator"),
    replicaLabel: "ray.io/worker-group-replica-name",
    unsure: "when Ray Serve has a replica on a new worker, and what a lost head does to the workers",
    patienceMs: noGang,
  },
  {
    kind: "PodClique.grove.io",
    isOperator: named("grove-operator"),
    replicaLabel: "",
    unsure: "when Grove tears down a gang that stays short of pods",
    patienceMs: terminationDelayMs,
  },
  {
    kind: "RoleSet.orchestration.aibrix.ai",
    isOperator: ({ ref }) => ref.name === "aibrix-controller-manager",
    replicaLabel: "",
    unsure: "whether AIBrix makes a pod again before the old one is gone",
    patienceMs: noGang,
  },
];

const doubts: ReadonlySet<string> = new Set(keepers.map(({ unsure }) => unsure));

/** Whether a gap is only about pods that an operator has yet to make: what stands now is known. */
export function isOfNewPods({ couldChange }: { readonly couldChange: string }): boolean {
  return doubts.has(couldChange);
}

export interface KeptBy {
  /** The Deployment of the operator. */
  readonly operator: ObjectKey;
  readonly replicaLabel: string;
  readonly unsure: string;
  readonly patienceMs: number | null;
}

/**
 * Who makes pods like this of this owner again; null: nobody in the input, or in a way that is not known. Where another scheduler
 * places them, nothing is known of them either.
 */
export function keptBy(cluster: Cluster, owner: OtherOwner, template: PodTemplate): KeptBy | null {
  if (template.schedulerName !== "default-scheduler" && template.schedulerName !== "") return null;
  const keeper = keeperOf(owner);
  if (keeper === undefined || !owner.present) return null;
  const { replicaLabel, unsure } = keeper;
  for (const workload of cluster.workloads.values()) {
    if (workload.kind === "Deployment" && keeper.isOperator(workload))
      return { operator: workload.key, replicaLabel, unsure, patienceMs: keeper.patienceMs(cluster, template) };
  }
  return null;
}

/** Whoever makes pods of this owner again, and wherever they go: not before the old one is gone. */
export function isNeverMadeAhead({ kind, ref }: Workload): boolean {
  return kind === "Other" && keeperOf({ ref }) !== undefined;
}

function keeperOf({ ref }: Pick<OtherOwner, "ref">): PodKeeper | undefined {
  const type = `${ref.kind}.${groupOf(ref.apiVersion)}`;
  return keepers.find(({ kind }) => kind === type);
}

/** The PodCliqueSet above says so. */
function terminationDelayMs(cluster: Cluster, { labels, namespace }: PodTemplate): number {
  const set = cluster.others.get(`PodCliqueSet.grove.io/${namespace}/${labels.get("app.kubernetes.io/part-of") ?? ""}`);
  const stated = set === undefined ? "" : fieldsOf(set).object("spec").object("template").text("terminationDelay");
  return parseDuration(stated) ?? gangPatienceMs;
}
