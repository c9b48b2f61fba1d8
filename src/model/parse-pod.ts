import type { Source } from "../base/problem.ts";
import type { Fields } from "../wire/fields.ts";
import { namespacedName } from "./key.ts";
import { type Meta, type OwnerReference, parseTimeField, secondsField } from "./parse-meta.ts";
import type { PodSurroundings } from "./parse-pod-spec.ts";
import type { Pod } from "./pod.ts";
import { noClaims, type PodKin, type PodOwn } from "./pod-columns.ts";
import type { ReportedContainer, ReportedResources } from "./pod-requests.ts";
import type { QuantityReader, WrittenAmount } from "./quantity.ts";
import { lastingAnnotations, type TemplateDraft, type TemplatePool } from "./template-pool.ts";

/** What pods have in common, but for what needs the whole input, which is to be filled in. */
interface UnfinishedKin extends Omit<PodKin, "template" | "requests"> {
  readonly template: PodKin["template"] | null;
  readonly requests: PodKin["requests"] | null;
}

/** A pod read but for its owner, its admission defaults and its resize. */
export interface PodDraft {
  readonly own: PodOwn;
  readonly claimNames: Pod["claimNames"];
  readonly source: Source;
  readonly kin: KinDraft;
}

/** What pods that are like it have in common with it. */
export interface KinDraft {
  readonly parts: UnfinishedKin;
  readonly template: TemplateDraft;
  readonly owner: OwnerReference | null;
  /** Null in the usual case: the kubelet reports what the spec asks for, or nothing. */
  readonly reported: ReportedResources | null;
}

export function parsePod(fields: Fields, meta: Meta, pool: TemplatePool, quantities: QuantityReader): PodDraft {
  const spec = fields.object("spec");
  const status = fields.object("status");
  const metadata = fields.object("metadata");
  const conditions = conditionsOf(status);
  return {
    own: {
      key: namespacedName(meta.ref.namespace, meta.ref.name),
      nodeName: spec.text("nodeName"),
      restarts: status.objects("containerStatuses").reduce((sum, each) => sum + (each.count("restartCount") ?? 0), 0),
      createdAtMs: meta.createdAtMs,
      startedAtMs: parseTimeField(status, "startTime"),
      scheduledAtMs: conditions.scheduledAtMs,
      readyAtMs: conditions.readyAtMs,
    },
    claimNames: claimNames(status),
    source: meta.source,
    kin: {
      parts: {
        namespace: meta.ref.namespace,
        phase: status.choice("phase", ["Pending", "Running", "Succeeded", "Failed", "Unknown"], "Pending"),
        ready: conditions.ready,
        deleting: meta.deleting,
        deletionGraceMs: secondsField(metadata, "deletionGracePeriodSeconds"),
        preempted: meta.deleting && isPreempted(status),
        nominatedNodeName: status.text("nominatedNodeName"),
        mirror: meta.annotations.has("kubernetes.io/config.mirror"),
        finalizers: metadata.texts("finalizers"),
        unschedulableMessage: conditions.unschedulableMessage,
        ordinal: ordinalOf(meta),
        revision: meta.labels.get("controller-revision-hash") ?? "",
        template: null,
        owner: null,
        requests: null,
        nonZeroMilliCpu: 0,
        nonZeroMemoryBytes: 0,
      },
      template: pool.draft(fields, surroundings(meta), meta),
      owner: meta.owner,
      reported: reportedResources(spec, status, quantities, conditions.resizing),
    },
  };
}

function surroundings(meta: Meta): PodSurroundings {
  return {
    isPod: true,
    namespace: meta.ref.namespace,
    labels: meta.labels,
    annotations: lastingAnnotations(meta.annotations),
    // Only a server gives an object its uid.
    admitted: meta.uid !== 0,
  };
}

/** Mirrors plugins/defaultpreemption podTerminatingByPreemption, 1.36: the first such condition speaks. */
function isPreempted(status: Fields): boolean {
  const condition = status.objects("conditions").find((each) => each.text("type") === "DisruptionTarget");
  return condition?.text("status") === "True" && condition.text("reason") === "PreemptionByScheduler";
}

