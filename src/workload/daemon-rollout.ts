import { scaledValue } from "../model/int-or-percent.ts";
import type { NodeView, PodView } from "../model/view.ts";
import { type DaemonPlace, type DaemonState, isDaemonAvailable } from "./daemon-state.ts";

/** What a rollout does now, beside keeping one pod a node. */
export interface DaemonRollout {
  readonly remove: readonly PodView[];
  readonly add: readonly NodeView[];
}

const nothing: DaemonRollout = { remove: [], add: [] };

/** How many pods more or fewer than one a node a rollout may have. Both round up; one must be allowed. */
export function daemonRoom(state: DaemonState): Room {
  let room = rooms.get(state);
  if (room === undefined) {
    room = roomOf(state);
    rooms.set(state, room);
  }
  return room;
}

interface Room {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** A state is looked at once a node. */
const rooms = new WeakMap<DaemonState, Room>();

function roomOf({ spec, places }: DaemonState): Room {
  if (spec.updateStrategy.type === "OnDelete") return { maxSurge: 0, maxUnavailable: 0 };
  const wanted = places.filter(({ verdict }) => verdict === "run").length;
  const maxSurge = scaledValue(spec.updateStrategy.maxSurge, wanted, "up");
  const maxUnavailable = scaledValue(spec.updateStrategy.maxUnavailable, wanted, "up");
  return wanted > 0 && maxSurge === 0 && maxUnavailable === 0
    ? { maxSurge, maxUnavailable: 1 }
    : { maxSurge, maxUnavailable };
}

/**
 * Replaces old pods: without surge by deleting them, up to maxUnavailable nodes at a time, unavailable ones first and
 * beyond the limit; with surge by putting a new pod beside the old one first. Nodes are taken in order; upstream draws.
 * Mirrors: pkg/controller/daemon/update.go rollingUpdate, 1.36.
 */
export function daemonRollout(state: DaemonState): DaemonRollout {
  if (state.spec.updateStrategy.type === "OnDelete" || state.memory.revision === null) return nothing;
  const places = state.places.filter(({ verdict, pods }) => verdict === "run" || pods.length > 0);
  const { maxSurge, maxUnavailable } = daemonRoom(state);
  return maxSurge > 0 ? surging(state, places, maxSurge) : deleting(state, places, maxUnavailable);
}

function deleting(state: DaemonState, places: readonly DaemonPlace[], maxUnavailable: number): DaemonRollout {
  const replaceable: PodView[] = [];
  const candidates: PodView[] = [];
  let unavailable = 0;
  for (const { fresh, old } of places) {
    const [only] = old;
    if (only === undefined || old.length > 1 || fresh.length > 0) {
      const settled = old.length === 0 && fresh.length === 1 && isDaemonAvailable(state, fresh[0]);
      if (!settled) unavailable += 1;
    } else if (!isDaemonAvailable(state, only)) {
      replaceable.push(only);
      unavailable += 1;
    } else if (unavailable < maxUnavailable) candidates.push(only);
  }
  return { remove: [...replaceable, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))], add: [] };
}

function surging(state: DaemonState, places: readonly DaemonPlace[], maxSurge: number): DaemonRollout {
  const remove: PodView[] = [];
  const unwanted: PodView[] = [];
  const replaceable: NodeView[] = [];
  const candidates: NodeView[] = [];
  let surge = 0;
  let available = 0;
  for (const { node, verdict, fresh, old } of places) {
    const [oldPod] = old;
    const [freshPod] = fresh;
    if (old.length > 1 || fresh.length > 1) {
      surge += 1;
      continue;
    }
    if (isDaemonAvailable(state, oldPod ?? freshPod)) available += 1;
    if (oldPod === undefined) continue;
    if (freshPod !== undefined) {
      if (isDaemonAvailable(state, freshPod)) remove.push(oldPod);
      else surge += 1;
    } else if (!isDaemonAvailable(state, oldPod)) {
      if (verdict === "run") replaceable.push(node);
      else remove.push(oldPod);
    } else if (verdict !== "run") unwanted.push(oldPod);
    else if (surge < maxSurge) candidates.push(node);
  }
  const wanted = state.places.filter(({ verdict }) => verdict === "run").length;
  return {
    remove: [...remove, ...unwanted.slice(0, Math.max(0, available - wanted))],
    add: [...replaceable, ...candidates.slice(0, Math.max(0, maxSurge - surge))],
  };
}
