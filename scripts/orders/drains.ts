import type { Random } from "../../src/base/random.ts";
import type { Lane } from "../../src/sim/lanes.ts";
import type { Span } from "../../src/sim/scenario.ts";
import type { JsonObject } from "../../src/wire/snapshot.ts";
import type { Kubelet } from "../confirm/kubelet.ts";
import { type Plane, pause } from "../confirm/plane.ts";
import type { World } from "../confirm/world.ts";
import { type Drained, drain, podsOn, type Standing, type Turn } from "./drain.ts";
import { cordon, joinLike, nodeNow, removeNode } from "./nodes.ts";

export interface Maintained {
  readonly lane: Lane;
  readonly nodeDown: Span;
  /** For how long a drain is tried before the actor does what it does then; null: for longer than anybody waits here. */
  readonly holdsForMs: number | null;
  /** A drain that is not through by then has stalled. */
  readonly patienceMs: number;
}

/** A pool's maintenance as its actor does it: cordons, new nodes, evictions, force, and what becomes of each node. */
export async function maintain(
  { plane, kubelet }: World,
  { lane: { actor, nodesAtOnce, surgeNodes }, nodeDown, holdsForMs, patienceMs }: Maintained,
  turns: readonly Turn[],
  random: Random,
): Promise<readonly Drained[]> {
  const { closeWhen, surge, afterDrain } = actor;
  if (actor.drain.by === "nobody") return fail(kubelet, turns, between(random, nodeDown));
  const drained: Drained[] = [];
  const shapes = new Map<string, JsonObject>();
  for (const { node } of turns) shapes.set(node, await nodeNow(plane, node));
  const join = async (node: string): Promise<string> => joinLike(plane, shapes.get(node) ?? {});
  const lent: string[] = [];
  for (let count = 0; surge?.when === "before-all" && count < surgeNodes; count += 1)
    lent.push(await join(turns[count % turns.length]?.node ?? ""));
  if (closeWhen === "all") for (const { node } of turns) await cordon(plane, node, true);
  /** Whether the maintenance goes on. */
  const take = async (turn: Turn): Promise<boolean> => {
    const { node } = turn;
    const isLent = lent.includes(node);
    if (surge?.when === "before-each" && !isLent) await join(node);
    await cordon(plane, node, true);
    if (surge?.when === "between") await join(node);
    const joining = surge?.when === "with-drain" ? join(node) : null;
    const done = await drain(plane, turn, { ...actor.drain, holdsForMs, patienceMs }, random);
    await joining;
    drained.push(done);
    if (done.refused.length > 0) return false;
    if (isLent || afterDrain === "replaced" || afterDrain === "removed") {
      await removeNode(plane, node);
      if (isLent || afterDrain === "removed") return true;
      await pause(between(random, nodeDown));
      if (surge === null || surge.when === "before-all") await join(node);
      return true;
    }
    const stops = done.forced.length > 0 && actor.drain.then === "stops-machine";
    if (stops) kubelet.stopMachine(node);
    await pause(between(random, nodeDown));
    if (stops) await kubelet.startMachine(node);
    if (afterDrain !== "stays") await cordon(plane, node, false);
    return true;
  };
  const queue = [...turns, ...(surge?.atEnd === "leave" ? lent.map((node) => ({ node, first: [] })) : [])];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) if (!(await take(next))) queue.length = 0;
  };
  await Promise.all(Array.from({ length: nodesAtOnce }, work));
  return drained;
}

/** Machines that are off without a word, all at once: nobody is asked, and who is on them is not there any more. */
async function fail(kubelet: Kubelet, turns: readonly Turn[], downMs: number): Promise<readonly Drained[]> {
  for (const { node } of turns) kubelet.stopMachine(node);
  await pause(downMs);
  for (const { node } of turns) await kubelet.startMachine(node);
  return turns.map(({ node }) => ({ node, evicted: [], refused: [], forced: [node] }));
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

function between(random: Random, { leastMs, mostMs }: Span): number {
  return leastMs + random.below(mostMs - leastMs);
}
