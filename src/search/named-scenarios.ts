import { unreachable } from "../base/invariant.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Actor } from "../maintenance/actor.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { type Pool, poolsOf } from "../maintenance/pool.ts";
import { recogniseActors } from "../maintenance/recognise.ts";
import type { Cluster } from "../model/cluster.ts";
import { zoneOf } from "../model/node.ts";
import { maintenanceOf } from "../sim/plan-scenario.ts";
import type { PlannedStep } from "../sim/program.ts";
import type { Scenario } from "../sim/scenario.ts";

/** What `check` plays, by the fixed names of its report. */
export type ScenarioKind = "drain-one-node" | "pool-maintenance" | "cordon-all" | "node-failure" | "zone-loss";

export interface NamedScenario {
  /** `drain-one-node/system` */
  readonly name: string;
  readonly kind: ScenarioKind;
  /** False: a what-if, reported and never part of the verdict. */
  readonly partOfVerdict: boolean;
  /** Played one after the other and judged together: the worst counts. */
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly steps: readonly PlannedStep[];
  /** Plays this variant when written to a file. */
  readonly body: Scenario["body"];
}

/** Actor by pool: the one named, else the first whose signs are on the pool's own nodes, else kubectl drain. */
export type ActorOf = (pool: Pool) => Actor;

export function actorOfPools(cluster: Cluster, named: readonly Actor[]): ActorOf {
  return (pool) => {
    const [first] = named;
    if (first !== undefined) return first;
    return recogniseActors({ ...cluster, nodes: pool.nodes })[0]?.actor ?? kubectlDrain;
  };
}

export function namedScenarios(
  cluster: Cluster,
  kinds: readonly ScenarioKind[],
  actorOf: ActorOf,
): readonly NamedScenario[] {
  const pools = poolsOf(cluster.nodes);
  return kinds.flatMap((kind) => {
    if (kind === "zone-loss") return zoneLosses(cluster);
    return pools.map((pool) => ofPool(cluster, kind, pool, actorOf(pool)));
  });
}

function ofPool(cluster: Cluster, kind: Exclude<ScenarioKind, "zone-loss">, pool: Pool, actor: Actor): NamedScenario {
  const names = pool.nodes.map((node) => node.name);
  const name = `${kind}/${pool.name}`;
  switch (kind) {
    case "drain-one-node":
      return {
        name,
        kind,
        partOfVerdict: true,
        variants: pool.nodes.map((node) => maintain(cluster, actor, [node], [node.name])),
      };
    case "pool-maintenance":
      return { name, kind, partOfVerdict: true, variants: [maintain(cluster, actor, pool.nodes, names)] };
    case "cordon-all": {
      // Everything closed and nothing back: the pool is emptied one node after the other.
      const emptied: Actor = {
        ...kubectlDrain,
        order: "any",
        drain: { ...kubectlDrain.drain, flags: ["--force", "--ignore-daemonsets", "--delete-emptydir-data"] },
      };
      return { name, kind, partOfVerdict: false, variants: [maintain(cluster, emptied, pool.nodes, names)] };
    }
    case "node-failure":
      return {
        name,
        kind,
        partOfVerdict: false,
        variants: names.map((node) => steps([{ do: "fail", node }])),
      };
    default:
      return unreachable(kind);
  }
}

function zoneLosses(cluster: Cluster): readonly NamedScenario[] {
  const zones = [...new Set(cluster.nodes.map((node) => zoneOf(node.labels)))].filter((zone) => zone !== "");
  return zones.sort(byCodeUnit).map((zone) => {
    const lost = cluster.nodes.filter((node) => zoneOf(node.labels) === zone);
    return {
      name: `zone-loss/${zone}`,
      kind: "zone-loss",
      partOfVerdict: false,
      variants: [steps(lost.map((node) => ({ do: "fail", node: node.name })))],
    };
  });
}

function maintain(cluster: Cluster, actor: Actor, nodes: Pool["nodes"], names: readonly string[]): Variant {
  return {
    steps: [maintenanceOf(cluster, actor, nodes, "any")],
    body: { kind: "actor", actor: actor.name, nodes: { by: "names", names }, order: "any" },
  };
}

function steps(
  played: Extract<Scenario["body"], { readonly kind: "steps" }>["steps"] & readonly PlannedStep[],
): Variant {
  return { steps: played, body: { kind: "steps", steps: played } };
}
