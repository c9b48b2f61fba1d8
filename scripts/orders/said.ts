import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadText } from "../../src/load/from-files.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { type Pool, poolsOf } from "../../src/maintenance/pool.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { answer } from "../../src/search/answer.ts";
import type { Course, Question } from "../../src/search/judge.ts";
import { actorOfPools } from "../../src/search/named-scenarios.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { Endpoint } from "../../src/systems/endpoint.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { leftOut, listPathOf } from "../confirm/load.ts";
import type { Plane } from "../confirm/plane.ts";

/** How long things take on the plane, ms: what is said of it is said of these times. */
export const times = {
  stop: { leastMs: 0, mostMs: 2_500 },
  nodeDown: { leastMs: 500, mostMs: 4_000 },
} as const;

export interface Asked {
  /** The nodes that are maintained, as one pool; null: each pool's. */
  readonly nodes: readonly string[] | null;
  /** How long pods take to be Ready. */
  readonly start: { readonly leastMs: number; readonly mostMs: number };
}

/** A pool as its actor would maintain it, and what the search says of that. */
export interface Said {
  readonly pool: Pool;
  readonly actor: Actor;
  readonly cluster: Cluster;
  readonly safe: readonly Endpoint[];
  readonly hurt: readonly {
    readonly endpoint: Endpoint;
    readonly verdict: "unsafe" | "stalls";
    readonly course: Course;
  }[];
}

/** The plane's cluster as it is now, of the kinds that were loaded. */
export async function clusterNow(plane: Plane, loaded: readonly WireObject[]): Promise<Cluster> {
  const kinds = new Map([
    ...loaded.filter(({ kind }) => !leftOut.has(kind)).map((object) => [listPathOf(object), object] as const),
    ...(["v1 Pod", "apps/v1 ReplicaSet", "policy/v1 PodDisruptionBudget"] as const).map((text) => {
      const [apiVersion = "", kind = ""] = text.split(" ");
      return [listPathOf({ apiVersion, kind }), { apiVersion, kind }] as const;
    }),
  ]);
  const items: JsonObject[] = [];
  for (const [path, { apiVersion, kind }] of kinds) {
    for (const item of await plane.list(path)) items.push({ ...item, apiVersion, kind });
  }
  return buildCluster(loadText(JSON.stringify({ apiVersion: "v1", kind: "List", items }), "plane.json"));
}

/** Of each pool that can be played here: by evictions alone, no new nodes, and every pod's controller is the plane's own. */
export function saidOf(cluster: Cluster, { nodes, start }: Asked): readonly Said[] {
  const actorOf = actorOfPools(cluster, []);
  const { endpoints, supporting } = endpointsOf(cluster);
  const timing = timingOf(cluster, {
    ...noTiming,
    podStart: [{ pattern: "*", span: start }],
    podStop: [{ pattern: "*", span: times.stop }],
    nodeDown: times.nodeDown,
  });
  const watched = endpoints.filter(({ idle, hops }) => !idle && hops.every(({ leaderElected }) => !leaderElected));
  const asked = cluster.nodes.filter(({ name }) => nodes?.includes(name));
  const pools = nodes === null ? poolsOf(cluster.nodes) : [{ name: nodes.join(","), nodes: asked }];
  return pools.flatMap((pool): Said[] => {
    const actor = actorOf(pool);
    if (!isPlayable(cluster, pool, actor)) return [];
    const steps = [maintenanceOf(cluster, actor, pool.nodes, "any")];
    const question: Question = {
      cluster,
      steps,
      endpoints: watched,
      supporting,
      timing,
      states: 100_000,
      horizonMs: 86_400_000,
      choices: [],
    };
    const { endpoints: outcomes } = answer(question).judgement;
    const safe = outcomes
      .filter(({ verdict, now }) => verdict === "safe" && now === "up")
      .map(({ endpoint }) => endpoint);
    const hurt = outcomes.flatMap(({ endpoint, verdict, now, course }) =>
      (verdict === "unsafe" || verdict === "stalls") && now === "up" && course !== null
        ? [{ endpoint, verdict, course }]
        : [],
    );
    return [{ pool, actor, cluster, safe, hurt }];
  });
}

const ownControllers: ReadonlySet<string> = new Set(["ReplicaSet", "StatefulSet", "DaemonSet", "Job"]);

function isPlayable({ pods, workloads }: Cluster, { nodes }: Pool, { drain, surge, afterDrain }: Actor): boolean {
  const names = new Set(nodes.map(({ name }) => name));
  const isOwn = (owner: string | null): boolean => {
    const workload = owner === null ? undefined : workloads.get(owner);
    return workload !== undefined && ownControllers.has(workload.kind) && !isOfGroup(workload.owner);
  };
  return (
    drain.by === "eviction" &&
    surge === null &&
    (afterDrain === "opens" || afterDrain === "reboots" || afterDrain === "stays") &&
    pods.every(({ nodeName, owner }) => !names.has(nodeName) || isOwn(owner))
  );
}

function isOfGroup(owner: string | null): boolean {
  return owner !== null && (owner.startsWith("Pod./") || owner.startsWith("LeaderWorkerSet."));
}
