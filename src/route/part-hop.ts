import { invariant } from "../base/invariant.ts";
import type { ObjectKey, ObjectRef } from "../model/key.ts";
import { groupNameLabel, matches } from "../model/labels.ts";
import { autoscaledKnobs } from "../systems/autoscaling.ts";
import type { Hop, PodSet } from "../systems/endpoint.ts";
import { electsLeader } from "../systems/engine-arguments.ts";
import { type Facts, type Part, replicasOf, selectorOf } from "../systems/facts.ts";
import { outsideKnobs } from "../systems/knobs.ts";
import { ruleFor } from "../systems/registry.ts";
import { isNeeded, type Need, type Stage } from "../systems/system.ts";

const groupLabel = "leaderworkerset.sigs.k8s.io/group-index";

interface Place {
  readonly hop: string;
  readonly role: string;
  readonly need: Need;
  /** `namespace/name` of the Service that carries the traffic; null: pods are looked at themselves. */
  readonly service: string | null;
}

/** A workload as a hop. What it is called comes from the rule that knows it, unless it stands in another place here. */
export function partHop(facts: Facts, part: Part, place: Place): Hop {
  const rule = ruleFor(part);
  const { workload } = part;
  return {
    hop: place.hop,
    component: rule.hop === place.hop ? rule.component : titleOf(place.hop),
    onPath: true,
    ...neededOf(place.need),
    ref: workload.ref,
    owner: rule.owner(part, facts),
    pods: podsOf(facts, part),
    service: place.service,
    role: place.role,
    unit: unitOf(part),
    desired: replicasOf(workload) ?? (workload.kind === "Other" ? part.pods.length : null),
    outside: "",
    leaderElected: place.hop === "picker" && electsLeader(part),
    knobs: autoscaledKnobs(facts, part, rule.knobs(part, facts)),
  };
}

/** Several workloads whose pods are units together: called and changed as the first of them. */
export function partsHop(facts: Facts, stage: Extract<Stage, { by: "parts" }>): Hop {
  const { parts, ref, unit, desired, hop, role, needed } = stage;
  const hops = parts.map((part) => partHop(facts, part, { hop, role, need: needed, service: null }));
  const [first] = hops;
  invariant(first !== undefined, "units are of some workload");
  return { ...first, ref, unit, desired, pods: { by: "owner", owners: parts.map(({ workload }) => workload.key) } };
}

export function neededOf({ needed, outlivedMs, because }: Need): Pick<Hop, "needed" | "outlivedMs" | "neededBecause"> {
  return { needed, outlivedMs: outlivedMs ?? null, neededBecause: because };
}

/** Something on the path that no pod of this cluster is. */
export function outsideHop(options: {
  readonly hop: string;
  readonly component: string;
  readonly ref: ObjectRef;
  readonly outside: string;
  readonly service: string | null;
}): Hop {
  const { hop, component, ref, outside, service } = options;
  return {
    hop,
    component,
    onPath: true,
    ...neededOf(isNeeded),
    ref,
    owner: null,
    pods: { by: "owner", owners: [] },
    service,
    role: "",
    unit: { kind: "pod" },
    desired: null,
    outside,
    leaderElected: false,
    knobs: outsideKnobs(outside),
  };
}

/**
 * By owner, but groups by label, because their workers descend from pods; and by the workload's own selector where what
 * stands between it and its pods was not read.
 */
export function podsOf(facts: Facts, part: Part): PodSet {
  const { workload } = part;
  const { namespace, name } = workload.ref;
  if (workload.kind === "LeaderWorkerSet")
    return { by: "selector", namespace, selector: selectorOf(new Map([[groupNameLabel, name]])) };
  // A bare pod stands for itself: its labels are all there is to know it by.
  if (workload.kind === "Other" && workload.ref.kind === "Pod" && workload.labels.size > 0)
    return { by: "selector", namespace, selector: selectorOf(workload.labels) };
  const cut = part.pods.some((pod) => isNotRead(facts, pod.owner));
  if (cut && "selector" in workload) return { by: "selector", namespace, selector: workload.selector };
  return { by: "owner", owners: [workload.key] };
}

function isNotRead(facts: Facts, owner: ObjectKey | null): boolean {
  const workload = owner === null ? undefined : facts.cluster.workloads.get(owner);
  return workload?.kind === "Other" && !workload.present;
}

function unitOf({ workload }: Part): Hop["unit"] {
  return workload.kind === "LeaderWorkerSet" && workload.size > 1
    ? { kind: "group", groupLabel, size: workload.size }
    : { kind: "pod" };
}

/** The Service that selects the part's pods and carries its traffic: with cluster addresses, first by name; "" none. */
export function serviceOf(facts: Facts, part: Part): string | null {
  const labels = part.template?.labels;
  if (labels === undefined) return null;
  const found = facts.services.find(
    ({ ref, selector, headless }) =>
      ref.namespace === part.workload.ref.namespace &&
      !headless &&
      selector !== null &&
      selector.size > 0 &&
      matches(selectorOf(selector), labels),
  );
  return found === undefined ? null : `${found.ref.namespace}/${found.ref.name}`;
}

function titleOf(hop: string): string {
  const titles: { readonly [hop: string]: string } = {
    dns: "Cluster DNS",
    engine: "Engine",
    gateway: "Gateway proxy",
    picker: "Endpoint picker",
    waypoint: "Waypoint proxy",
    webhook: "Admission webhook",
  };
  return titles[hop] ?? `${hop.charAt(0).toUpperCase()}${hop.slice(1)}`;
}
