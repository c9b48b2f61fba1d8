import type { OtherObject } from "../model/cluster.ts";
import type { ObjectRef } from "../model/key.ts";
import { flagValue } from "./engine-arguments.ts";
import { argumentsOf, type Facts, fieldsOf } from "./facts.ts";

/**
 * cluster-proportional-autoscaler, which sets a workload's replicas by the number of nodes and cores, anew every few seconds: what is
 * written at the workload does not stay. Mirrors: its linear and ladder controllers, v1.9.
 */
export interface ProportionalScaler {
  /** Where its parameters are. */
  readonly map: ObjectRef;
  /** The key that they are under; null: the ConfigMap was not seen whole. */
  readonly mode: "linear" | "ladder" | null;
  /** Replicas by so many nodes and cores that take pods, as long as all are counted; null: not known. */
  replicasAt(size: Size): number | null;
}

export interface Size {
  readonly nodes: number;
  readonly milliCpu: number;
}

/** Null: none is seen to set the replicas of this workload. */
export function proportionalScaler(facts: Facts, { kind, namespace, name }: ObjectRef): ProportionalScaler | null {
  for (const part of facts.partsIn(namespace)) {
    const words = argumentsOf(part);
    const targets = flagValue(words, "--target").toLowerCase().split(",");
    const map = flagValue(words, "--configmap");
    if (map === "" || !targets.includes(`${kind}/${name}`.toLowerCase())) continue;
    const found = parametersIn(facts.other("ConfigMap", "", namespace, map));
    // Which nodes it counts is not looked at.
    const replicasAt = flagValue(words, "--nodelabels") === "" ? found.replicasAt : (): null => null;
    return { map: { apiVersion: "v1", kind: "ConfigMap", namespace, name: map }, mode: found.mode, replicasAt };
  }
  return null;
}

function parametersIn(map: OtherObject | undefined): Omit<ProportionalScaler, "map"> {
  const data = map === undefined ? null : fieldsOf(map).object("data");
  const line = data?.text("linear") ?? "";
  if (line !== "") return { mode: "linear", replicasAt: (size) => byLine(line, size) };
  const steps = data?.text("ladder") ?? "";
  if (steps !== "") return { mode: "ladder", replicasAt: (size) => bySteps(steps, size) };
  return { mode: null, replicasAt: () => null };
}

function byLine(parameters: string, { nodes, milliCpu }: Size): number {
  const least = Math.max(1, numberAt(parameters, "min"));
  const most = numberAt(parameters, "max");
  const by = (amount: number, perReplica: number): number => {
    if (perReplica === 0) return 1;
    const wanted = Math.ceil(amount / perReplica);
    return Math.max(least, most === 0 ? wanted : Math.min(most, wanted));
  };
  const byNodes = by(nodes, numberAt(parameters, "nodesPerReplica"));
  const isPair = /"preventSinglePointFailure"\s*:\s*true/.test(parameters) && nodes > 1;
  const byCores = by(Math.ceil(milliCpu / 1000), numberAt(parameters, "coresPerReplica"));
  return Math.max(byCores, isPair ? Math.max(2, byNodes) : byNodes);
}

function bySteps(parameters: string, { nodes, milliCpu }: Size): number {
  const by = (name: string, amount: number): number => {
    const [list = ""] = (parameters.split(`"${name}"`)[1] ?? "").split('"');
    const known = [...list.matchAll(/\[\s*(\d+)\s*,\s*(\d+)\s*\]/g)].map(([, from, replicas]) => ({
      from: Number(from),
      replicas: Number(replicas),
    }));
    const sorted = known.sort((a, b) => a.from - b.from);
    return (sorted.findLast(({ from }) => from <= amount) ?? sorted[0])?.replicas ?? 1;
  };
  const byCores = by("coresToReplicas", Math.ceil(milliCpu / 1000));
  return Math.max(byCores, by("nodesToReplicas", nodes));
}

/** Parameters are JSON of numbers; 0: not stated. */
function numberAt(parameters: string, name: string): number {
  return Number(new RegExp(`"${name}"\\s*:\\s*(\\d+(?:\\.\\d+)?)`).exec(parameters)?.[1] ?? 0);
}
