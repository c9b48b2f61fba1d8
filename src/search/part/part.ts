import type { ObjectKey } from "../../model/key.ts";
import type { ClusterView, PodView } from "../../model/view.ts";
import { podsOf } from "../../sim/monitor.ts";
import type { Endpoint, Hop } from "../../systems/endpoint.ts";
import type { Coupling } from "./coupling.ts";

/** Hops of an endpoint that stand or fall together: the endpoint is hurt when one of its parts is, and not else. */
export interface Part {
  /** The endpoint with these hops alone. */
  readonly endpoint: Endpoint;
  /** Groups of coupled pods that this part is about. */
  readonly groups: ReadonlySet<ObjectKey>;
}

/** Null: a hop has no pod now, so that nothing tells what it is coupled with. */
export function partsOf(view: ClusterView, coupling: Coupling, endpoint: Endpoint): readonly Part[] | null {
  const parts: { hops: Hop[]; groups: Set<ObjectKey> }[] = [];
  for (const hop of endpoint.hops) {
    if (hop.outside !== "" || !hop.onPath) continue;
    const groups = new Set(podsOf(view, hop.pods).map((pod) => coupling.groupOf(pod)));
    if (groups.size === 0) return null;
    const joined = { hops: [hop], groups };
    for (const part of parts.filter((other) => isOne(other, joined))) {
      parts.splice(parts.indexOf(part), 1);
      joined.hops = [...part.hops, ...joined.hops];
      for (const group of part.groups) joined.groups.add(group);
    }
    parts.push(joined);
  }
  return parts.map(({ hops, groups }) => ({ endpoint: { ...endpoint, hops }, groups }));
}

/** Engines of one role stand in for each other. */
function isOne(
  a: { readonly hops: readonly Hop[]; readonly groups: ReadonlySet<ObjectKey> },
  b: { readonly hops: readonly Hop[]; readonly groups: ReadonlySet<ObjectKey> },
): boolean {
  if ([...a.groups].some((group) => b.groups.has(group))) return true;
  const roles = new Set(a.hops.flatMap(({ hop, role }) => (hop === "engine" ? [role] : [])));
  return b.hops.some(({ hop, role }) => hop === "engine" && roles.has(role));
}

/** In order of creation. */
export function podsOfPart(coupling: Coupling, { groups }: Part): readonly PodView[] {
  return [...groups].flatMap((group) => coupling.podsOf(group)).sort((a, b) => a.uid - b.uid);
}
