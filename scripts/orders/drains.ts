import type { Random } from "../../src/base/random.ts";
import type { Actor } from "../../src/maintenance/actor.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "../confirm/plane.ts";
import { times } from "./said.ts";

/** A refused eviction is asked again after this. */
const retryMs = 400;
/** A drain that is not through by then has stalled: nothing here takes so long. */
const patienceMs = 45_000;

export interface Drained {
  readonly node: string;
  /** Pods in the order in which their evictions were accepted. */
  readonly evicted: readonly string[];
  /** Pods that were still refused when patience ended; empty: it is through. */
  readonly refused: readonly string[];
}

export interface Turn {
  readonly node: string;
  /** Pods that are asked before the others, in this order; empty: all at once, by chance. */
  readonly first: readonly string[];
}

/** Real cordons and evictions, node by node as the actor does it, each node's pods all at once. */
export async function maintain(
  plane: Plane,
  actor: Actor,
  turns: readonly Turn[],
  random: Random,
): Promise<readonly Drained[]> {
  const drained: Drained[] = [];
  if (actor.closeWhen === "all") for (const { node } of turns) await cordon(plane, node, true);
  for (const turn of turns) {
    await cordon(plane, turn.node, true);
    const done = await drain(plane, turn, random);
    drained.push(done);
    if (done.refused.length > 0) break;
    await pause(between(random, times.nodeDown));
    if (actor.afterDrain !== "stays") await cordon(plane, turn.node, false);
  }
  return drained;
}

/** Pods of one owner that came to stand on one node are put on two again, as far as others may take them: one of each goes. */
export async function spreadOut(plane: Plane, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) {
    const crowded = new Map<string, Standing>();
    const seen = new Set<string>();
    for (const pod of await podsOn(plane, node)) {
      if (!pod.isDaemon && seen.has(pod.owner)) crowded.set(pod.owner, pod);
      seen.add(pod.owner);
    }
    if (crowded.size === 0) continue;
    await cordon(plane, node, true);
    for (const { path } of crowded.values()) await plane.call("DELETE", path);
    await pause(5_000);
    await cordon(plane, node, false);
  }
}

/** Opens every node again. */
export async function openAll(plane: Plane, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) await cordon(plane, node, false);
}

async function cordon(plane: Plane, node: string, closed: boolean): Promise<void> {
  const spec = { unschedulable: closed ? true : null };
  await plane.call("PATCH", `/api/v1/nodes/${node}`, { spec }, "application/merge-patch+json");
}

async function drain(plane: Plane, { node, first }: Turn, random: Random): Promise<Drained> {
  const pods = (await podsOn(plane, node)).filter(({ isDaemon }) => !isDaemon);
  const rank = (name: string): number => first.indexOf(name) + 1 || first.length + 1 + random.next();
  const asked = pods.map((pod) => ({ ...pod, at: rank(pod.name) })).sort((a, b) => a.at - b.at);
  const evicted: string[] = [];
  const refused = new Set<string>();
  const until = Date.now() + patienceMs;
  const evictUntilGone = async ({ path, name, uid }: Standing): Promise<void> => {
    for (; Date.now() < until; await pause(retryMs * (0.5 + random.next()))) {
      const { status } = await plane.call("POST", `${path}/eviction`, evictionOf(path, uid));
      if (status === 404 || status === 409) return;
      if (status === 201) {
        evicted.push(name);
        refused.delete(name);
        for (; Date.now() < until; await pause(150)) if (!(await isThere(plane, path, uid))) return;
      } else refused.add(name);
    }
  };
  const under: Promise<void>[] = [];
  for (const pod of asked) {
    under.push(evictUntilGone(pod));
    // Where an order is asked for, one is answered before the next is asked.
    await pause(first.includes(pod.name) ? 300 : random.below(25));
  }
  await Promise.all(under);
  return { node, evicted, refused: [...refused] };
}

interface Standing {
  readonly path: string;
  readonly name: string;
  readonly uid: string;
}

interface OnNode extends Standing {
  readonly isDaemon: boolean;
  readonly owner: string;
}

async function podsOn(plane: Plane, node: string): Promise<readonly OnNode[]> {
  const pods = await plane.list(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
  return pods.flatMap(({ metadata }) => {
    if (!isJsonObject(metadata)) return [];
    const [namespace, name] = [String(metadata["namespace"]), String(metadata["name"])];
    const listed = metadata["ownerReferences"];
    const owners = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
    const isDaemon = owners.some(({ kind }) => kind === "DaemonSet");
    const owner = String(owners[0]?.["uid"] ?? name);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    return [{ path, name: `${namespace}/${name}`, uid: String(metadata["uid"]), isDaemon, owner }];
  });
}

function evictionOf(path: string, uid: string): JsonObject {
  const [, , , , namespace = "", , name = ""] = path.split("/");
  return {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  };
}

async function isThere(plane: Plane, path: string, uid: string): Promise<boolean> {
  const { status, body } = await plane.call("GET", path);
  const metadata = body["metadata"];
  return status === 200 && isJsonObject(metadata) && metadata["uid"] === uid;
}

function between(random: Random, { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number }): number {
  return leastMs + random.below(mostMs - leastMs);
}
