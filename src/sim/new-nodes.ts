import { type Node, zoneOf } from "../model/node.ts";
import type { NodeView } from "../model/view.ts";
import type { Lane } from "./lanes.ts";
import { type MaintenanceState, type NodeRun, withRun } from "./maintenance-state.ts";
import { freshNode } from "./node-closing.ts";
import type { ProgramTimer, World } from "./world.ts";

/** The new node for this one is on its way. */
export function orderNode(world: World, state: MaintenanceState, { actor }: Lane, node: string): MaintenanceState {
  const { nowMs } = world.ledger;
  const timer: ProgramTimer = { what: "node-joins", node };
  world.setAlarm(nowMs + (actor.surge?.joinMs ?? 0), { kind: "program", timer });
  const run: NodeRun = {
    phase: "joining",
    fromMs: nowMs,
    pods: new Map(),
    replacement: "coming",
    outcome: null,
    heldBy: [],
  };
  return withRun(state, node, run);
}

/** A new node of the old one's shape joins under the pool's next name, `<pool>-~n`. */
export function joinLike(
  world: World,
  state: MaintenanceState,
  old: Node,
  at: { readonly lane: Lane; readonly index: number },
): MaintenanceState {
  const { lane, index } = at;
  let number = 1;
  const isTaken = (name: string): boolean => state.joined.has(name) || world.ledger.node(name) !== undefined;
  while (isTaken(`${lane.pool}-~${number}`)) number += 1;
  const name = `${lane.pool}-~${number}`;
  world.addNode(freshNode(old, name, lane.actor), lane.actor.name);
  noteMissing(world, old);
  return { ...state, joined: new Map([...state.joined, [name, index]]) };
}

/** So many new nodes at once, over the zones of the pool in turn. */
export function joinSurge(
  world: World,
  state: MaintenanceState,
  at: { readonly lane: Lane; readonly index: number },
): MaintenanceState {
  const { lane } = at;
  const likes = zoneByZone(lane.members.flatMap((name) => world.ledger.node(name) ?? []));
  let next = state;
  for (let count = 0; count < lane.surgeNodes; count += 1) {
    const like = likes[count % likes.length];
    if (like !== undefined) next = joinLike(world, next, like.node, at);
  }
  return next;
}

/** The first node of each zone, then the second of each, … */
function zoneByZone(nodes: readonly NodeView[]): readonly NodeView[] {
  const seen = new Map<string, number>();
  const ranked = nodes.map((view) => {
    const zone = zoneOf(view.node.labels);
    const rank = seen.get(zone) ?? 0;
    seen.set(zone, rank + 1);
    return { view, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ view }) => view);
}

/** Devices of a new node are published by its drivers, which nothing here plays. */
function noteMissing(world: World, old: Node): void {
  const hasDevices = world.ledger.cluster.devices.slices.some(({ nodeName }) => nodeName === old.name);
  if (!hasDevices) return;
  world.missing(
    "devices of nodes that join during the maintenance",
    "their ResourceSlices are not in the input: pods with device claims find none there",
  );
}
