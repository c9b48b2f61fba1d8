import { underKey } from "../base/under-key.ts";
import { type ObjectKey, objectKey } from "./key.ts";
import { matches, templateHashLabel } from "./labels.ts";
import type { Pod } from "./pod.ts";
import type { PodTemplate } from "./pod-template.ts";
import { derivedTemplate } from "./template-content.ts";
import type { Deployment, ReplicaSet, Workload } from "./workload.ts";

/**
 * ReplicaSets that pods name and the input does not have, where the Deployment between them is plain: their name is the
 * Deployment's and the pods' hash. `kubectl get deployments,pods` leaves them out, and without them every pod would be
 * nobody's and be made a second time. The newest set of a Deployment is taken for its current one; the sizes are those
 * of a Deployment at rest, and of older sets what is there.
 *
 * `intern` gives a template the number of its content.
 */
export function impliedReplicaSets(
  read: ReadonlyMap<ObjectKey, Workload>,
  pods: readonly Pod[],
  intern: (template: PodTemplate) => PodTemplate,
): readonly ReplicaSet[] {
  const absent = new Map<ObjectKey, Pod[]>();
  let latest: ObjectKey | null = null;
  for (const pod of pods) {
    const { owner } = pod;
    if (owner === null || owner === latest) continue;
    if (read.has(owner)) latest = owner;
    else if (owner.startsWith("ReplicaSet.apps/")) underKey(absent, owner, (): Pod[] => []).push(pod);
  }
  if (absent.size === 0) return [];
  const workloads = [...read.values()];
  const found: Implied[] = [];
  for (const [key, owned] of absent) {
    const implied = impliedBy(key, owned, read);
    if (implied !== null) found.push(implied);
  }
  const byDeployment = Map.groupBy(found, ({ deployment }) => deployment.key);
  return [...byDeployment.values()].flatMap((sets) => replicaSetsOf(sets, hasReadSet(workloads, sets), intern));
}

interface Implied {
  readonly key: ObjectKey;
  readonly name: string;
  readonly hash: string;
  readonly deployment: Deployment;
  readonly pods: readonly Pod[];
  readonly youngestMs: number;
}

function impliedBy(key: ObjectKey, pods: readonly Pod[], read: ReadonlyMap<ObjectKey, Workload>): Implied | null {
  const [first] = pods;
  const hash = first?.template.labels.get(templateHashLabel);
  if (first === undefined || hash === undefined) return null;
  const name = key.slice(key.lastIndexOf("/") + 1);
  if (!name.endsWith(`-${hash}`)) return null;
  const { namespace } = first;
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: name.slice(0, -hash.length - 1) };
  const deployment = read.get(objectKey(ref));
  if (deployment?.kind !== "Deployment" || !matches(deployment.selector, first.template.labels)) return null;
  return {
    key,
    name,
    hash,
    deployment,
    pods,
    youngestMs: Math.max(...pods.map(({ createdAtMs }) => createdAtMs ?? 0)),
  };
}

/** A set that was read may be the current one: then none of the implied ones is. */
function hasReadSet(workloads: readonly Workload[], [set]: readonly Implied[]): boolean {
  return workloads.some(({ kind, owner }) => kind === "ReplicaSet" && owner === set?.deployment.key);
}

function replicaSetsOf(
  sets: readonly Implied[],
  hasRead: boolean,
  intern: (template: PodTemplate) => PodTemplate,
): readonly ReplicaSet[] {
  const byAge = [...sets].sort((a, b) => a.youngestMs - b.youngestMs);
  return byAge.map((set, at) => {
    const isCurrent = !hasRead && at === byAge.length - 1;
    return replicaSet(set, at + 1, isCurrent ? byAge.length === 1 : null, intern);
  });
}

/** `alone`: the current set, and whether it is the only one; null: an older one. */
function replicaSet(
  { name, hash, deployment, pods }: Implied,
  revision: number,
  alone: boolean | null,
  intern: (template: PodTemplate) => PodTemplate,
): ReplicaSet {
  const ref = { apiVersion: "apps/v1", kind: "ReplicaSet", namespace: deployment.ref.namespace, name };
  const active = pods.filter(({ phase, deleting }) => phase !== "Succeeded" && phase !== "Failed" && !deleting);
  const [first] = pods;
  const own = first?.template ?? deployment.template;
  const template = alone === null ? own : intern(derivedTemplate(deployment.template, [[templateHashLabel, hash]]));
  const requirement = { key: templateHashLabel, operator: "In", values: [hash] } as const;
  return {
    kind: "ReplicaSet",
    key: objectKey(ref),
    ref,
    labels: template.labels,
    annotations: new Map([["deployment.kubernetes.io/desired-replicas", String(deployment.replicas)]]),
    owner: deployment.key,
    createdAtMs: deployment.createdAtMs,
    source: first?.source ?? deployment.source,
    replicas: alone === true ? deployment.replicas : active.length,
    selector: { ...deployment.selector, requirements: [...deployment.selector.requirements, requirement] },
    template,
    minReadyMs: deployment.minReadyMs,
    revision,
  };
}
