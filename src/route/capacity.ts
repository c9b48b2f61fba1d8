import { parsePercent } from "../base/percent.ts";
import { scaledValue } from "../model/int-or-percent.ts";
import { matches } from "../model/labels.ts";
import type { ClusterView } from "../model/view.ts";
import type { Endpoint, Hop } from "../systems/endpoint.ts";

/** How many serving units of a role an endpoint wants, and how few it may have. */
export interface RoleFloor {
  /** "" where the endpoint tells no roles apart. */
  readonly role: string;
  readonly desired: number;
  readonly minAvailable: number;
}

/**
 * The floor of each role: desired − 1 but at least 1, or the annotation holdfast.dev/min-available (a number, or a percent
 * of the units rounded up as a budget's).
 */
export function floorsOf(view: ClusterView, endpoint: Endpoint): readonly RoleFloor[] {
  const desired = new Map<string, number>();
  for (const hop of endpoint.hops) {
    if (hop.hop !== "engine" || hop.outside !== "") continue;
    desired.set(hop.role, (desired.get(hop.role) ?? 0) + desiredUnits(view, hop));
  }
  return [...desired].map(([role, units]) => ({ role, desired: units, minAvailable: floor(endpoint, units) }));
}

function floor(endpoint: Endpoint, desired: number): number {
  if (desired === 0) return 0;
  const stated = endpoint.minAvailable === "" ? null : parsePercent(endpoint.minAvailable);
  if (stated === null) return Math.max(1, desired - 1);
  return scaledValue(stated, desired, "up");
}

/** Units as the owner states them; where nobody does, those whose pods exist now. */
export function desiredUnits(view: ClusterView, hop: Hop): number {
  if (hop.desired !== null) return hop.desired;
  if (hop.pods.by === "owner") {
    let sum = 0;
    for (const owner of hop.pods.owners) {
      const spec = view.workload(owner)?.spec;
      if (spec !== undefined && "replicas" in spec) sum += spec.replicas;
      else sum += view.podsOwnedBy(owner).length;
    }
    return sum;
  }
  const { namespace, selector } = hop.pods;
  const labels = [...view.podsIn(namespace)].filter((pod) => matches(selector, pod.template.labels));
  if (hop.unit.kind === "pod") return labels.length;
  const { groupLabel } = hop.unit;
  return new Set(labels.map((pod) => pod.template.labels.get(groupLabel) ?? "")).size;
}

/** Engines of one role stand in for each other; any other hop stands for itself. */
export function standInsOf({ hops }: Endpoint, hop: Hop): readonly Hop[] {
  return hop.hop === "engine" ? hops.filter((other) => other.hop === "engine" && other.role === hop.role) : [hop];
}

/** Ready units over wanted ones, of the poorest role; 1 when nothing is wanted. */
export function capacityOf(endpoint: Endpoint, floors: readonly RoleFloor[], units: (hop: Hop) => number): number {
  let poorest = 1;
  for (const { role, desired } of floors) {
    if (desired === 0) continue;
    let ready = 0;
    for (const hop of endpoint.hops) if (hop.hop === "engine" && hop.role === role) ready += units(hop);
    poorest = Math.min(poorest, ready / desired);
  }
  return poorest;
}
