import { unreachable } from "../base/invariant.ts";
import { byCodeUnit } from "../base/ordering.ts";
import type { Actor } from "../maintenance/actor.ts";
import { kubectlDrain } from "../maintenance/actors/kubectl-drain.ts";
import { kubectlDrainInTurn } from "../maintenance/actors/kubectl-drain-in-turn.ts";
import { type LikelyActors, likelyActors } from "../maintenance/likely.ts";
import { type Pool, poolsOf } from "../maintenance/pool.ts";
import { settingOf } from "../maintenance/settings.ts";
import type { Cluster } from "../model/cluster.ts";
import { zoneOf } from "../model/node.ts";
import { maintenanceOf } from "../sim/plan-scenario.ts";
import type { PlannedStep } from "../sim/program.ts";
import type { Scenario } from "../sim/scenario.ts";

/** What `check` plays, by the fixed names of its report. */
export type ScenarioKind =
  | "drain-one-node"
  | "pool-maintenance"
  | "cordon-all"
  | "other-actors"
  | "node-failure"
  | "zone-loss";

export interface NamedScenario {
  /** `drain-one-node/system`; by a further actor of the pool `drain-one-node/system/kured`. */
  readonly name: string;
  readonly kind: ScenarioKind;
  /** Who does just this, the one that is played first; empty: nobody, it happens. */
  readonly actors: readonly Actor[];
  /** The pool it is about; "" for a zone. */
  readonly pool: string;
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

/** Who may take the nodes of a pool away. */
export type ActorsOf = (pool: Pool) => LikelyActors;

/** Those named, else those whose signs are on the pool's own nodes and who else may come, else kubectl drain. */
export function actorsOfPools(cluster: Cluster, named: readonly Actor[]): ActorsOf {
  const known = new Map<Pool, LikelyActors>();
  return (pool) => {
    const likely = known.get(pool) ?? likelyActors(cluster, pool, named);
    known.set(pool, likely);
    return likely;
  };
}

export function likeliest({ sure }: LikelyActors): Actor {
  return sure[0] ?? kubectlDrain;
}

export function namedScenarios(
  cluster: Cluster,
  kinds: readonly ScenarioKind[],
  actorsOf: ActorsOf,
): readonly NamedScenario[] {
  const pools = poolsOf(cluster.nodes);
  return kinds.flatMap((kind) => {
    if (kind === "zone-loss") return zoneLosses(cluster);
    return pools.flatMap((pool) => ofPool(cluster, kind, pool, actorsOf(pool)));
  });
}

function ofPool(
  cluster: Cluster,
  kind: Exclude<ScenarioKind, "zone-loss">,
  pool: Pool,
  { sure, possible }: LikelyActors,
): readonly NamedScenario[] {
  const whole = { cluster, pool, isWhole: true };
  const oneByOne = { cluster, pool, isWhole: false };
  switch (kind) {
    case "drain-one-node":
      return alike(sure, oneByOne).map((actors, index) => byActors(actors, oneByOne, { kind, isFirst: index === 0 }));
    case "pool-maintenance":
      return alike(sure, whole).map((actors, index) => byActors(actors, whole, { kind, isFirst: index === 0 }));
    case "other-actors": {
      const others = [...new Set(possible)].map(
        (actor) => [actor, actor.kind === "maintains" && actor !== kubectlDrainInTurn ? whole : oneByOne] as const,
      );
      return others.flatMap(([actor, over]) => {
        const isKnown = sure.some((one) => doesAsIn(one, over) === doesAsIn(actor, over));
        return isKnown ? [] : [byActors([actor], over, { kind, isFirst: false })];
      });
    }
    case "cordon-all":
    case "node-failure":
      return [whatIf(cluster, kind, pool)];
    default:
      return unreachable(kind);
  }
}

/** Nodes of a pool that are taken: all in one maintenance, or each by itself. */
interface Over {
  readonly cluster: Cluster;
  readonly pool: Pool;
  readonly isWhole: boolean;
}

/** Actors that do the same there, together; the likeliest first. */
function alike(actors: readonly Actor[], over: Over): readonly (readonly Actor[])[] {
  return [...Map.groupBy(actors, (actor) => doesAsIn(actor, over)).values()];
}

/** Two of the same do the same to these nodes. */
function doesAsIn(actor: Actor, { cluster, pool, isWhole }: Over): string {
  const { actor: asSet, held } = settingOf(cluster, pool, actor);
  const { close, marks, surge, usesUp, passesOver, drain, afterDrain, nodeDownMs } = asSet;
  const each = [held, close, marks, surge, usesUp, passesOver, drain, afterDrain, nodeDownMs];
  const { closeWhen, nodesAtOnce, pools, order, onNodeFailure } = asSet;
  const together = [closeWhen, nodesAtOnce, pools, order, onNodeFailure];
  return JSON.stringify(isWhole ? [...each, ...together] : [...each, usesUp.length > 0 ? nodesAtOnce : 1]);
}

function byActors(
  actors: readonly Actor[],
  { cluster, pool, isWhole }: Over,
  { kind, isFirst }: { readonly kind: ScenarioKind; readonly isFirst: boolean },
): NamedScenario {
  const actor = actors[0] ?? kubectlDrain;
  return {
    name: `${kind}/${pool.name}${isFirst ? "" : `/${actor.name}`}`,
    kind,
    actors,
    pool: pool.name,
    partOfVerdict: kind !== "other-actors",
    variants: isWhole
      ? [maintain(cluster, actor, pool.nodes)]
      : pool.nodes.map((node) => maintain(cluster, actor, [node])),
  };
}

function whatIf(cluster: Cluster, kind: "cordon-all" | "node-failure", pool: Pool): NamedScenario {
  const told = { name: `${kind}/${pool.name}`, kind, pool: pool.name, partOfVerdict: false };
  switch (kind) {
    case "cordon-all": {
      // Everything closed and nothing back: the pool is emptied one node after the other.
      const emptied: Actor = {
        ...kubectlDrain,
        order: "any",
        drain: { ...kubectlDrain.drain, flags: ["--force", "--ignore-daemonsets", "--delete-emptydir-data"] },
      };
      return {
        ...told,
        actors: [kubectlDrain],
        variants: [maintain(cluster, emptied, pool.nodes)],
      };
    }
    case "node-failure":
      return {
        ...told,
        actors: [],
        variants: pool.nodes.map(({ name }) => steps([{ do: "fail", node: name }])),
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
      actors: [],
      pool: "",
      partOfVerdict: false,
      variants: [steps(lost.map((node) => ({ do: "fail", node: node.name })))],
    };
  });
}

function maintain(cluster: Cluster, actor: Actor, nodes: Pool["nodes"]): Variant {
  const names = nodes.map(({ name }) => name);
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
