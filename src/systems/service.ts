import { objectKey } from "../model/key.ts";
import type { Service } from "../model/policy.ts";
import { runsEngine, servedModel, usesAccelerator } from "./engine-arguments.ts";
import type { Part } from "./facts.ts";
import { engineStages } from "./pool-entry.ts";
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
    "A Service annotated holdfast.dev/endpoint (its value is the endpoint's name; `false` takes one out), or one that selects " +
    "pods running a known model server or asking for accelerators, unless another system already serves from them.",
  gateways: [],
  parts: [],
  entries: (facts, claimed) => {
    const taken = new Set<string>();
    return facts.services.flatMap((candidate) => {
      const parts = facts.selectedBy(candidate);
      const mark = candidate.annotations.get(endpointAnnotation);
      if (mark === "false") return [];
      if (mark === undefined && !looksLikeModel(candidate, parts, claimed, taken)) return [];
      for (const part of parts) taken.add(part.workload.key);
      return [serviceEntry(candidate, parts, mark ?? "")];
    });
  },
};

function looksLikeModel(
  candidate: Service,
  parts: readonly Part[],
  claimed: Claims,
  taken: ReadonlySet<string>,
): boolean {
  if (claimed.objects.has(objectKey(candidate.ref)) || parts.length === 0) return false;
  // Discovery among the pods of a group, not a way in.
  if (candidate.headless || candidate.publishNotReadyAddresses) return false;
  if (parts.some(({ workload }) => claimed.workloads.has(workload.key) || taken.has(workload.key))) return false;
  return parts.every((part) => part.workload.kind !== "DaemonSet" && (runsEngine(part) || usesAccelerator(part)));
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