interface Conditions extends Pick<Pod, "ready" | "scheduledAtMs" | "readyAtMs" | "unschedulableMessage"> {
  /** A resize waits. */
  readonly resizing: boolean;
}

function conditionsOf(status: Fields): Conditions {
  let resizing = false;
  let ready = false;
  let scheduledAtMs: number | null = null;
  let readyAtMs: number | null = null;
  let unschedulableMessage = "";
  for (const condition of status.objects("conditions")) {
    const type = condition.text("type");
    const holds = condition.text("status") === "True";
    if (type === "Ready" && holds) {
      ready = true;
      readyAtMs = parseTimeField(condition, "lastTransitionTime");
    } else if (type === "PodScheduled" && holds) {
      scheduledAtMs = parseTimeField(condition, "lastTransitionTime");
    } else if (type === "PodScheduled") unschedulableMessage = condition.text("message");
    else if (type === "PodResizePending") resizing = true;
  }
  return { resizing, ready, scheduledAtMs, readyAtMs, unschedulableMessage };
}

function claimNames(status: Fields): ReadonlyMap<string, string> {
  const statuses = status.objects("resourceClaimStatuses");
  if (statuses.length === 0) return noClaims;
  const names = new Map<string, string>();
  for (const claim of statuses) {
    const made = claim.text("resourceClaimName");
    if (made !== "") names.set(claim.text("name"), made);
  }
  return names;
}

/** A StatefulSet names its pods `<set>-<ordinal>` and, since 1.28, labels them with it too. */
function ordinalOf(meta: Meta): number | null {
  if (meta.owner?.kind !== "StatefulSet") return null;
  const text = meta.labels.get("apps.kubernetes.io/pod-index") ?? meta.ref.name.slice(meta.owner.name.length + 1);
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Reads what the kubelet reports only when it differs from the spec: that is what a resize looks like. */
function reportedResources(
  spec: Fields,
  status: Fields,
  quantities: QuantityReader,
  resizing: boolean,
): ReportedResources | null {
  // Since 1.37 the spec of a pod whose resize is infeasible does not count even where nothing is reported.
  if (!resizing && !differsFromSpec(spec.quietly(), status.quietly(), quantities)) return null;
  const containers = new Map<string, ReportedContainer>();
  for (const list of ["containerStatuses", "initContainerStatuses"]) {
    for (const container of status.objects(list)) {
      const resources = container.optionalObject("resources");
      containers.set(container.text("name"), {
        stated: resources !== null,
        actual: resources?.has("requests") === true ? quantities.amounts(resources, "requests") : null,
        allocated: container.has("allocatedResources") ? quantities.amounts(container, "allocatedResources") : null,
      });
    }
  }
  const own = status.optionalObject("resources");
  return {
    containers,
    podStated: own !== null,
    podActual: own?.has("requests") === true ? quantities.amounts(own, "requests") : null,
    podAllocated: status.has("allocatedResources") ? quantities.amounts(status, "allocatedResources") : null,
    infeasible: status
      .objects("conditions")
      .some((each) => each.text("type") === "PodResizePending" && each.text("reason") === "Infeasible"),
  };
}

function differsFromSpec(spec: Fields, status: Fields, quantities: QuantityReader): boolean {
  if (status.optionalObject("resources") !== null || status.optionalObject("allocatedResources") !== null) return true;
  const requested = new Map<string, readonly WrittenAmount[]>();
  for (const list of ["containers", "initContainers"]) {
    for (const container of spec.objects(list)) {
      requested.set(container.text("name"), quantities.written(container.object("resources"), "requests"));
    }
  }
  for (const list of ["containerStatuses", "initContainerStatuses"]) {
    for (const container of status.objects(list)) {
      const wanted = requested.get(container.text("name")) ?? [];
      const actual = container.optionalObject("resources");
      if (actual !== null && !sameAmounts(wanted, quantities.written(actual, "requests"))) return true;
      if (!container.has("allocatedResources")) continue;
      if (!sameAmounts(wanted, quantities.written(container, "allocatedResources"))) return true;
    }
  }
  return false;
}

function sameAmounts(a: readonly WrittenAmount[], b: readonly WrittenAmount[]): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every(([name, amount], at) => b[at]?.[0] === name && b[at]?.[1] === amount);
}
