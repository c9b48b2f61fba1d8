import type { Random } from "../../src/base/random.ts";
import type { Drain } from "../../src/maintenance/actor.ts";
import { isJsonObject } from "../../src/wire/fields.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import { type Plane, pause } from "../confirm/plane.ts";

/** A refused eviction is asked again after this. */
export const retryMs = 400;

export interface Drained {
  readonly node: string;
  /** Pods in the order in which their evictions were accepted. */
  readonly evicted: readonly string[];
  /** Pods that were still refused when the drain ended with them there; empty: it is through. */
  readonly refused: readonly string[];
  /** Pods that were there when the actor's limit was over, and went by force; of a machine that failed, the machine. */
  readonly forced: readonly string[];
}

export interface Turn {
  readonly node: string;
  /** Pods that are asked before the others, in this order; empty: all at once, by chance. */
  readonly first: readonly string[];
}

/** Real evictions of all of a node's pods at once, for as long as the actor asks; then what it does to those that are left. */
export async function drain(
  plane: Plane,
  { node, first }: Turn,
  { holdsForMs, then, deleteGraceMs, patienceMs }: Drain & { readonly patienceMs: number },
  random: Random,
): Promise<Drained> {
  const pods = (await podsOn(plane, node)).filter(({ isDaemon }) => !isDaemon);
  const rank = (name: string): number => first.indexOf(name) + 1 || first.length + 1 + random.next();
  const asked = pods.map((pod) => ({ ...pod, at: rank(pod.name) })).sort((a, b) => a.at - b.at);
  const evicted: string[] = [];
  const refused = new Set<string>();
  const until = Date.now() + (holdsForMs ?? patienceMs);
  const evictUntilGone = async ({ path, name, uid }: Standing): Promise<void> => {
    for (; Date.now() < until; await pause(retryMs * (0.5 + random.next()))) {
      const { status } = await plane.call("POST", `${path}/eviction`, evictionOf(path, uid));
      // Whether it is gone, or another of its name stands there, elsewhere: it waits for nothing any more.
      if (status === 404 || status === 409) {
        refused.delete(name);
        return;
      }
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
  const isForced = holdsForMs !== null && (then === "deletes" || then === "stops-machine");
  if (!isForced) return { node, evicted, refused: [...refused], forced: [] };
  const left = pods.filter(({ name }) => refused.has(name));
  if (then === "deletes") await Promise.all(left.map((pod) => deleted(plane, pod, deleteGraceMs)));
  return { node, evicted, refused: [], forced: left.map(({ name }) => name) };
}

async function deleted(plane: Plane, { path, uid }: Standing, graceMs: number | null): Promise<void> {
  const grace = graceMs === null ? {} : { gracePeriodSeconds: Math.ceil(graceMs / 1000) };
  await plane.call("DELETE", path, { ...grace, preconditions: { uid } });
  for (const until = Date.now() + 20_000; Date.now() < until; await pause(150))
    if (!(await isThere(plane, path, uid))) return;
}

export interface Standing {
  readonly path: string;
  readonly name: string;
  readonly uid: string;
}

interface OnNode extends Standing {
  readonly isDaemon: boolean;
  readonly owner: string;
}

export async function podsOn(plane: Plane, node: string): Promise<readonly OnNode[]> {
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
