import type { ObjectRef } from "../model/key.ts";
import type { Part } from "./facts.ts";
import type { Stage } from "./system.ts";

const groupLabel = "grove.io/podcliquescalinggroup";
const replicaLabel = "grove.io/podcliquescalinggroup-replica-index";

type PartStage = Extract<Stage, { by: "part" }>;

/**
 * Stages of parts, those of one of Grove's scaling groups as one: its replica is a unit over several PodCliques (leader and
 * workers of an engine on several nodes), and serves when all its pods do.
 * Mirrors: Grove's labels as of 2026-08; cliques carry them on to their pods.
 */
export function stagesOf(parts: readonly Part[], stageOf: (part: Part) => PartStage): readonly Stage[] {
  const stages = new Map<string, Stage>();
  for (const [name, members] of Map.groupBy(parts, nameOf)) {
    const [first] = members;
    if (first === undefined) continue;
    const size = sizeOf(members);
    const stage = stageOf(first);
    if (members.length > 1 && size > 1) stages.set(name, { ...unitsOf(members, size), ...placeOf(stage) });
    else for (const part of members) stages.set(part.workload.key, stageOf(part));
  }
  return [...stages.values()];
}

function placeOf({ hop, role, needed }: PartStage): Pick<PartStage, "hop" | "role" | "needed"> {
  return { hop, role, needed };
}

function nameOf({ labels, workload }: Part): string {
  const group = labels.get(groupLabel);
  return group === undefined ? workload.key : `${groupLabel}/${workload.ref.namespace}/${group}`;
}

/** Pods of one replica: of the largest, should others not be whole. */
function sizeOf(parts: readonly Part[]): number {
  const replicas = Map.groupBy(parts, ({ labels }) => labels.get(replicaLabel) ?? "");
  return Math.max(...[...replicas.values()].map((cliques) => cliques.reduce((sum, part) => sum + wanted(part), 0)));
}

function wanted({ workload, pods }: Part): number {
  return (workload.kind === "Other" ? workload.scaleReplicas : null) ?? pods.length;
}

function unitsOf(
  parts: readonly Part[],
  size: number,
): Omit<Extract<Stage, { by: "parts" }>, "hop" | "role" | "needed"> {
  const [first] = parts;
  const ref: ObjectRef = {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueScalingGroup",
    namespace: first?.workload.ref.namespace ?? "",
    name: first?.labels.get(groupLabel) ?? "",
  };
  const desired = new Set(parts.map(({ labels }) => labels.get(replicaLabel))).size;
  return { by: "parts", parts, ref, desired, unit: { kind: "group", groupLabel: replicaLabel, size } };
}
