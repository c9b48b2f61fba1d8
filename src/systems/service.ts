import { objectKey } from "../model/key.ts";
import type { Service } from "../model/policy.ts";
import { runsEngine, servedModel, usesAccelerator } from "./engine-arguments.ts";
import type { Facts, Part } from "./facts.ts";
import { engineStages } from "./pool-entry.ts";
import { isRouted } from "./route-kind.ts";
import { type Claims, type Entry, entryOf, type System } from "./system.ts";

export const endpointAnnotation = "holdfast.dev/endpoint";

/**
 * Whatever no other system claims: a Service in front of a model server, known by its image or its accelerators, or one a
 * person has marked.
 */
export const service: System = {
  name: "service",
  title: "Plain Service",
  about:
    "A Service or workload annotated holdfast.dev/endpoint (its value is the endpoint's name; `false` takes one out), or one that selects " +
    "pods running a known model server or asking for accelerators, unless another system already serves from them.",
  gateways: [],
  parts: [],
  entries: (facts, claimed) => {
    const taken = new Set<string>();
    const marked = facts.parts.filter(({ workload }) => isMark(workload.annotations.get(endpointAnnotation)));
    for (const { workload } of marked) taken.add(workload.key);
    const services = facts.services.flatMap((candidate) => {
      const parts = facts.selectedBy(candidate);
      const mark = candidate.annotations.get(endpointAnnotation);
      if (mark === "false") return [];
      if (mark === undefined && !looksLikeModel(facts, candidate, { parts, claimed, taken })) return [];
      for (const part of parts) taken.add(part.workload.key);
      return [serviceEntry(candidate, parts, mark ?? "")];
    });
    return [...services, ...marked.map((part) => workloadEntry(facts, part))];
  },
};

/** `false` takes an object out, anything else marks it. */
function isMark(mark: string | undefined): boolean {
  return mark !== undefined && mark !== "false";
}

/** A workload a person marked: whatever Services select it lead there. */
function workloadEntry(facts: Facts, part: Part): Entry {
  const mark = part.workload.annotations.get(endpointAnnotation) ?? "";
  const ways = facts.services.filter((candidate) => facts.selectedBy(candidate).includes(part));
  return {
    ...entryOf({ ref: part.workload.ref, annotations: part.workload.annotations }),
    name: mark === "" || mark === "true" ? part.workload.ref.name : mark,
    model: servedModel([part]),
    backends: ways.map(({ ref }) => objectKey(ref)),
    stages: engineStages([part]),
  };
}

interface Behind {
  readonly parts: readonly Part[];
  readonly claimed: Claims;
  readonly taken: ReadonlySet<string>;
}

function looksLikeModel(facts: Facts, candidate: Service, { parts, claimed, taken }: Behind): boolean {
  const key = objectKey(candidate.ref);
  if (claimed.objects.has(key) || parts.length === 0) return false;
  const isWayIn = isRouted(facts, key);
  // Else discovery among the pods of a group.
  if (candidate.headless && !isWayIn) return false;
  if (parts.some(({ workload }) => claimed.workloads.has(workload.key) || taken.has(workload.key))) return false;
  // What runs on every node with accelerators is mostly there for these.
  return parts.every(
    (part) => runsEngine(part) || (usesAccelerator(part) && (part.workload.kind !== "DaemonSet" || isWayIn)),
  );
}

function serviceEntry(candidate: Service, parts: readonly Part[], mark: string): Entry {
  const named = mark !== "" && mark !== "true";
  return {
    ...entryOf(candidate),
    name: named ? mark : candidate.ref.name,
    model: servedModel(parts),
    backends: [objectKey(candidate.ref)],
    stages: engineStages(parts),
  };
}
