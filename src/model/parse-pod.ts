import type { Source } from "../base/problem.ts";
import { type Fields, isJsonList, isJsonObject } from "../wire/fields.ts";
import type { JsonObject } from "../wire/snapshot.ts";
import { namespacedName } from "./key.ts";
import type { Labels } from "./labels.ts";
import { familyOf, type Meta, type OwnerReference, parseTimeField, secondsField } from "./parse-meta.ts";
import type { Pod } from "./pod.ts";
import { noClaims, type PodKin, type PodOwn } from "./pod-columns.ts";
import type { ReportedContainer, ReportedResources } from "./pod-requests.ts";
import type { QuantityReader } from "./quantity.ts";
import { lastingAnnotations, type TemplateDraft, type TemplatePool } from "./template-pool.ts";

/** What of a pod needs the whole input. */
type Late = "template" | "owner" | "requests" | "nonZeroMilliCpu" | "nonZeroMemoryBytes";

/** A pod read but for its owner, its admission defaults and its resize. */
export interface PodDraft {
  readonly own: PodOwn;
  readonly claimNames: Pod["claimNames"];
  readonly source: Source;
  readonly kin: KinDraft;
}

/** What pods that are like it have in common with it. */
export interface KinDraft {
  readonly parts: Omit<PodKin, Late>;
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
      },
      template: pool.draft(withoutNodeName(spec), surroundings(meta), familyOf(meta)),
      owner: meta.owner,
      reported: reportedResources(spec, status, quantities),
    },
  };
}

/** A pod's place is not part of its template: only a template may name a node for its pods. */
function withoutNodeName(spec: Fields): Fields {
  return spec.has("nodeName") ? spec.without("nodeName") : spec;
}

function surroundings(meta: Meta): {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly admitted: boolean;
} {
  return {
    namespace: meta.ref.namespace,
    labels: meta.labels,
    annotations: lastingAnnotations(meta.annotations),
    // Only a server gives an object its uid.
    admitted: meta.uid !== "",
  };
}

/** Mirrors plugins/defaultpreemption podTerminatingByPreemption, 1.36: the first such condition speaks. */
function isPreempted(status: Fields): boolean {
  const condition = status.objects("conditions").find((each) => each.text("type") === "DisruptionTarget");
  return condition?.text("status") === "True" && condition.text("reason") === "PreemptionByScheduler";
}

function conditionsOf(status: Fields): Pick<Pod, "ready" | "scheduledAtMs" | "readyAtMs" | "unschedulableMessage"> {
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
    } else if (type === "PodScheduled") {
      unschedulableMessage = condition.text("message");
    }
  }
  return { ready, scheduledAtMs, readyAtMs, unschedulableMessage };
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
function reportedResources(spec: Fields, status: Fields, quantities: QuantityReader): ReportedResources | null {
  if (!differsFromSpec(spec.wire, status.wire)) return null;
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

function differsFromSpec(spec: JsonObject, status: JsonObject): boolean {
  if (isJsonObject(status["resources"]) || isJsonObject(status["allocatedResources"])) return true;
  // Since 1.37 the spec of a pod whose resize is infeasible does not count even where nothing is reported.
  if (listOfObjects(status["conditions"]).some((each) => each["type"] === "PodResizePending")) return true;
  const requested = new Map<string, JsonObject>();
  for (const list of [spec["containers"], spec["initContainers"]]) {
    for (const container of listOfObjects(list)) {
      requested.set(String(container["name"]), objectAt(objectAt(container, "resources"), "requests"));
    }
  }
  for (const list of [status["containerStatuses"], status["initContainerStatuses"]]) {
    for (const container of listOfObjects(list)) {
      const wanted = requested.get(String(container["name"])) ?? {};
      const actual = container["resources"];
      if (isJsonObject(actual) && !sameAmounts(wanted, objectAt(actual, "requests"))) return true;
      if (!Object.hasOwn(container, "allocatedResources")) continue;
      if (!sameAmounts(wanted, objectAt(container, "allocatedResources"))) return true;
    }
  }
  return false;
}

function listOfObjects(value: JsonObject[string]): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function sameAmounts(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
