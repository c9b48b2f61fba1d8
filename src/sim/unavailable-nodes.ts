import { underKey } from "../base/under-key.ts";
import type { ClusterView } from "../model/view.ts";
import type { Lane } from "./lanes.ts";
import { isUnavailable } from "./node-closing.ts";

/** Members of a lane that use up what its actor may take at once, whoever works on them. Asked at every step of a maintenance. */
export function unavailableNodes(view: ClusterView, lane: Lane): ReadonlySet<string> {
  const byView = underKey(known, lane, () => new WeakMap<ClusterView, Seen>());
  const seen = underKey(byView, view, () => ({
    members: new Set(lane.members),
    found: new Set<string>(),
    touches: -1,
  }));
  const { touches } = view;
  if (seen.touches === touches) return seen.found;
  const touched = view.touchedSince(seen.touches)?.map(({ name }) => name) ?? lane.members;
  for (const name of touched) {
    const node = view.node(name);
    if (node !== undefined && seen.members.has(name) && isUnavailable(node, lane.actor.usesUp)) seen.found.add(name);
    else seen.found.delete(name);
  }
  seen.touches = touches;
  return seen.found;
}

interface Seen {
  readonly members: ReadonlySet<string>;
  readonly found: Set<string>;
  /** The view's when it was looked at last; those touched since may be others. */
  touches: number;
}

const known = new WeakMap<Lane, WeakMap<ClusterView, Seen>>();
