import type { Cluster } from "../../model/cluster.ts";
import { type ObjectKey, objectKey } from "../../model/key.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import { notInterned } from "../../model/template-content.ts";
import { Fields, isJsonObject } from "../../wire/fields.ts";
import { sameJson } from "../../wire/object-path.ts";
import type { Json, JsonObject } from "../../wire/snapshot.ts";
import { type KeptKind, keptPods } from "../../workload/kept-pods.ts";
import { aspectsBelow, type EditedKeeper, edited, type KeptPlay, noPlay, otherOwner, templateWith } from "./play.ts";

const clusterLabel = "ray.io/cluster";
const groupLabel = "ray.io/group";
const head = { label: "ray.io/node-type", value: "head" };

/**
 * A RayCluster after an edit of its counts: workers come, or go. Of a changed template nothing comes: pods are never replaced for it.
 * Mirrors: KubeRay v1.6 raycluster_controller.go reconcilePods, utils GetWorkerGroupDesiredReplicas.
 */
export function rayClusterPlay(keeper: EditedKeeper): KeptPlay {
  const { cluster, key, after } = keeper;
  const owner = otherOwner(cluster, key);
  const wanted = kindsOf(keeper, Fields.of(after, () => {}).object("spec"), key, null);
  if (owner === null || wanted === null) return noPlay;
  const memory = keptPods(wanted, { revision: "", inTurn: false });
  return { changes: [{ what: "kept", spec: owner, memory }], rolled: [key], moves: [] };
}

/**
 * A RayService after an edit. What its clusters are told apart by leaves out the counts of workers and tolerations: an edit of those
 * reaches no cluster that is there. Anything else makes a whole new cluster beside the one that serves, as large; once all of it is
 * ready it takes over, and the old one goes.
 * Mirrors: KubeRay v1.6 rayservice_controller.go shouldPrepareNewCluster, utils GenerateHashWithoutReplicasAndWorkersToDelete.
 */
export function rayServicePlay(keeper: EditedKeeper): KeptPlay {
  const { cluster, key, ref, before, after } = keeper;
  const spec = Fields.of(after, () => {}).object("spec");
  const config = spec.object("rayClusterConfig");
  const was = Fields.of(before, () => {})
    .object("spec")
    .object("rayClusterConfig");
  const known = was.objects("workerGroupSpecs").length;
  if (sameJson(told(was.wire, known), told(config.wire, known))) return noPlay;
  const strategy = spec.object("upgradeStrategy").text("type");
  if (strategy !== "" && strategy !== "NewCluster") return noPlay;
  const active = Fields.of(after, () => {})
    .object("status")
    .object("activeServiceStatus")
    .text("rayClusterName");
  const from = [...cluster.workloads.values()].find(
    (workload) => workload.owner === key && (active === "" || workload.ref.name === active),
  );
  if (from?.kind !== "Other") return noPlay;
  const to = { ...from.ref, name: `${ref.name}-~1` };
  const wanted = kindsOf(keeper, config, from.key, to.name);
  if (wanted === null) return noPlay;
  const made = objectKey(to);
  const memory = keptPods(wanted, { revision: edited, inTurn: false });
  return {
    changes: [{ what: "kept", spec: { ...from, key: made, ref: to }, memory }],
    rolled: [made],
    moves: [{ owner: key, from: from.key, to }],
  };
}

/** Null: a group of which no pod shows what the next one is like. */
function kindsOf(
  keeper: EditedKeeper,
  spec: Fields,
  from: ObjectKey,
  newName: string | null,
): readonly KeptKind[] | null {
  const { cluster, edits, retemplated } = keeper;
  const owners = new Set([from]);
  const kinds: KeptKind[] = [];
  const add = (of: KeptKind["of"] & object, count: number, written: Fields, at: string): boolean => {
    const now = templateWith(cluster, owners, of);
    if (now === null) return count === 0;
    const base = newName === null ? now : inCluster(now, newName);
    const aspects = aspectsBelow(edits, at);
    kinds.push({
      of,
      count,
      template: newName === null || aspects.size === 0 ? base : retemplated(base, written, aspects),
      revision: "",
      surge: 0,
      unavailable: count,
    });
    return true;
  };
  const at = "spec.rayClusterConfig";
  const isHead = add(head, 1, spec.object("headGroupSpec").object("template"), `${at}.headGroupSpec.template`);
  const areWorkers = spec.objects("workerGroupSpecs").every((group) => {
    const name = group.text("groupName");
    const path = `${at}.workerGroupSpecs[groupName=${name}].template`;
    return add({ label: groupLabel, value: name }, countOf(group, cluster, from), group.object("template"), path);
  });
  return isHead && areWorkers ? kinds : null;
}

/** Replicas between their bounds; a group that states none has what is there. */
function countOf(group: Fields, { pods }: Cluster, cluster: ObjectKey): number {
  if (group.flag("suspend")) return 0;
  const least = group.count("minReplicas") ?? 0;
  const most = group.count("maxReplicas") ?? Number.MAX_SAFE_INTEGER;
  const name = group.text("groupName");
  const there = pods.filter(({ owner, template }) => owner === cluster && template.labels.get(groupLabel) === name);
  const stated = group.count("replicas") ?? (group.has("minReplicas") ? least : there.length);
  return Math.max(least, Math.min(most, stated)) * (group.count("numOfHosts") ?? 1);
}

function inCluster(template: PodTemplate, name: string): PodTemplate {
  return { ...template, id: notInterned, labels: new Map([...template.labels, [clusterLabel, name]]) };
}

/** The part of a cluster's spec that makes it another cluster; groups added at the end do not. */
function told(spec: JsonObject, groupsMax: number): Json {
  const { upgradeStrategy: _, ...rest } = spec;
  const groups = rest["workerGroupSpecs"];
  const list: readonly Json[] = Array.isArray(groups) ? groups : [];
  return {
    ...rest,
    headGroupSpec: withoutTolerations(rest["headGroupSpec"]),
    workerGroupSpecs: list.slice(0, groupsMax).map((group) => withoutCounts(withoutTolerations(group))),
  };
}

function withoutCounts(group: Json): Json {
  if (!isJsonObject(group)) return group;
  const { replicas: _, minReplicas: __, maxReplicas: ___, scaleStrategy: ____, ...rest } = group;
  return rest;
}

function withoutTolerations(group: Json | undefined): Json {
  if (!isJsonObject(group)) return group ?? null;
  const template = group["template"];
  const spec = isJsonObject(template) ? template["spec"] : undefined;
  if (!isJsonObject(template) || !isJsonObject(spec)) return group;
  const { tolerations: _, schedulingGates: __, ...rest } = spec;
  return { ...group, template: { ...template, spec: rest } };
}
