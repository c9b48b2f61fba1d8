import type { OtherObject } from "./cluster.ts";
import type { ObjectKey } from "./key.ts";
import type { Owners } from "./owners.ts";
import { knownScalePaths, type ScalePaths, scaleReplicasOf } from "./parse-other.ts";
import type { Pod } from "./pod.ts";
import type { OtherOwner, Workload } from "./workload.ts";

interface Given {
  readonly workloads: ReadonlyMap<ObjectKey, Workload>;
  readonly pods: readonly Pod[];
  readonly others: ReadonlyMap<ObjectKey, OtherObject>;
  readonly owners: Owners;
  /** What CustomResourceDefinitions of the input say. */
  readonly scalePaths: ScalePaths;
}

/**
 * The owners of pods and workloads that the model has no type for, and theirs in turn: custom resources, nodes of
 * static pods, and owners that are not in the input. Afterwards every owner named is a workload of the cluster, or a pod: the
 * leader of a LeaderWorkerSet group owns its workers' StatefulSet.
 */
export function otherOwners({ workloads, pods, others, owners, scalePaths }: Given): readonly OtherOwner[] {
  const paths: ScalePaths = new Map([...knownScalePaths, ...scalePaths]);
  const found = new Map<ObjectKey, OtherOwner>();
  const waiting: ObjectKey[] = [];
  const want = ({ owner }: { readonly owner: ObjectKey | null }): void => {
    if (owner !== null && owner !== waiting.at(-1) && !workloads.has(owner)) waiting.push(owner);
  };
  pods.forEach(want);
  workloads.forEach(want);
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (workloads.has(key) || found.has(key) || key.startsWith("Pod./")) continue;
    const owner = ownerOf(key, others, owners, paths);
    found.set(key, owner);
    if (owner.owner !== null) waiting.push(owner.owner);
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function ownerOf(
  key: ObjectKey,
  others: ReadonlyMap<ObjectKey, OtherObject>,
  owners: Owners,
  paths: ScalePaths,
): OtherOwner {
  const other = others.get(key);
  if (other !== undefined) {
    const { ref, labels, annotations, owner, source } = other;
    const scaleReplicas = scaleReplicasOf(other, paths);
    return {
      kind: "Other",
      key,
      ref,
      labels,
      annotations,
      owner,
      createdAtMs: null,
      source,
      present: true,
      scaleReplicas,
    };
  }
  const known = owners.get(key);
  return {
    kind: "Other",
    key,
    ref: known?.ref ?? refOfKey(key),
    labels: new Map(),
    annotations: new Map(),
    owner: null,
    createdAtMs: null,
    source: known?.source ?? { file: "", line: null },
    present: known?.present ?? false,
    scaleReplicas: null,
  };
}

/** An owner's owner that is not in the input: nothing but its key is known. */
function refOfKey(key: ObjectKey): OtherOwner["ref"] {
  const [kindAndGroup = "", namespace = "", name = ""] = key.split("/");
  const dot = kindAndGroup.indexOf(".");
  return { apiVersion: kindAndGroup.slice(dot + 1), kind: kindAndGroup.slice(0, dot), namespace, name };
}
