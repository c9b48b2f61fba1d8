import { noTiming } from "../../src/cli/timing-fields.ts";
import { loadText } from "../../src/load/from-files.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { type Pool, poolsOf } from "../../src/maintenance/pool.ts";
import { actorNamed } from "../../src/maintenance/registry.ts";
import { buildCluster } from "../../src/model/build.ts";
import type { Cluster } from "../../src/model/cluster.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { answer } from "../../src/search/answer.ts";
import type { Course, Question } from "../../src/search/judge.ts";
import { actorsOfPools, likeliest } from "../../src/search/named-scenarios.ts";
import { type Lane, lanesOf } from "../../src/sim/lanes.ts";
import { maintenanceOf } from "../../src/sim/plan-scenario.ts";
import type { Span } from "../../src/sim/scenario.ts";
import { timingOf } from "../../src/sim/timing.ts";
import type { Endpoint } from "../../src/systems/endpoint.ts";
import type { JsonObject, WireObject } from "../../src/wire/snapshot.ts";
import { leftOut, listPathOf } from "../confirm/load.ts";
import type { Plane } from "../confirm/plane.ts";
import { webhookKinds } from "../confirm/webhooks.ts";
import { retryMs } from "./drain.ts";

export interface Asked {
  /** The nodes that are maintained, as one pool; null: each pool's. */
  readonly nodes: readonly string[] | null;
  /** The actor that maintains them; "": the one that is recognised. */
  readonly actor: string;
  /** How long pods take to be Ready. */
  readonly start: Span;
  /** How long they take to be gone: the stand-in for their kubelet takes a second or two. */
  readonly stop: Span;
  /** How long a node is away. */
  readonly nodeDown: Span;
  /** Instead of the actor's own limit of a drain, an hour or so; null: no drain comes to it. */
  readonly drainTimeoutMs: number | null;
}

/** Of a course, what is played of it. */
export type Shown = Pick<Course, "timeline" | "choices">;

/** A pool as its actor would maintain it, and what the search says of that. */
export interface Said {
  readonly pool: Pool;
  readonly actor: Actor;
  readonly lane: Lane;
  readonly safe: readonly Endpoint[];
  readonly hurt: readonly {
    readonly endpoint: Endpoint;
    readonly verdict: "unsafe" | "stalls";
    readonly course: Shown;
  }[];
}

/** The plane's cluster as it is now, of the kinds that were loaded. */
export async function objectsNow(plane: Plane, loaded: readonly WireObject[]): Promise<readonly JsonObject[]> {
  const kinds = new Map([
    ...loaded.filter(({ kind }) => !leftOut.has(kind)).map((object) => [listPathOf(object), object] as const),
    ...(["v1 Pod", "apps/v1 ReplicaSet", "apps/v1 StatefulSet", "policy/v1 PodDisruptionBudget"] as const).map(
      (text) => {
        const [apiVersion = "", kind = ""] = text.split(" ");
        return [listPathOf({ apiVersion, kind }), { apiVersion, kind }] as const;
      },
    ),
  ]);
  // Those on the plane are stood in for.
  const items: JsonObject[] = loaded.filter(({ kind }) => webhookKinds.has(kind));
  for (const [path, { apiVersion, kind }] of kinds) {
    for (const item of await plane.list(path)) items.push({ ...item, apiVersion, kind });
  }
  return items;
}

export function clusterOf(items: readonly JsonObject[]): Cluster {
  return buildCluster(loadText(JSON.stringify({ apiVersion: "v1", kind: "List", items }), "plane.json"));
}

export function poolsAsked(cluster: Cluster, { nodes }: Asked): readonly Pool[] {
  if (nodes === null) return poolsOf(cluster.nodes);
  return [{ name: nodes.join(","), nodes: cluster.nodes.filter(({ name }) => nodes.includes(name)) }];
}

/** Null: it can't be played here, where nodes are emptied by evictions or fail, and not every controller is there. */
export function saidOf(
  cluster: Cluster,
  pool: Pool,
  { actor: named, start, stop, nodeDown, drainTimeoutMs }: Asked,
): Said | null {
  const actorsOf = actorsOfPools(
    cluster,
    [named].flatMap((name) => actorNamed(name) ?? []),
  );
  const actor = likeliest(actorsOf(pool));
  const [lane, ...others] = lanesOf(cluster, actor, pool.nodes, "any");
  if (lane === undefined || others.length > 0 || !isPlayable(cluster, pool, lane)) return null;
  const { endpoints, supporting } = endpointsOf(cluster);
  const timing = timingOf(cluster, {
    ...noTiming,
    podStart: [{ pattern: "*", span: start }],
    podStop: [{ pattern: "*", span: stop }],
    nodeDown,
    drainTimeoutMs,
    retryMs,
  });
  const question: Question = {
    cluster,
    steps: [maintenanceOf(cluster, actor, pool.nodes, "any")],
    endpoints: endpoints.filter(({ idle }) => !idle),
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
      ? [{ endpoint, verdict, course: { timeline: course.timeline, choices: course.choices } }]
      : [],
  );
  return { pool, actor, lane, safe, hurt };
}

const controllers: ReadonlySet<string> = new Set(["ReplicaSet", "StatefulSet", "DaemonSet", "Job", "LeaderWorkerSet"]);
const failures: ReadonlySet<string> = new Set(["node-failure", "zone-loss"]);
const playedEnds: ReadonlySet<string> = new Set(["opens", "reboots", "stays", "replaced", "removed", "off"]);

function isPlayable({ pods, workloads }: Cluster, { nodes }: Pool, { actor }: Lane): boolean {
  const names = new Set(nodes.map(({ name }) => name));
  const isOwn = (owner: string | null): boolean => {
    const workload = owner === null ? undefined : workloads.get(owner);
    return workload !== undefined && controllers.has(workload.kind);
  };
  return (
    (actor.drain.by === "eviction" || failures.has(actor.name)) &&
    playedEnds.has(actor.afterDrain) &&
    pods.every(({ nodeName, owner }) => !names.has(nodeName) || isOwn(owner))
  );
}
