import { unreachable } from "../base/invariant.ts";
import { laneOf, type Post } from "./maintenance-lanes.ts";
import type { MaintenanceOptions } from "./maintenance-options.ts";
import { type MaintenanceState, type NodeRun, withRun } from "./maintenance-state.ts";
import { joinLike } from "./new-nodes.ts";
import { openNode } from "./node-closing.ts";
import type { World } from "./world.ts";

/** Its drain is over: what the actor does with the node. */
export function afterDrain(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  const { world, node } = post;
  const { actor } = post.lane;
  const isSurge = state.joined.has(node);
  const done = withRun(state, node, { ...run, phase: "done", pods: new Map() });
  const after = isSurge ? "removed" : actor.afterDrain;
  switch (after) {
    case "stays":
      return done;
    case "opens":
      if (actor.nodeDownMs > 0) return comesBack(post, state, run, actor.nodeDownMs);
      openNode(world, node, actor);
      return done;
    case "reboots":
      return restart(post, state, run);
    case "reboots-together":
      return withRun(state, node, { ...run, phase: "drained", pods: new Map() });
    case "removed":
      world.removeNode(node, actor.name);
      return done;
    case "replaced": {
      world.removeNode(node, actor.name);
      return run.replacement === "none" ? comesBack(post, state, run, downMs(post)) : done;
    }
    case "off":
      world.nodeDown(node, actor.title);
      return done;
    case "lost":
      world.nodeDown(node, actor.title);
      return comesBack(post, state, run, actor.nodeDownMs);
    default:
      return unreachable(after);
  }
}

export function restart(post: Post, state: MaintenanceState, run: NodeRun): MaintenanceState {
  post.world.nodeDown(post.node, `${post.lane.actor.title} restarts the machine`);
  return comesBack(post, state, run, downMs(post));
}

function comesBack({ world, node }: Post, state: MaintenanceState, run: NodeRun, inMs: number): MaintenanceState {
  world.setAlarm(world.ledger.nowMs + inMs, { kind: "program", timer: { what: "node-back", node } });
  return withRun(state, node, { ...run, phase: "down", pods: new Map() });
}

function downMs({ world, lane }: Post): number {
  return world.timing.scenario.nodeDown?.mostMs ?? lane.actor.nodeDownMs;
}

export function nodeBack(
  world: World,
  state: MaintenanceState,
  options: MaintenanceOptions,
  node: string,
): MaintenanceState {
  const run = state.runs.get(node);
  if (run === undefined || run.phase !== "down") return state;
  const at = laneOf(state, options, node);
  const { actor, like } = at.lane;
  const done = withRun(state, node, { ...run, phase: "done" });
  switch (actor.afterDrain) {
    case "replaced": {
      const old = like.get(node);
      return old === undefined ? done : joinLike(world, done, old, at);
    }
    case "lost":
      world.removeNode(node, actor.name);
      return done;
    default:
      world.nodeUp(node);
      openNode(world, node, actor);
      return done;
  }
}
